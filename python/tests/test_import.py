"""Imports of files that the kernel wrote, through the command."""

import json
import math

import pytest

pytest.importorskip("OCP")

import solids
from conftest import bytes_of, run


def imported(tmp_path, path, *flags):
    """Imports a file; returns assembly file, `import.json` and stderr."""
    folder = tmp_path / "out"
    ended = run(*flags, path, folder)
    assert ended.returncode == 0, ended.stderr
    return *(json.loads((folder / n).read_text()) for n in ("assembly.json", "import.json")), ended.stderr


def bracket(tmp_path):
    screw, plate = ("screw", solids.cylinder()), ("plate", solids.box())
    pair = ("pair", [("left", screw, solids.at(1)), ("right", screw, solids.at(2, angle=0.5))])
    tree = ("bracket", [("plate:1", plate, solids.at()), ("p1", pair, solids.at(z=5)), ("p2", pair, solids.at(z=9))])
    return solids.write_step(tmp_path / "bracket.step", tree)


def test_names_shared_parts_and_placements(tmp_path):
    assembly, record, errors = imported(tmp_path, bracket(tmp_path))
    assert list(assembly["parts"]) == ["plate", "screw"]
    assert [(i["id"], i["part"]) for i in assembly["instances"]] == [
        ("plate_1", "plate"),
        ("p1.left", "screw"),
        ("p1.right", "screw"),
        ("p2.left", "screw"),
        ("p2.right", "screw"),
    ]
    matrix = assembly["instances"][4]["placement"]["matrix"]
    expected = [[math.cos(0.5), -math.sin(0.5), 0, 2], [math.sin(0.5), math.cos(0.5), 0, 0], [0, 0, 1, 9]]
    assert [x for row in matrix for x in row] == pytest.approx([x for row in expected for x in row], abs=1e-12)
    assert (assembly["version"], assembly["name"], assembly["units"]) == (1, "bracket", "mm")
    assert record["parts"]["screw"]["closed"] and record["parts"]["screw"]["solids"] == 1
    assert errors == ""


def test_three_runs_give_the_same_bytes(tmp_path):
    path = bracket(tmp_path)
    for name in "abc":
        assert run(path, tmp_path / name).returncode == 0
    first = bytes_of(tmp_path / "a")
    assert set(first) == {"assembly.json", "import.json", "parts/001.stl", "parts/002.stl"}
    assert bytes_of(tmp_path / "b") == first and bytes_of(tmp_path / "c") == first
    assert str(tmp_path).encode() not in b"".join(first.values())


def test_an_equal_import_runs_no_mesher_and_a_touched_file_does(tmp_path):
    path, folder = bracket(tmp_path), tmp_path / "out"
    key = run("--key", path).stdout.strip()
    assert not run(path, folder).stdout.startswith("up to date")
    assert json.loads((folder / "import.json").read_text())["key"] == key
    assert run(path, folder).stdout.startswith("up to date")
    before = bytes_of(folder)
    (folder / "parts/001.stl").write_bytes(b"")
    assert not run(path, folder).stdout.startswith("up to date")
    assert bytes_of(folder) == before
    (folder / "parts/009.stl").write_bytes(b"")
    assert not run(path, folder).stdout.startswith("up to date")
    assert bytes_of(folder) == before
    path.write_bytes(path.read_bytes().replace(b"bracket", b"brackes"))
    assert run("--key", path).stdout.strip() != key
    assert not run(path, folder).stdout.startswith("up to date")


def test_the_key_depends_on_settings(tmp_path):
    path = bracket(tmp_path)
    keys = [run("--key", *f, path).stdout for f in ([], ["--deflection", "0.1"], ["--angle", "0.2"], ["--open-shells"])]
    assert len(set(keys)) == 4 and all(len(key) == 65 for key in keys)


