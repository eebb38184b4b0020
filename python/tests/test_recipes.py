"""Runs the recipes as they lie in `recipes`, each in an environment of its own, and checks what they write.

`environments.sh FOLDER` makes the environments; INTERFERE_CAD_ENVIRONMENTS=FOLDER names them. FreeCAD is the program on
`PATH`.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.no_kernel
RECIPES = ROOT / "python/recipes"


def environment(name):
    """Python of an environment; skips without it."""
    folder = os.environ.get("INTERFERE_CAD_ENVIRONMENTS")
    python = Path(folder or "") / name / "bin/python"
    if not folder or not python.is_file():
        pytest.skip(f"no environment {name}: set INTERFERE_CAD_ENVIRONMENTS (tests/environments.sh)")
    return str(python)


def ended(*command, **variables):
    """Runs a command without input; returns the result after exit code 0."""
    env = {**os.environ, **variables}
    run = subprocess.run(command, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run


def check_two_pins(program, assembly):
    """Asserts two failing pairs of 0.0499 mm; the depths of a report are accurate to 1 %."""
    command = [program, "check", str(assembly), "--format", "json", "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stderr
    pairs = json.loads(run.stdout)["pairs"]
    assert [(p["a"], p["b"], p["status"]) for p in pairs] == [
        ("pin-left", "plate", "interference"),
        ("pin-right", "plate", "interference"),
    ]
    assert [p["overlap_depth"] for p in pairs] == pytest.approx([0.0499, 0.0499], rel=0.02)


def placements(folder):
    content = json.loads((folder / "assembly.json").read_text())
    assert len(content["parts"]) == 2
    return {i["id"]: [x for row in i["placement"]["matrix"] for x in row] for i in content["instances"]}


EXPECTED = {
    "plate": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
    "pin-left": [1, 0, 0, -10, 0, 1, 0, 0, 0, 0, 1, -10],
    "pin-right": [1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, -10],
}


@pytest.mark.parametrize("name", ["cadquery", "build123d"])
def test_code_cad_recipes_write_one_design(tmp_path, program, name):
    ended(environment(name), str(RECIPES / f"{name}_plate.py"), str(tmp_path / "design"))
    assert placements(tmp_path / "design") == EXPECTED
    check_two_pins(program, tmp_path / "design/assembly.json")


@pytest.mark.parametrize("name", ["cadquery", "build123d"])
def test_check_in_python_gives_the_same_answer(program, name):
    code = (
        f"import {name}_plate as recipe; from interfere_cad import check; "
        "print([str(p) for p in check(recipe.assembly, tolerance=0.02).fails])"
    )
    run = ended(environment(name), "-c", code, PYTHONPATH=str(RECIPES), INTERFERE=program)
    assert run.stdout.count("interference, 0.049") == 2


def test_gltf_of_cadquery_has_a_doubtful_unit(tmp_path, program):
    """CadQuery writes the numbers of millimetres as metres."""
    glb, metres, design = tmp_path / "plate.glb", tmp_path / "metres", tmp_path / "design"
    code = f"import cadquery_plate as recipe; recipe.assembly.export({str(glb)!r})"
    ended(environment("cadquery"), "-c", code, PYTHONPATH=str(RECIPES))
    told = ended(program, "import", str(glb), "-o", str(metres)).stderr
    assert "[unit-doubtful]" in told and "--units mm" in told
    assert ended(program, "import", str(glb), "-o", str(design), "--units", "mm").stderr == ""
    check_two_pins(program, design / "assembly.json")


def test_freecad_recipe_writes_step_with_links(tmp_path, program):
    freecad = shutil.which("freecadcmd") or shutil.which("FreeCADCmd")
    if not freecad:
        pytest.skip("FreeCAD is absent")
    document, step = tmp_path / "design.FCStd", tmp_path / "design.step"
    ended(freecad, str(ROOT / "python/tests/freecad_document.py"), FREECAD_OUT=str(document))
    ended(freecad, str(RECIPES / "freecad_export.py"), FREECAD_IN=str(document), FREECAD_OUT=str(step))
    ended(environment("occt"), "-m", "interfere_cad", str(step), str(tmp_path / "design"))
    found = placements(tmp_path / "design")
    assert found.keys() == EXPECTED.keys()
    for name, matrix in EXPECTED.items():
        assert found[name] == pytest.approx(matrix, abs=1e-9)
    check_two_pins(program, tmp_path / "design/assembly.json")
