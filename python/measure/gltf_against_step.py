"""Compares the check of a glTF file by build123d with that of its STEP file.

Usage: gltf_against_step.py INTERFERE STEP; needs build123d and scipy, and interfere-cad in the same
environment. build123d writes
one mesh for all solids of a leaf, so each solid becomes a child of its own here. Solids are matched by
their boxes. Prints the number of pairs and the greatest difference of a depth (mm); exit 1 for different pairs or
statuses.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from build123d import Compound, Unit, export_gltf, import_step
from scipy.optimize import linear_sum_assignment

from placed import MM, matrix, points


def solids(step: Path, glb: Path) -> int:
    """Writes the placed solids of a STEP file as a GLB file, each one a node; returns their number."""
    found = import_step(step).solids()
    for number, solid in enumerate(found):
        solid.label = f"solid{number}"
    export_gltf(Compound(children=found), str(glb), unit=Unit.MM, binary=True, linear_deflection=0.02, angular_deflection=0.1)
    return len(found)


def checked(program: str, source: Path, folder: Path) -> tuple[dict, dict]:
    """Imports and checks a file; returns the box of each instance, and the status and depth of each pair."""
    cad = str(Path(sys.executable).parent / "interfere-cad")
    env = {**os.environ, "INTERFERE_CAD": cad}
    # glTF has its second axis up.
    flags = ["--up", "y"] if source.suffix == ".glb" else ["--deflection", "0.02", "--angle", "0.1"]
    command = [program, "import", str(source), "-o", str(folder), *flags]
    subprocess.run(command, env=env, check=True, capture_output=True)
    assembly = json.loads((folder / "assembly.json").read_text())
    boxes = {}
    for instance in assembly["instances"]:
        part, m = assembly["parts"][instance["part"]], matrix(instance)
        placed = points(folder / part["mesh"]) * MM[part.get("units", "mm")] @ m[:3, :3].T + m[:3, 3]
        boxes[instance["id"]] = np.concatenate([placed.min(0), placed.max(0)])
    command = [program, "check", str(folder), "--format", "json", "--fail-on", "never", "--quiet"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    pairs = {frozenset((p["a"], p["b"])): (p["status"], p.get("overlap_depth") or 0.0) for p in report["pairs"]}
    return boxes, pairs


def main(program: str, step: Path) -> int:
    work = Path(tempfile.mkdtemp())
    count = solids(step, work / "a.glb")
    here, pairs = checked(program, work / "a.glb", work / "gltf")
    there, expected = checked(program, step, work / "step")
    assert len(here) == len(there) == count, (len(here), len(there), count)
    far = [[np.abs(a - b).max() for b in there.values()] for a in here.values()]
    rows, columns = linear_sum_assignment(far)
    partner = {list(here)[k]: list(there)[l] for k, l in zip(rows, columns)}
    found = {frozenset(partner[name] for name in pair): value for pair, value in pairs.items()}
    wrong = [pair for pair in found.keys() | expected.keys() if (found.get(pair) or [0])[0] != (expected.get(pair) or [0])[0]]
    for pair in wrong:
        print(f"  {sorted(pair)}: {found.get(pair)} {expected.get(pair)}", file=sys.stderr)
    far = max((abs(found[p][1] - expected[p][1]) for p in found.keys() & expected.keys()), default=0.0)
    print(f"{count} solids, {len(expected)} pairs, {len(wrong)} different; depths at most {far:.2g} mm apart")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
