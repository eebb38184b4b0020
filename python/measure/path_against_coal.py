"""Compares the proof of a path of the UR5 with samples of the same path by Coal, at equal certainty.

Usage: path_against_coal.py INTERFERE UR5_URDF [--samples N] [--seed S] [--keep DIR]; needs coal and numpy. Imports the
robot and replaces its sweeps by one path that moves all six joints. All pairs of links that no rule ignores take part.

Three questions, each to `interfere check --threads 1 --run path` (CPU time of whole processes) and to Coal:

- apart: does every pair stay apart? One run with `--measure none`, one by default. Coal: `collide` with a margin of
  0.05 mm.
- least gap to 0.05 mm, for every pair. `interfere`: one run with `--report-within 10m --gap-width 0.05mm`; for
  comparison one without `--gap-width`, which brackets the gaps to 1 %. Coal: `distance`.
- least gap known: does any pair come nearer than its bracket? `interfere`: a run with a rule `min_clearance` for every
  pair, at the lower end of its bracket. Coal: `distance`; `collide` with a margin of some 100 mm takes it longer.

Coal samples the path so densely that between two samples no point of one link moves by more than 0.1 mm against the
other link; each sample stands for the 0.05 mm around it. The bound is one number for a link: for each joint between the
two links, its angle times the farthest any vertex of the link can be from it. The sum over the joints is the travel;
the lesser travel of the two links counts.

The third question goes to an adaptive check as well (Schwarzer, Saha & Latombe, "Adaptive dynamic collision checking",
2005): a distance by Coal in the middle of an interval, less the same bound of the travel, proves the values around it;
what remains on both sides follows, down to a travel of LEAST_TRAVEL. It runs the whole path.

Samples of the whole path take Coal minutes. So Coal runs N samples of each pair, at random from its steps, and the time
is scaled by the number of steps; poses are computed before the clock starts. A contradiction is a sample nearer than a
certified lower bound of `interfere`. Prints a line for each pair, then the times, the ratios, and the number of
contradictions. Exit code 1 with a contradiction, with a bracket wider than 0.05 mm, or if `interfere` does not prove all
pairs clear.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import coal
import numpy as np

from against_coal import ROUNDING, Robot, placed, triangles
from placed import MM

JOINTS = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]

PATH = [
    [0, -60, 80, -100, -90, 0],
    [50, -100, 110, -130, -60, 60],
    [110, -45, 50, -60, -120, -30],
    [60, -80, 100, -150, -80, 90],
]
"""Configurations of the path (degrees)."""

TRAVEL = 0.1
"""Largest motion of a point between two samples (mm)."""

LEAST_TRAVEL = 0.001
"""Motion of a point within an interval that the adaptive check divides no further (mm)."""


def imported(tool: str, urdf: Path, folder: Path) -> None:
    """Imports the robot, and replaces its sweeps by the path."""
    subprocess.run([tool, "import", str(urdf), "-o", str(folder), "--allow-outside"], check=True, capture_output=True)
    file = folder / "assembly.json"
    assembly = json.loads(file.read_text())
    assembly["sweeps"] = {"path": {"path": [dict(zip(JOINTS, values)) for values in PATH]}}
    file.write_text(json.dumps(assembly))


def checked(tool: str, folder: Path, options: list[str]) -> tuple[dict, float]:
    """Returns the report of the path and the CPU time of the process (s)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [tool, "check", str(folder), "--run", "path", "--threads", "1", "--no-cache", "--format", "json"]
    command += options
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Links:
    """The links with their vertices as drawn (mm), for bounds of their travel."""

    def __init__(self, robot: Robot, folder: Path):
        self.robot = robot
        unit = robot.file.get("units", "mm")
        self.points = []
        for instance, drawn in zip(robot.file["instances"], robot.drawn):
            part = robot.file["parts"][instance["part"]]
            own = triangles(folder / part["mesh"])[0] * MM[part.get("units", unit)]
            self.points.append(own @ drawn[:3, :3].T + drawn[:3, 3])

    def joints(self, instance: int) -> list[str]:
        """Returns the joints that carry a link, the nearest one first."""
        out, name = [], self.robot.moved_by.get(self.robot.instances[instance])
        while name:
            out.append(name)
            name = self.robot.joints[name].get("on")
        return out

    def reach(self, instance: int, order: list[str]) -> dict[str, float]:
        """Returns how far a vertex of a link can be from each joint; `order` leads from the link to the other one."""
        at = [np.asarray(self.robot.joints[j]["at"], float) * self.robot.scale for j in order]
        far = np.linalg.norm(self.points[instance] - at[0], axis=1).max()
        out = {order[0]: far}
        for name, here, there in zip(order[1:], at, at[1:]):
            far += np.linalg.norm(there - here)
            out[name] = far
        return out

    def steps(self, pair: tuple[int, int]) -> list[int]:
        """Returns the number of samples of a pair in each segment."""
        return [max(1, int(np.ceil(travel / TRAVEL))) for travel in self.travels(pair)]

    def travels(self, pair: tuple[int, int]) -> list[float]:
        """Bounds the motion of a pair in each segment (mm). In a chain, one link carries the other."""
        a, b = (self.joints(i) for i in pair)
        between = [j for j in (a if len(a) > len(b) else b) if (j in a) != (j in b)]
        outer, inner = (0, 1) if len(a) > len(b) else (1, 0)
        reaches = self.reach(pair[outer], between), self.reach(pair[inner], between[::-1])
        out = []
        for start, end in zip(PATH, PATH[1:]):
            angles = {j: abs(np.radians(y - x)) for j, x, y in zip(JOINTS, start, end)}
            out.append(min(sum(angles[j] * far for j, far in reach.items()) for reach in reaches))
        return out


