"""Joins an imported folder with the truth of a case: judge.py then judges the import.

    with_truth.py CASE FOLDER OUT

Writes OUT/assembly.json (the import) and OUT/truth.json (the truth of CASE under the ids of the import). Instances
belong together whose placed boxes differ least; both sides must have the same number.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np


def vertices(path):
    if path.suffix == ".obj":
        return np.array([line.split()[1:4] for line in path.read_text().splitlines() if line.startswith("v ")], float)
    rows = np.frombuffer(path.read_bytes(), [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")], offset=84)
    return rows["v"].astype(float).reshape(-1, 3)


def boxes(folder):
    assembly = json.loads((folder / "assembly.json").read_text())
    parts = {name: vertices(folder / part["mesh"]) for name, part in assembly["parts"].items()}
    found = {}
    for instance in assembly["instances"]:
        matrix = np.array(instance.get("placement", {}).get("matrix", np.eye(4)))
        points = parts[instance["part"]] @ matrix[:3, :3].T + matrix[:3, 3]
        found[instance["id"]] = np.concatenate([points.min(0), points.max(0)])
    return found


def main(case, folder, out):
    theirs, ours = boxes(case), boxes(folder)
    if len(theirs) != len(ours):
        raise SystemExit(f"{len(theirs)} instances in {case}, {len(ours)} in {folder}")
    ids, places = list(ours), np.array(list(ours.values()))
    taken, mapped, worst = set(), {}, 0.0
    for name, box in theirs.items():
        away = np.abs(places - box).max(axis=1)
        index = next(i for i in np.argsort(away, kind="stable") if i not in taken)
        taken.add(index)
        mapped[name] = ids[index]
        worst = max(worst, float(away[index]))
    truth = json.loads((case / "truth.json").read_text())
    for pair in truth["pairs"]:
        pair["a"], pair["b"] = mapped[pair["a"]], mapped[pair["b"]]
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(folder, out)
    (out / "truth.json").write_text(json.dumps(truth))
    print(f"{out.name}: {len(mapped)} instances, boxes differ by at most {worst:.3g} mm")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