@pytest.mark.parametrize("schema", ["AP203", "AP214IS", "AP242DIS"])
@pytest.mark.parametrize(("unit", "size"), [("MM", 10.0), ("M", 10.0), ("INCH", 10.0)])
def test_lengths_are_millimetres_in_every_unit_and_schema(tmp_path, unit, size, schema):
    tree = ("top", [("a", ("cube", solids.box(size, size, size)), solids.at(x=25.4))])
    path = solids.write_step(tmp_path / "x.step", tree, unit, schema)
    assembly, _, _ = imported(tmp_path, path)
    assert assembly["instances"][0]["placement"]["matrix"][0][3] == pytest.approx(25.4, abs=1e-9)
    from interfere_cad import tree as trees
    from interfere_cad.source import read

    data = (tmp_path / "out/parts/001.stl").read_bytes()
    import numpy as np

    rows = np.frombuffer(data, [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")], offset=84)
    assert rows["v"].reshape(-1, 3).max(0) == pytest.approx([size] * 3, abs=1e-6)
    assert len(trees.read(read(path)).leaves) == 1


def test_solids_of_one_component_are_parts_of_their_own(tmp_path):
    from OCP.BRep import BRep_Builder
    from OCP.TopoDS import TopoDS_Compound

    compound, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(compound)
    ball = solids.sphere()
    for shape in (solids.box(), ball.Located(solids.at(50)), ball.Located(solids.at(80))):
        builder.Add(compound, shape)
    path = solids.write_step(tmp_path / "x.step", ("top", [("a", ("body", compound), solids.at(y=3))]))
    assembly, record, _ = imported(tmp_path, path)
    assert [i["id"] for i in assembly["instances"]] == ["a", "a.s2", "a.s3"]
    # The writer may give the second sphere a shape of its own.
    assert list(assembly["parts"])[:2] == ["body", "body.s2"]
    assert record["parts"]["body"]["names"] == ["body"]


def test_a_mirror_stays_in_the_placement(tmp_path):
    from interfere_cad import write_assembly

    write_assembly(tmp_path / "out", [("a", solids.box(), solids.mirrored())])
    matrix = json.loads((tmp_path / "out/assembly.json").read_text())["instances"][0]["placement"]["matrix"]
    assert [row[:3] for row in matrix] == [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_equal_siblings_get_numbers_and_a_warning(tmp_path):
    screw = ("screw", solids.cylinder())
    tree = ("top", [("", screw, solids.at(x)) for x in (0, 20, 40)] + [("", ("lid", solids.box()), solids.at())])
    assembly, _, errors = imported(tmp_path, solids.write_step(tmp_path / "x.step", tree))
    assert [i["id"] for i in assembly["instances"]] == ["screw", "screw-2", "screw-3", "lid"]
    assert errors.startswith("warning: ids-by-order: 2 components")


def faces_of_box(count):
    from OCP.BRep import BRep_Builder
    from OCP.TopoDS import TopoDS_Shell

    from interfere_cad import kernel

    shell, builder = TopoDS_Shell(), BRep_Builder()
    builder.MakeShell(shell)
    for face in list(kernel.sub_shapes(solids.box(), "FACE"))[:count]:
        builder.Add(shell, face)
    return shell


def test_open_shells_are_left_out_counted_and_taken_on_request(tmp_path):
    components = [("skin", ("skin", faces_of_box(5)), solids.at()), ("lid", ("lid", solids.box()), solids.at(90))]
    path = solids.write_step(tmp_path / "x.step", ("top", components))
    assembly, record, errors = imported(tmp_path, path)
    assert [i["id"] for i in assembly["instances"]] == ["lid"]
    assert record["left_out"] == [{"what": "open-shell", "count": 1, "where": ["skin"]}]
    assert errors.startswith("warning: open-shell: 1 surfaces")
    assembly, record, errors = imported(tmp_path, path, "--open-shells")
    assert [i["id"] for i in assembly["instances"]] == ["skin", "lid"]
    assert record["parts"]["skin"]["solids"] == 0 and not record["parts"]["skin"]["closed"]
    assert errors == ""


def test_a_file_of_surfaces_alone_is_refused(tmp_path):
    path = solids.write_step(tmp_path / "x.step", ("skin", faces_of_box(5)))
    ended = run(path, tmp_path / "out")
    assert ended.returncode == 2 and not (tmp_path / "out").exists()
    assert ended.stderr.startswith("error: no-geometry: ") and "--open-shells" in ended.stderr


def test_a_solid_without_a_face_is_not_closed(tmp_path):
    from OCP.BRep import BRep_Builder
    from OCP.TopoDS import TopoDS_Solid

    from interfere_cad import write_assembly

    solid, builder = TopoDS_Solid(), BRep_Builder()
    builder.MakeSolid(solid)
    builder.Add(solid, faces_of_box(5))
    record = write_assembly(tmp_path / "out", [("a", solid, solids.at())])
    assert record["parts"]["a"]["closed"] is False


def test_a_face_without_triangles_is_an_error(tmp_path, monkeypatch):
    from interfere_cad import Refused, write_assembly
    from interfere_cad.mesh import FaceTriangles

    taken = FaceTriangles.of.__func__

    def of(cls, face):
        found = taken(cls, face)
        return None if len(found.triangles) > 2 else found

    monkeypatch.setattr(FaceTriangles, "of", classmethod(of))
    with pytest.raises(Refused, match="3 faces") as refused:
        write_assembly(tmp_path / "out", [("a", solids.cylinder(), solids.at())])
    assert refused.value.code == "face-not-meshed"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_somebody_else_is_refused(tmp_path):
    path, folder = bracket(tmp_path), tmp_path / "out"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    ended = run(path, folder)
    assert (ended.returncode, list(bytes_of(folder))) == (2, ["mine.txt"])
    assert ended.stderr.startswith("error: not-empty: ")
    assert run("--force", path, folder).returncode == 0
    assert (folder / "mine.txt").read_text() == "mine"


def test_iges_and_brep_are_read(tmp_path):
    from OCP.BRepTools import BRepTools
    from OCP.IGESControl import IGESControl_Writer

    from interfere_cad import kernel

    with kernel.quiet():
        BRepTools.Write_s(solids.box(), str(tmp_path / "x.brep"))
        writer = IGESControl_Writer("MM", 1)
        writer.AddShape(solids.box())
        writer.Write(str(tmp_path / "x.igs"))
    for name, kind in (("x.brep", "brep"), ("x.igs", "iges")):
        assembly, record, _ = imported(tmp_path, tmp_path / name)
        assert (len(assembly["parts"]), record["source"]["format"]) == (1, kind)
        assert record["parts"][next(iter(assembly["parts"]))]["triangles"] == 12


@pytest.mark.parametrize("data", [b"ISO-10303-21;\nHEADER;", b"ISO-10303-21;\nnonsense\x00\xff", b"\nCASCADE Topology V1, (c)"])
def test_damaged_files_are_refused(tmp_path, data):
    (tmp_path / "x.step").write_bytes(data)
    ended = run(tmp_path / "x.step", tmp_path / "out")
    assert ended.returncode == 2 and ended.stderr.startswith("error: ")
    assert not (tmp_path / "out").exists()


def test_another_protocol_is_refused(tmp_path):
    ended = run("--protocol", "2", bracket(tmp_path), tmp_path / "out")
    assert ended.returncode == 2 and ended.stderr.startswith("error: unsupported: protocol 2")


def test_versions_are_printed():
    versions = json.loads(run("--versions").stdout)
    assert versions["protocol"] == 1 and versions["opencascade"].split(".")[0] in ("7", "8")
