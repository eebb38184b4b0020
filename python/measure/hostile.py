"""Imports hostile files: each must end with exit 2, write nothing, and need little time and memory.

    python3 python/measure/hostile.py target/release/interfere

Prints a row for each file: exit code, seconds, peak memory. Linux and macOS.
"""

import functools
import io
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

SECRET = "secret.stl"
MODEL = '<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">%s</model>'
RELATION = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" '
    'Target="/3D/3dmodel.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'
)
TETRAHEDRON = (
    '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>'
    '<vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/>'
    '<triangle v1="1" v2="2" v3="3"/><triangle v1="0" v2="3" v3="2"/></triangles></mesh>'
)


def threemf(model):
    """Returns an archive with this model."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", RELATION)
        archive.writestr("3D/3dmodel.model", model)
    return out.getvalue()


@functools.cache
def zeros():
    """Returns 4 GiB of zeros, packed, and their checksum. Takes half a minute."""
    block = bytes(1 << 24)
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed, crc = [], 0
    for _ in range((4 << 30) // len(block)):
        packed.append(packer.compress(block))
        crc = zlib.crc32(block, crc)
    return b"".join([*packed, packer.flush()]), crc


def bomb(told):
    """Returns an archive with one entry of 4 GiB; `told` is the size that its headers state."""
    packed, crc = zeros()
    entry = b"3D/3dmodel.model"
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, crc, len(packed), told, len(entry), 0)
    local = b"PK\x03\x04" + common + entry + packed
    central = b"PK\x01\x02\x14\x00" + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + entry
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end


def overlapping(copies):
    """Returns a small archive: many entries share one block of 4 MiB."""
    size = 4 << 20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(size)) + packer.flush()
    crc, entry = zlib.crc32(bytes(size)), b"3D/3dmodel.model"
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, crc, len(packed), size, len(entry), 0)
    local = b"PK\x03\x04" + common + entry + packed
    central = b""
    for k in range(copies):
        name = b"3D/3dmodel.model" if k == 0 else b"3D/%08d.model" % k
        head = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, crc, len(packed), size, len(name), 0)
        central += b"PK\x01\x02\x14\x00" + head + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, copies, copies, len(central), len(local), 0)
    return local + central + end


def entities(root, inner=""):
    """Returns a document with 11 levels of ten entities each."""
    levels = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 12))
    return f'<?xml version="1.0"?><!DOCTYPE {root} [<!ENTITY e0 "ha">{levels}]><{root}>&e11;{inner}</{root}>'


def gltf(changes):
    """Returns a glTF file of one triangle with changes of its top level."""
    document = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3", "bufferView": 0}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64," + "AAAA" * 12}],
    }
    return json.dumps({**document, **changes})


def urdf(mesh):
    """Returns a robot of one link with a mesh."""
    return f'<robot name="r"><link name="a"><collision><geometry><mesh filename="{mesh}"/></geometry></collision></link></robot>'


def sdf(uri):
    """Returns a model of one link with a mesh."""
    geometry = f"<geometry><mesh><uri>{uri}</uri></mesh></geometry>"
    return f'<sdf version="1.9"><model name="m"><link name="a"><collision name="c">{geometry}</collision></link></model></sdf>'


def mjcf(asset, body=""):
    """Returns a model with an asset."""
    return f'<mujoco>{asset}<worldbody><body><geom type="mesh" mesh="m"/>{body}</body></worldbody></mujoco>'


def components(factors, items):
    """Returns a model with components of components, so many at each level; `items` are objects of the build, 1 a mesh."""
    objects = [f'<object id="1" type="model">{TETRAHEDRON}</object>']
    for k, factor in enumerate(factors, 2):
        part = f'<component objectid="{k - 1}"/>' * factor
        objects.append(f'<object id="{k}" type="model"><components>{part}</components></object>')
    build = "".join(f'<item objectid="{item}"/>' for item in items)
    return threemf(MODEL % f'<resources>{"".join(objects)}</resources><build>{build}</build>')


def files(secret):
    """Yields name, content, and further files by name; `secret` is the path of a mesh outside the tree."""
    up = "../" * 40 + "etc/passwd"
    yield "zip, an entry of 4 GiB.3mf", bomb(0xFFFFFFFF), {}
    yield "zip, an entry of 4 GiB that states 1 kB.3mf", bomb(1000), {}
    yield "zip, 1000 overlapping entries of 4 MiB.3mf", overlapping(1000), {}
    yield "entities.3mf", threemf(entities("model")), {}
    for root, ending in [("robot", "urdf"), ("mujoco", "xml"), ("sdf", "sdf"), ("COLLADA", "dae")]:
        yield f"entities.{ending}", entities(root), {}
    for reference in [up, "/etc/passwd", "file:///etc/passwd", "..%2f" * 40 + "etc/passwd", f"../{SECRET}", "link.stl"]:
        name = reference[:3] + reference[-12:]
        name = "".join(c if c.isalnum() else "-" for c in name)
        links = {"link.stl": secret} if reference == "link.stl" else {}
        buffer = {"byteLength": 36, "uri": reference}
        yield f"path {name}.gltf", gltf({"buffers": [buffer]}), links
        yield f"path {name}.urdf", urdf(reference), links
        yield f"package path {name}.urdf", urdf(f"package://here/{reference}"), {
            "package.xml": "<package><name>here</name></package>",
            **links,
        }
        yield f"mesh path {name}.xml", mjcf(f'<asset><mesh name="m" file="{reference}"/></asset>'), links
        yield f"include path {name}.xml", mjcf(f'<include file="{reference}"/>'), links
        yield f"model path {name}.xml", mjcf(f'<asset><model name="m" file="{reference}"/></asset>'), links
        yield f"mesh path {name}.sdf", sdf(reference), links
        include = f'<sdf version="1.9"><world name="w"><include><uri>{reference}</uri></include></world></sdf>'
        yield f"include path {name}.sdf", include, links
    folder = mjcf(f'<compiler meshdir="{"../" * 40}etc"/><asset><mesh name="m" file="passwd"/></asset>')
    yield "folder of meshes outside.xml", folder, {}
    yield "model of another package.urdf", urdf("package://../../etc/passwd"), {}
    production = 'xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06" requiredextensions="p"'
    item = '<resources/><build><item objectid="1" p:path="/../../../etc/passwd"/></build>'
    yield "path of a production item.3mf", threemf((MODEL % item).replace("<model ", f"<model {production} ")), {}
    yield "nodes in a cycle.gltf", gltf({"nodes": [{"children": [1], "mesh": 0}, {"children": [0]}]}), {}
    cycle = '<resources>%s</resources><build><item objectid="1"/></build>' % "".join(
        f'<object id="{k}" type="model"><components><component objectid="{3 - k}"/></components></object>' for k in (1, 2)
    )
    yield "components in a cycle.3mf", threemf(MODEL % cycle), {}
    joint = '<joint name="j%s" type="fixed"><parent link="%s"/><child link="%s"/></joint>'
    joints = joint % ("1", "a", "b") + joint % ("2", "b", "a")
    yield "joints in a cycle.urdf", f'<robot name="r"><link name="a"/><link name="b"/>{joints}</robot>', {}
    yield "a file that includes itself.xml", '<mujoco><include file="a file that includes itself.xml"/></mujoco>', {}
    own = '<asset><model name="m" file="a model that attaches itself.xml"/></asset>'
    yield "a model that attaches itself.xml", mjcf(own, '<attach model="m" prefix="a"/>'), {}
    copies = '<replicate count="1000">' * 30 + '<geom size="1"/>' + "</replicate>" * 30
    yield "30 replicas of replicas.xml", mjcf("", copies), {}
    inner = "<include><uri>a model in itself.sdf</uri></include>"
    yield "a model in itself.sdf", f'<sdf version="1.9"><model name="m"><link name="l"/>{inner}</model></sdf>', {}
    frames = "".join(f'<frame name="f{k}"><pose relative_to="f{1 - k}"/></frame>' for k in (0, 1))
    box = "<geometry><box><size>1 1 1</size></box></geometry>"
    link = f'<link name="l"><pose relative_to="f0"/><collision name="c">{box}</collision></link>'
    yield "frames in a cycle.sdf", f'<sdf version="1.9"><model name="m">{link}{frames}</model></sdf>', {}
    accessor = {"componentType": 5126, "count": 1 << 32, "type": "VEC3", "bufferView": 0}
    yield "accessor of 2^32.gltf", gltf({"accessors": [accessor]}), {}
    yield "accessor of 2^62 without bytes.gltf", gltf({"accessors": [{**accessor, "count": 1 << 62, "bufferView": None}]}), {}
    yield "buffer of 2^40 bytes.gltf", gltf({"buffers": [{"byteLength": 1 << 40, "uri": "data:;base64,AAAA"}]}), {}
    ply = "ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty float x\nproperty float y\n"
    yield "vertices of 2^32.ply", ply + "property float z\nelement face 1\nproperty list uchar int i\nend_header\n", {}
    yield "vertices of 2^32.off", "OFF\n4294967295 4294967295 0\n0 0 0\n", {}
    yield "triangles of 2^32.stl", bytes(80) + struct.pack("<I", 0xFFFFFFFF) + bytes(50), {}
    yield "10 000 001 instances.3mf", components([1000, 1000], [3] * 10 + [1]), {}
    yield "2^29 instances.3mf", components([2] * 29, [30]), {}
    yield "3 million nested elements.urdf", "<robot>" * 3_000_000, {}
    yield "3 million nested lists.gltf", '{"asset":{"version":"2.0"},"extras":' + "[" * 3_000_000, {}


# A process of its own: the peak memory of a program counts that of the process which started it.
LAUNCHER = """
import os, sys, tempfile, time
messages = tempfile.TemporaryFile()
start = time.monotonic()
process = os.fork()
if process == 0:
    os.dup2(messages.fileno(), 1)
    os.dup2(messages.fileno(), 2)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(process, 0)
