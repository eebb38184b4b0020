"""Imports of real files, where the optional folder has them."""

import json
import shutil

import pytest

pytest.importorskip("OCP")

from conftest import run

COUNTS = {
    "as1-oc-214.stp": (5, 18),
    "as1-tu-203.stp": (5, 18),
    "as1_pe_203.stp": (5, 18),
    "apex-robot.step": (8, 8),
    "gripper.step": (36, 144),
}


@pytest.mark.parametrize("name", COUNTS)
def test_parts_and_instances_of_real_files(tmp_path, shared, name):
    ended = run(shared / "inputs/step" / name, tmp_path / "out")
    assert ended.returncode == 0, ended.stderr
    assembly = json.loads((tmp_path / "out/assembly.json").read_text())
    assert (len(assembly["parts"]), len(assembly["instances"])) == COUNTS[name]
    record = json.loads((tmp_path / "out/import.json").read_text())
    opened = {n for n, p in record["parts"].items() if not p["closed"]}
    assert opened == ({"Component1", "Component2"} if name == "apex-robot.step" else set())


@pytest.mark.parametrize("name", ["s1-c5-214", "s1-tu-203", "s1_pe_214"])
@pytest.mark.parametrize("beside", [True, False])
def test_an_assembly_of_several_files_is_refused_by_every_path(tmp_path, shared, name, beside):
    folder = shared / "inputs/step" / name
    path = folder / f"{name}.stp"
    if not beside:
        path = shutil.copy(path, tmp_path)
    ended = run(path, tmp_path / "out")
    assert ended.returncode == 2 and not (tmp_path / "out").exists()
    assert ended.stderr.startswith("error: no-geometry: ")
    asked = ended.stderr.split("other files: ")[1].split(";")[0].split(", ")
    assert len(asked) >= 4 and all((folder / file).is_file() for file in asked)
