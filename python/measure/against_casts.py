"""Compares the first contact of a moving pair with its formula, and with the casts of FCL and parry.

Usage: against_casts.py INTERFERE [--parry CASTS] [--measure none] [--keep DIR] [--repeats N]; needs numpy and
python-fcl. CASTS is the compiled crate `python/measure/casts`. Each pair (`pairs.py`) is two small polyhedra and one
joint, and has a closed form of its first contact. Each runs as drawn, and turned and moved with the parts exchanged in
the file. Every program gets the same points. `--measure` goes to `interfere check`; `--keep` keeps the assembly files.
Each process of `interfere` and of parry runs N times (default 5), and the median of its times counts.

- `interfere`: one `check` of the sweep with one thread; its time is the CPU time of the sweep (`runs` of `--timings`).
  Its bracket `first.at_bracket` must hold the first value whose gap is the tolerance, to within the slack of a hundredth
  of it. A pair that never meets must be proved.
- FCL: `continuousCollide`, a slide as a linear motion, all else as a screw. A turn is given in legs of at most 90
  degrees, since FCL takes two poses and goes the short way between them. Two solvers: conservative advancement with
  2000 iterations, and 2000 samples a leg.
- parry: `cast_shapes_nonlinear`, the whole motion in one cast; meshes, and hulls if both parts are convex.

A contact is found if its value differs from the formula by at most 0.001 (radians, or mm for a slide). Prints a line
for each pair, then the counts and the time. Exit code 1 if `interfere` misses.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import pi
from pathlib import Path
from statistics import median

import fcl
import numpy as np

from pairs import Pair, families

TOLERANCE = 1e-4
"""Tolerance of the assembly (mm): so small that touching and first overlap agree within [`NEAR`]."""

SLACK = 0.01
"""Share of the tolerance that a sweep grants (docs/explanation/motion.md)."""

ROUNDING = 1e-9
"""Difference from the formula that counts as rounding (radians or mm)."""

NEAR = 1e-3
"""Largest difference of a found contact from the formula (radians or mm)."""

ITERATIONS = 2000
"""Iterations of FCL, and its samples a leg."""

SOLVERS = {
    "FCL advancement": fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
    "FCL samples": fcl.CCDSolverType.CCDC_NAIVE,
}

MOTIONS = {"prismatic": fcl.CCDMotionType.CCDM_LINEAR}
"""Motions of FCL other than the screw, which moves wrongly without a turn."""

UNENDED = "stopped without an answer"
"""Remark on a cast that ran out of [`PATIENCE`]."""

PATIENCE = 5.0
"""Longest time of one cast by parry (s)."""


@dataclass
class Answer:
    """The first contact by a program (radians or mm; none if it reports none), its seconds, and a remark."""

    at: float | None
    seconds: float
    remark: str = ""
    wrong: bool = False


def write_obj(file: Path, points: np.ndarray, faces: list) -> None:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    file.write_text("\n".join(lines) + "\n")


def write(pair: Pair, folder: Path) -> None:
    """Writes the meshes and the assembly file of a pair."""
    folder.mkdir(parents=True)
    write_obj(folder / "rest.obj", *pair.rest)
    write_obj(folder / "move.obj", *pair.move)
    joint = {"type": pair.kind, "axis": pair.axis.tolist(), "moves": ["move"]}
    if pair.kind == "prismatic":
        joint["range"] = [0, pair.end]
    else:
        joint |= {"at": pair.at.tolist(), "range_deg": [0, float(np.degrees(pair.end))]}
    if pair.kind == "screw":
        joint["lead"] = pair.lead
    names = ["move", "rest"] if pair.exchanged else ["rest", "move"]
    assembly = {
        "version": 1,
        "tolerance": TOLERANCE,
        "parts": {name: f"{name}.obj" for name in names},
        "instances": [{"id": name, "part": name} for name in names],
        "joints": {"joint": joint},
        "sweeps": {"sweep": {"joints": {"joint": "range"}}},
    }
    (folder / "assembly.json").write_text(json.dumps(assembly, indent=1))


def by_interfere(tool: str, options: list[str], pair: Pair, folder: Path) -> Answer:
    """Checks the sweep. `wrong` tells that the bracket does not hold the formula, or that the status is wrong."""
    command = [tool, "check", str(folder / "assembly.json"), "--run", "sweep", "--format", "json", "--threads", "1"]
    timings = folder / "timings.json"
    done = subprocess.run([*command, "--timings", str(timings), *options], capture_output=True, text=True)
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    seconds = json.loads(timings.read_text())["cpu_s"]["runs"]
    report = json.loads(done.stdout)
    rows, [run] = report["motion"]["rows"], report["motion"]["runs"]
    if pair.first is None:
        proved = run["counts"]["clear"] == run["pairs"] == 1
        return Answer(None if proved else 0.0, seconds, "clear" if proved else "not clear", not proved)
    if len(rows) != 1 or rows[0]["status"] != "interference" or not rows[0]["first"]:
        return Answer(None, seconds, rows[0]["status"] if rows else "clear", True)
    low, high = sorted(rows[0]["first"]["at_bracket"]["joint"])
    if pair.kind != "prismatic":
        low, high = np.radians(low), np.radians(high)
    held = low <= pair.first(TOLERANCE * (1 - SLACK)) + ROUNDING and pair.first(TOLERANCE) - ROUNDING <= high
    remark = f"bracket {'holds' if held else 'MISSES'}, {high - low:.0e} wide"
    return Answer((low + high) / 2, seconds, remark, not held)


def median_of(repeats: int, run: Callable[[], Answer]) -> Answer:
    """The first of some equal runs, with the median of their seconds; a run without an answer is not repeated."""
    first = run()
    if first.remark == UNENDED:
        return first
    return replace(first, seconds=median([first.seconds] + [run().seconds for _ in range(repeats - 1)]))


def bvh(mesh) -> fcl.BVHModel:
    points, faces = mesh
    model = fcl.BVHModel()
    model.beginModel(len(faces), len(points))
    model.addSubModel(points, np.array(faces))
    model.endModel()
    return model


def transform(m: np.ndarray) -> fcl.Transform:
    return fcl.Transform(m[:3, :3], m[:3, 3])


def by_fcl(pair: Pair, solver) -> Answer:
    """Casts leg by leg; the time is the CPU time of the casts, without building the trees."""
    rest, move = bvh(pair.rest), bvh(pair.move)
    legs = 1 if pair.kind == "prismatic" else int(np.ceil(pair.end / (pi / 2)))
    ask = fcl.ContinuousCollisionRequest(
        num_max_iterations=ITERATIONS,
        toc_err=NEAR / 10,
        ccd_motion_type=MOTIONS.get(pair.kind, fcl.CCDMotionType.CCDM_SCREW),
        ccd_solver_type=solver,
    )
    still = fcl.Transform()
    seconds = 0.0
    for leg in range(legs):
        start, end = pair.end * leg / legs, pair.end * (leg + 1) / legs
        a, b = fcl.CollisionObject(rest, still), fcl.CollisionObject(move, transform(pair.pose(start)))
        answer = fcl.ContinuousCollisionResult()
        begin = time.process_time()
        fcl.continuousCollide(a, still, b, transform(pair.pose(end)), ask, answer)
        seconds += time.process_time() - begin
        if answer.is_collide:
            return Answer(start + (end - start) * answer.time_of_contact, seconds)
    return Answer(None, seconds)


def by_parry(casts: str, shape: str, pair: Pair, folder: Path) -> Answer:
    """Casts the whole motion; the time is the elapsed time of the cast."""
    turn, slide = {"revolute": (1, 0), "prismatic": (0, 1), "screw": (1, pair.lead / (2 * pi))}[pair.kind]
    numbers = [*pair.axis.tolist(), *pair.at.tolist(), turn, slide, pair.end]
    command = [casts, shape, str(folder / "rest.obj"), str(folder / "move.obj"), *map(repr, map(float, numbers))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return Answer(None, PATIENCE, UNENDED)
    if done.returncode:
        return Answer(None, 0.0, "error: " + done.stderr.strip().splitlines()[-1][:60])
    at, state, seconds = done.stdout.split()
    return Answer(None if at == "none" else float(at), float(seconds), "" if state in ("-", "Converged") else state)


def judged(pair: Pair, answer: Answer) -> str:
    """Names the outcome. A pair that never meets has `right` and `false hit`."""
    if answer.remark in (UNENDED, "undecided"):
        return "no answer"
    if pair.first is None:
        return "right" if answer.at is None else "false hit"
    if answer.at is None:
        return "missed"
    difference = answer.at - pair.first(0.0)
    return "found" if abs(difference) <= NEAR else "early" if difference < 0 else "late"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--parry")
    parser.add_argument("--measure", default=[])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    outcomes: dict[str, list[str]] = {}
    seconds: dict[str, float] = {}
    both: dict[str, list[float]] = {}
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        for number, pair in enumerate(families()):
            folder = (args.keep or Path(temporary)) / f"{number:02}"
            write(pair, folder)
            options = args.measure and ["--measure", args.measure]
            asked = partial(by_interfere, args.tool, options, pair, folder)
            answers = {"interfere": median_of(args.repeats, asked)}
            answers |= {name: by_fcl(pair, solver) for name, solver in SOLVERS.items()}
            if args.parry:
                for shape in ["mesh", "hull"] if pair.convex else ["mesh"]:
                    cast = partial(by_parry, args.parry, shape, pair, folder)
                    answers["parry meshes" if shape == "mesh" else "parry hulls"] = median_of(args.repeats, cast)
            wrong += answers["interfere"].wrong
            truth = "never" if pair.first is None else f"{pair.first(0.0):.9f}"
            print(f"{pair.name}: truth {truth} {'mm' if pair.kind == 'prismatic' else 'rad'}")
            for name, answer in answers.items():
                outcome = judged(pair, answer)
                outcomes.setdefault(name, []).append(outcome)
                seconds[name] = seconds.get(name, 0.0) + answer.seconds
                if outcome in ("found", "right"):
                    spent = both.setdefault(name, [0.0, 0.0])
                    spent[0] += answer.seconds
                    spent[1] += answers["interfere"].seconds
                at = "none" if answer.at is None else f"{answer.at:.9f}"
                print(f"  {name:16} {outcome:9} {at:>13}  {answer.seconds * 1e3:9.3f} ms  {answer.remark}", flush=True)
    print()
    for name, found in outcomes.items():
        counts = ", ".join(f"{found.count(x)} {x}" for x in sorted(set(found)))
        own, ours = both.get(name, [0.0, 0.0])
        print(f"{name}: {len(found)} pairs: {counts}; {seconds[name]:.4f} s")
        print(f"  on pairs that it answers rightly {own:.4f} s, interfere there {ours:.4f} s")
    print(f"interfere: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
