"""Compares the placed volumes of imported 3MF files with a reader of its own, and with the crate `threemf2`.

Usage: against_3mf.py INTERFERE [--threemf2 PROGRAM] FILE…, or against_3mf.py --write FOLDER; needs numpy. The reader
expands the items of the build with row vectors, follows components into other parts of the archive, and applies the
unit of the file. PROGRAM is the binary of the package `threemf2` beside this file. Prints a line for each file: the
number of instances and the greatest relative difference of a volume. --write writes files with each unit, nested
components, a mirrored item, and objects in other parts of the archive.
"""

import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import numpy as np

from placed import MM, matrix

UNITS = {"micron": 0.001, "millimeter": 1.0, "centimeter": 10.0, "inch": 25.4, "foot": 304.8, "meter": 1000.0}


def local(element, name: str):
    """Returns the child elements of a name, in any name space."""
    return [c for c in element if c.tag.rsplit("}")[-1] == name]


def attribute(element, name: str):
    """Returns an attribute, in any name space."""
    return next((v for k, v in element.attrib.items() if k.rsplit("}")[-1] == name), None)


def rows(text) -> np.ndarray:
    """Returns the matrix of a transform: it acts on row vectors."""
    return np.array([float(x) for x in text.split()]).reshape(4, 3) if text else np.eye(4, 3)


def rigid(to: np.ndarray) -> np.ndarray:
    """Returns a transform with the nearest rotation, where it is within 1e-6 of one: files round their numbers."""
    if abs(to[:3].T @ to[:3] - np.eye(3)).max() > 2e-6:
        return to
    u, _, v = np.linalg.svd(to[:3])
    return np.vstack([u @ v, to[3]])


def volume(corners: np.ndarray) -> float:
    """Returns the signed volume of triangles."""
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6)


class Archive:
    """The objects of an archive, by the part and the id."""

    def __init__(self, file: Path):
        archive = zipfile.ZipFile(file)
        names = [n for n in archive.namelist() if n.lower().endswith(".model")]
        self.parts = {n.lower().lstrip("/"): ET.fromstring(archive.read(n)) for n in names}
        self.root = min(self.parts, key=lambda n: (n.count("/"), "3dmodel" not in n))

    def triangles(self, part: str, id: str, to: np.ndarray):
        """Yields the corners of each placed mesh below an object."""
        resources = local(self.parts[part], "resources")[0]
        found = next(o for o in local(resources, "object") if o.get("id") == id)
        for mesh in local(found, "mesh"):
            points = [[float(v.get(a)) for a in "xyz"] for v in local(local(mesh, "vertices")[0], "vertex")]
            faces = [[int(t.get(f"v{k}")) for k in (1, 2, 3)] for t in local(local(mesh, "triangles")[0], "triangle")]
            yield (np.c_[np.array(points), np.ones(len(points))] @ rigid(to))[np.array(faces)]
        for components in local(found, "components"):
            for component in local(components, "component"):
                inner = np.c_[rows(component.get("transform")), [0, 0, 0, 1]] @ np.c_[to, [0, 0, 0, 1]]
                path = (attribute(component, "path") or part).lower().lstrip("/")
                yield from self.triangles(path, component.get("objectid"), inner[:, :3])

    def volumes(self) -> list[float]:
        """Returns the volumes of all instances (mm³)."""
        scale = UNITS[self.parts[self.root].get("unit", "millimeter")]
        found = []
        for item in local(local(self.parts[self.root], "build")[0], "item"):
            path = (attribute(item, "path") or self.root).lower().lstrip("/")
            found += [volume(c * scale) for c in self.triangles(path, item.get("objectid"), rows(item.get("transform")))]
        return found


def corners(path: Path) -> np.ndarray:
    """Returns the corners of the triangles of a generated file."""
    data = path.read_bytes()
    if path.suffix == ".stl":
        row = np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
        return np.frombuffer(data, row, offset=84)["v"].astype(float)
    head, _, body = data.partition(b"end_header\n")
    count, faces = (int(line.split()[-1]) for line in head.decode().splitlines() if line.startswith("element"))
    points = np.frombuffer(body, "<f8", 3 * count).reshape(-1, 3)
    row = np.dtype([("n", "u1"), ("v", "<u4", 3)])
    return points[np.frombuffer(body, row, faces, 24 * count)["v"]]


def by_crate(program: str, file: Path) -> list[float]:
    """Returns the volumes of all instances (mm³), read by `threemf2`."""
    line = subprocess.run([program, file], capture_output=True, text=True, check=True).stdout.strip()
    if line.startswith("error:"):
        raise ValueError(line)
    return [float(x) for x in line.split()]


def farthest(found: list[float], expected: list[float]) -> float:
    """Returns the greatest relative difference of two lists of volumes, each sorted."""
    assert len(found) == len(expected), (len(found), len(expected))
    return max(abs(a - b) / max(abs(b), 1e-30) for a, b in zip(sorted(found), sorted(expected)))


CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
RELATION = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def model(unit: str, objects: str, build: str) -> str:
    """Returns the text of a model part."""
    extension = f'xmlns:p="{PRODUCTION}" requiredextensions="p"'
    head = f'<model unit="{unit}" xml:lang="en-US" xmlns="{CORE}" {extension}>'
    return f'<?xml version="1.0"?>{head}<resources>{objects}</resources><build>{build}</build></model>'


def relations(target: str) -> str:
    """Returns the text of the relations of a part."""
    row = f'<Relationship Target="{target}" Id="r" Type="{RELATION}"/>'
    return f'<?xml version="1.0"?><Relationships xmlns="{PACKAGE}/relationships">{row}</Relationships>'


def tetrahedron(id: int) -> str:
    """Returns an object: a tetrahedron away from the origin, with edges of no round length."""
    corners = [(1.1, 2.3, 3.7), (11.4, 2.2, 3.1), (1.9, 9.6, 2.8), (2.7, 3.3, 14.9)]
    points = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in corners)
    outward = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    faces = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in outward)
    mesh = f"<vertices>{points}</vertices><triangles>{faces}</triangles>"
    return f'<object id="{id}" type="model"><mesh>{mesh}</mesh></object>'


def write(folder: Path) -> None:
    """Writes the files of --write."""
    turn, scale = "0.6 0.8 0 -0.8 0.6 0 0 0 1 5 -6 7.5", "1.5 0 0 0 0.5 0 0 0 2 0 0 1"
    item = lambda id, to: f'<item objectid="{id}" transform="{to}"/>'
    inner = lambda id, to, path="": f'<component objectid="{id}" transform="{to}"{path}/>'
    group = lambda id, *inside: f'<object id="{id}" type="model"><components>{"".join(inside)}</components></object>'
    files = {unit: {"3D/3dmodel.model": model(unit, tetrahedron(1), item(1, turn))} for unit in UNITS}
    nested = tetrahedron(1) + group(2, inner(1, turn), inner(1, scale)) + group(3, inner(2, turn), inner(2, scale))
    files["nested"] = {"3D/3dmodel.model": model("inch", nested, item(3, turn) + item(3, scale) + item(2, turn))}
    mirror = "-0.6 -0.8 0 -0.8 0.6 0 0 0 1 5 -6 7.5"
    files["mirrored"] = {"3D/3dmodel.model": model("millimeter", tetrahedron(1), item(1, mirror) + item(1, turn))}
    path = ' p:path="/3D/parts/other.model"'
    own = model("centimeter", group(2, inner(1, scale, path), inner(4, turn, path)), item(2, turn))
    other = model("centimeter", tetrahedron(1) + group(4, inner(1, turn), inner(1, mirror)), "")
    files["production"] = {
        "3D/3dmodel.model": own,
        "3D/_rels/3dmodel.model.rels": relations("/3D/parts/other.model"),
        "3D/parts/other.model": other,
    }
    kinds = {"rels": "vnd.openxmlformats-package.relationships", "model": "vnd.ms-package.3dmanufacturing-3dmodel"}
    rows = [f'<Default Extension="{ending}" ContentType="application/{kind}+xml"/>' for ending, kind in kinds.items()]
    types = f'<?xml version="1.0"?><Types xmlns="{PACKAGE}/content-types">{"".join(rows)}</Types>'
    folder.mkdir(parents=True, exist_ok=True)
    for name, parts in files.items():
        with zipfile.ZipFile(folder / f"{name}.3mf", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", types)
            archive.writestr("_rels/.rels", relations("/3D/3dmodel.model"))
            for part, text in parts.items():
                archive.writestr(part, text)


def main(program: str, crate: str | None, files: list[str]) -> None:
    for file in map(Path, files):
        folder = Path(tempfile.mkdtemp()) / "design"
        command = [program, "import", str(file), "-o", str(folder)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            print(f"{file.name}: {ran.stderr.splitlines()[-1]}")
            continue
        assembly = json.loads((folder / "assembly.json").read_text())
        found = []
        for instance in assembly["instances"]:
            part, m = assembly["parts"][instance["part"]], matrix(instance)
            own = corners(folder / part["mesh"]) * MM[part.get("units", "mm")]
            found.append(volume(own @ m[:3, :3].T + m[:3, 3]))
        far = farthest(found, Archive(file).volumes())
        line = f"{file.name}: {len(found)} instances, volumes at most {far:.2g} apart"
        if crate:
            try:
                line += f", {farthest(found, by_crate(crate, file)):.2g} from threemf2"
            except ValueError as error:
                line += f", threemf2: {error}"
        print(line)


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write(Path(sys.argv[2]))
    elif sys.argv[2] == "--threemf2":
        main(sys.argv[1], sys.argv[3], sys.argv[4:])
    else:
        main(sys.argv[1], None, sys.argv[2:])