def at_step(steps: list[int], step: int) -> dict[str, float]:
    """Returns the joint values at the middle of a step of the path."""
    segment = 0
    while step >= steps[segment]:
        step -= steps[segment]
        segment += 1
    return at_share(segment, (step + 0.5) / steps[segment])


def at_share(segment: int, share: float) -> dict[str, float]:
    """Returns the joint values after a share of a segment of the path."""
    start, end = np.array(PATH[segment], float), np.array(PATH[segment + 1], float)
    return dict(zip(JOINTS, (start + share * (end - start)).tolist()))


def sampled(robot: Robot, pair: tuple[int, int], poses: list, margin: float | None) -> tuple[list, float]:
    """Returns distances by Coal at the poses of a pair, or contacts with a margin (mm), and the CPU time (s)."""
    a, b = (robot.meshes[i] for i in pair)
    ask = coal.CollisionRequest()
    start = time.process_time()
    if margin is None:
        out = [coal.distance(a, x, b, y, coal.DistanceRequest(), coal.DistanceResult()) for x, y in poses]
    else:
        ask.security_margin = margin
        out = [coal.collide(a, x, b, y, ask, coal.CollisionResult()) for x, y in poses]
    return out, time.process_time() - start


def adaptive(robot: Robot, links: Links, pair: tuple[int, int], least: float) -> tuple[int, int, float]:
    """Proves that a pair keeps a distance along the path (mm).

    Returns the number of queries, the number of intervals left open, and the CPU time (s).
    """
    queries, left, spent = 0, 0, 0.0
    for segment, travel in enumerate(links.travels(pair)):
        open_parts = [(0.0, 1.0)]
        while open_parts:
            start, end = open_parts.pop()
            middle = (start + end) / 2
            poses = robot.poses(at_share(segment, middle))
            (distance,), own = sampled(robot, pair, [tuple(placed(poses[i]) for i in pair)], None)
            queries, spent = queries + 1, spent + own
            shown = max(distance - least, 0.0) / travel
            rest = [(start, middle - shown), (middle + shown, end)]
            small = (end - start) * travel <= LEAST_TRAVEL
            left += small and shown < (end - start) / 2
            open_parts += [] if small else [(x, y) for x, y in rest if x < y]
    return queries, left, spent


def brackets(robot: Robot, report: dict) -> dict:
    """Returns the certified bracket of the least gap of each listed pair (mm)."""
    rows = [(r, (r["worst"] or {}).get("gap_bracket")) for r in report["motion"]["rows"]]
    return {(r["a"], r["b"]): np.array(b, float) * robot.scale for r, b in rows if b and None not in b}


def ruled(tool: str, folder: Path, asked: dict) -> tuple[dict, float]:
    """Returns the report of the path with a least gap for each pair (mm), and the CPU time (s)."""
    file = folder / "assembly.json"
    original = file.read_text()
    assembly = json.loads(original)
    rules = [{"between": [*pair], "min_clearance": f"{gap:.12f} mm"} for pair, gap in asked.items()]
    file.write_text(json.dumps({**assembly, "rules": rules + assembly["rules"]}))
    out = checked(tool, folder, [])
    file.write_text(original)
    return out