print(os.waitstatus_to_exitcode(status), time.monotonic() - start, usage.ru_maxrss)
messages.seek(0)
sys.stdout.flush()
os.write(1, messages.read())
"""


def measured(command):
    """Runs a command; returns its exit code, seconds, peak memory in MB, and its messages."""
    launcher = [sys.executable, "-S", "-c", LAUNCHER, *map(str, command)]
    ran = subprocess.run(launcher, capture_output=True, check=True).stdout.decode(errors="replace")
    numbers, messages = ran.split("\n", 1)
    code, seconds, memory = numbers.split()
    return int(code), float(seconds), int(memory) * (1 if sys.platform == "darwin" else 1024) / 1e6, messages


def main(program):
    """Prints a row for each file; exits with 1 after a bad one."""
    bad, worst = 0, [0.0, 0.0]
    with tempfile.TemporaryDirectory() as outer:
        secret = Path(outer) / SECRET
        secret.write_bytes(bytes(80) + struct.pack("<I", 1) + bytes(50))
        tree = Path(outer) / "tree"
        for name, content, further in files(secret):
            (tree / ".git").mkdir(parents=True)
            (tree / name).write_bytes(content if isinstance(content, bytes) else content.encode())
            for other, text in further.items():
                if isinstance(text, Path):
                    (tree / other).symlink_to(text)
                else:
                    (tree / other).write_text(text)
            out = tree / "out"
            code, seconds, memory, messages = measured([program, "import", tree / name, "-o", out])
            wrong = code != 2 or out.exists() or "root:" in messages or sorted(p.name for p in Path(outer).iterdir()) != [SECRET, "tree"]
            bad += wrong
            worst = [max(worst[0], seconds), max(worst[1], memory)]
            reason = messages.strip().splitlines()[-1][:90] if wrong and messages.strip() else ""
            print(f"{code}  {seconds:5.2f} s  {memory:6.1f} MB  {name}{'  WRONG: ' + reason if wrong else ''}")
            subprocess.run(["rm", "-rf", tree], check=True)
    print(f"{bad} wrong; at most {worst[0]:.2f} s and {worst[1]:.0f} MB")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