def kept(tool: str, folder: Path, found: dict, slack: float) -> float:
    """Proves the lower end of each bracket with a rule; a proof grants `slack` to a rule (mm). Returns the CPU time (s)."""
    report, own = ruled(tool, folder, {pair: ends[0] + slack for pair, ends in found.items()})
    counts = report["motion"]["runs"][0]["counts"]
    if counts["clear"] != len(found):
        raise RuntimeError(str(counts))
    return own


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("urdf", type=Path)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary) / "robot"
        imported(args.tool, args.urdf, folder)
        robot = Robot(folder)
        links = Links(robot, folder)
        silent, time_silent = checked(args.tool, folder, ["--measure", "none"])
        default, time_default = checked(args.tool, folder, [])
        listed, time_listed = checked(args.tool, folder, ["--report-within", "10m"])
        wide = brackets(robot, listed)
        asked = ["--report-within", "10m", "--gap-width", f"{TRAVEL / 2}mm"]
        closer, time_closer = checked(args.tool, folder, asked)
        narrow = brackets(robot, closer)
        widest = max(high - low for low, high in narrow.values())
        slack = closer["motion"]["runs"][0]["margin"] * robot.scale
        time_kept = kept(args.tool, folder, narrow, slack)
    pairs = sorted({pair for joint in JOINTS for pair in robot.moving(joint)})
    runs = [r["motion"]["runs"][0] for r in (silent, default, listed, closer)]
    clear = all(r["counts"]["clear"] == len(pairs) for r in runs) and len(narrow) == len(pairs)
    narrows = widest <= TRAVEL / 2 * (1 + 1e-9)
    cost = {"apart": 0.0, "least gap": 0.0}
    total = wrong = tests = 0
    queries, left, time_adaptive = 0, 0, 0.0
    for pair in pairs:
        steps = links.steps(pair)
        count = sum(steps)
        chosen = rng.choice(count, min(args.samples, count), replace=False)
        poses = [robot.poses(at_step(steps, int(s))) for s in chosen]
        poses = [tuple(placed(p[i]) for i in pair) for p in poses]
        names = tuple(sorted(robot.instances[i] for i in pair))
        low, high = narrow[names]
        spent, distances = [], []
        for question, margin in zip(cost, (TRAVEL / 2, None)):
            answers, own = sampled(robot, pair, poses, margin)
            distances = answers if margin is None else distances
            spent.append(own / len(chosen))
            cost[question] += spent[-1] * count
        below = sum(d < max(low, wide[names][0]) - ROUNDING for d in distances)
        total, tests, wrong = total + count, tests + len(chosen), wrong + below
        of_pair = adaptive(robot, links, pair, low)
        queries, left, time_adaptive = queries + of_pair[0], left + of_pair[1], time_adaptive + of_pair[2]
        print(
            f"{' '.join(names)}: {count} steps, {len(chosen)} sampled, least {min(distances):.4f} mm, bracket "
            f"{wide[names][0]:.4f} to {wide[names][1]:.4f}, narrowed {low:.4f} to {high:.4f} mm, {below} below; "
            f"us a query: {', '.join(f'{s * 1e6:.0f}' for s in spent)}",
            flush=True,
        )
    print(f"{len(pairs)} pairs, all clear: {clear}; widest bracket {widest:.6f} mm")
    print(f"{total} steps, {tests} sampled, {wrong} contradictions")
    cost["least gap known"] = cost["least gap"]
    own = {
        "apart": {"--measure none": time_silent, "default": time_default},
        "least gap": {"--gap-width 0.05mm": time_closer, "to 1 %": time_listed},
        "least gap known": {"rules": time_kept},
    }
    for question, seconds in cost.items():
        print(f"{question}: Coal {seconds:.1f} s for all steps, scaled from the samples")
        for name, mine in own[question].items():
            print(f"  interfere, {name}: {mine:.3f} s, 1/{seconds / mine:.0f}")
    print(f"least gap known: adaptive check by Coal {time_adaptive:.2f} s, {queries} queries, {left} intervals left open")
    print(f"  interfere, rules: {time_kept:.3f} s, {time_kept / time_adaptive:.2f} times as much")
    return int(wrong > 0 or not clear or not narrows)


if __name__ == "__main__":
    sys.exit(main())
