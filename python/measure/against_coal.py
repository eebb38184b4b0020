"""Compares the sweeps of single joints with dense samples by Coal.

Usage: against_coal.py INTERFERE ROBOT… [--configurations N] [--seed S]; needs coal and numpy. Imports each robot (URDF,
MJCF, SDF, or an assembly folder), checks it with one thread, and samples each sweep of one joint at N configurations a
robot in all: one half evenly spread, one half at random. At each configuration, every pair that moves and is not ignored
is tested for what the report claims:

- a pair without a row, or a clear one, is farther apart than its certified lower bound (at least the tolerance less its
  hundredth);
- a pair with a row and a positive lower bound is farther apart than that;
- a pair that interferes is apart before the first failing pose, by more than the tolerance less its hundredth;
- the gap of the worst pose, if positive, is the distance of the meshes there.

Prints a line for each robot: pairs, configurations, tests, contradictions, and the largest difference of a worst pose
from the distance (mm). Exit code 1 with a contradiction.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

import coal
import numpy as np

from placed import MM, matrix, points

SLACK = 0.01
"""Share of the tolerance that a sweep grants (docs/explanation/motion.md)."""

NEAR = "20mm"
"""Clear pairs nearer than this have a bracket of their least gap in the report."""

ROUNDING = 1e-6
"""Difference between two programs that counts as none (mm)."""


def triangles(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Returns the points and the triangles of a mesh file: binary STL, OBJ, or PLY as the import writes it."""
    if file.suffix == ".obj":
        lines = [line.split() for line in file.read_text().splitlines()]
        vertices = np.array([line[1:4] for line in lines if line[:1] == ["v"]], float)
        faces = [[int(x.split("/")[0]) for x in line[1:]] for line in lines if line[:1] == ["f"]]
        fans = [[f[0], f[k], f[k + 1]] for f in faces for k in range(1, len(f) - 1)]
        return vertices, np.array([[x - 1 if x > 0 else x + len(vertices) for x in fan] for fan in fans])
    vertices = points(file)
    if file.suffix == ".stl":
        return vertices, np.arange(len(vertices)).reshape(-1, 3)
    body = file.read_bytes().partition(b"end_header\n")[2]
    row = np.dtype([("n", "u1"), ("v", "<u4", 3)])
    return vertices, np.frombuffer(body, row, offset=24 * len(vertices))["v"].astype(int)


def mesh(file: Path, unit: float):
    """Returns a mesh for Coal (mm)."""
    vertices, faces = triangles(file)
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(faces), len(vertices))
    model.addVertices(np.asfortranarray(vertices * unit))
    model.addTriangles(np.asfortranarray(faces, dtype=np.int64))
    model.endModel()
    return model


def turn(axis, at, degrees):
    """Returns the matrix of a turn about an axis through a point (mm)."""
    k = np.asarray(axis, float) / np.linalg.norm(axis)
    a = np.radians(degrees)
    cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    m = np.eye(4)
    m[:3, :3] = np.eye(3) + np.sin(a) * cross + (1 - np.cos(a)) * cross @ cross
    m[:3, 3] = np.asarray(at) - m[:3, :3] @ np.asarray(at)
    return m


def matches(pattern: str, name: str) -> bool:
    """True if a pattern of a rule, as the import writes it, stands for a name: `*`, and alternatives in braces."""
    alternatives = pattern[1:-1].split(",") if pattern.startswith("{") else [pattern]
    return any(fnmatchcase(name, alternative) for alternative in alternatives)


class Robot:
    """An assembly folder, with the pose of each instance for any joint values."""

    def __init__(self, folder: Path):
        self.file = json.loads((folder / "assembly.json").read_text())
        scale = MM[self.file.get("units", "mm")]
        self.scale = scale
        self.joints = self.file.get("joints", {})
        self.instances = [i["id"] for i in self.file["instances"]]
        self.drawn = [matrix(i) for i in self.file["instances"]]
        parts = {
            name: mesh(folder / p["mesh"], MM[p.get("units", self.file.get("units", "mm"))])
            for name, p in self.file["parts"].items()
        }
        self.meshes = [parts[i["part"]] for i in self.file["instances"]]
        self.moved_by = {i: name for name, j in self.joints.items() for i in j["moves"]}
        self.ignored = [r["between"] for r in self.file.get("rules", []) if r.get("ignore")]
        self.home = {name: j.get("home", 0.0) for name, j in self.joints.items()}

    def is_ignored(self, first: str, second: str) -> bool:
        """True if a rule ignores the pair."""
        ways = [(first, second), (second, first)]
        return any(matches(p, a) and matches(q, b) for p, q in self.ignored for a, b in ways)

    def value(self, name: str, values: dict) -> float:
        """Returns the value of a joint, through the joint that it follows."""
        follows = self.joints[name].get("follows")
        if follows:
            return follows.get("ratio", 1.0) * self.value(follows["joint"], values) + follows.get("offset", 0.0)
        return values.get(name, self.home[name])

    def motion(self, name: str, values: dict) -> np.ndarray:
        """Returns the motion of what a joint carries, from the drawing (mm)."""
        joint = self.joints[name]
        by = self.value(name, values) - self.home[name]
        axis = joint["axis"]
        if joint["type"] == "fixed":
            own = np.eye(4)
        elif joint["type"] == "revolute":
            own = turn(axis, np.asarray(joint["at"], float) * self.scale, by)
        elif joint["type"] == "prismatic":
            own = np.eye(4)
            own[:3, 3] = np.asarray(axis, float) / np.linalg.norm(axis) * by * self.scale
        else:
            raise ValueError(f"joint {name}: {joint['type']}")
        return self.motion(joint["on"], values) @ own if "on" in joint else own

    def poses(self, values: dict) -> list[np.ndarray]:
        """Returns the pose of each instance (mm)."""
        motions = {None: np.eye(4), **{name: self.motion(name, values) for name in self.joints}}
        return [motions[self.moved_by.get(i)] @ m for i, m in zip(self.instances, self.drawn)]

    def chain(self, instance: int) -> set[str]:
        """Returns the joints that carry an instance, those that they follow in place of followers."""
        out, name = set(), self.moved_by.get(self.instances[instance])
        while name:
            leader = name
            while "follows" in self.joints[leader]:
                leader = self.joints[leader]["follows"]["joint"]
            out ^= {(leader, name)}
            name = self.joints[name].get("on")
        return out

    def moving(self, joint: str) -> list[tuple[int, int]]:
        """Returns the pairs that a joint moves against each other and no rule ignores."""
        n = len(self.instances)
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        between = lambda i, j: {leader for leader, _ in self.chain(i) ^ self.chain(j)}
        ignored = lambda i, j: self.is_ignored(self.instances[i], self.instances[j])
        return [(i, j) for i, j in pairs if joint in between(i, j) and not ignored(i, j)]


def placed(m: np.ndarray):
    """Returns a pose for Coal."""
    return coal.Transform3s(np.asfortranarray(m[:3, :3]), m[:3, 3].copy())


def closer(robot: Robot, pair: tuple[int, int], poses: list, limit: float) -> bool:
    """True if the meshes of a pair come within a distance (mm)."""
    i, j = pair
    ask = coal.CollisionRequest()
    ask.security_margin = limit
    answer = coal.CollisionResult()
    return bool(coal.collide(robot.meshes[i], poses[i], robot.meshes[j], poses[j], ask, answer))


def distance(robot: Robot, pair: tuple[int, int], poses: list) -> float:
    """Returns the distance of the meshes of a pair (mm); at most 0 if they meet."""
    i, j = pair
    ask, answer = coal.DistanceRequest(), coal.DistanceResult()
    return coal.distance(robot.meshes[i], poses[i], robot.meshes[j], poses[j], ask, answer)


def checked(tool: str, folder: Path) -> dict:
    """Returns the JSON report of an assembly, with the least gap of each clear pair within [`NEAR`]."""
    command = [tool, "check", str(folder), "--format", "json", "--threads", "1", "--report-within", NEAR]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def claims(robot: Robot, joint: str, rows: list[dict], tolerance: float) -> list:
    """Returns the claims of a run: pair, least distance (mm), and the ranges of the joint where it holds."""
    named = {frozenset((r["a"], r["b"])): r for r in rows}
    least = tolerance * (1 - SLACK)
    everywhere = [(-np.inf, np.inf)]
    out = []
    for pair in robot.moving(joint):
        row = named.get(frozenset((robot.instances[pair[0]], robot.instances[pair[1]])))
        if row is None:
            out.append((pair, least, everywhere))
            continue
        bracket = (row.get("worst") or {}).get("gap_bracket")
        lower = bracket[0] * robot.scale if bracket else -np.inf
        if lower > 0 and row["status"] != "loose":
            out.append((pair, lower, everywhere))
        elif row["status"] == "interference" and row.get("first"):
            start = row["first"]["at_bracket"][joint]
            out.append((pair, least, [(-np.inf, min(start))]))
    return out


def worst_poses(robot: Robot, rows: list[dict]) -> float:
    """Returns the largest difference of a positive worst gap from the distance of the meshes at its pose (mm)."""
    out = 0.0
    index = {name: k for k, name in enumerate(robot.instances)}
    for row in rows:
        worst = row.get("worst")
        if worst and worst.get("gap") is not None and worst["gap"] > 0:
            poses = [placed(m) for m in robot.poses(worst["at"])]
            found = distance(robot, (index[row["a"]], index[row["b"]]), poses)
            out = max(out, abs(found - worst["gap"] * robot.scale))
    return out


def samples(count: int, ends: list[float], rng) -> np.ndarray:
    """Returns values of a joint: one half evenly spread, one half at random."""
    return np.concatenate([np.linspace(*ends, count - count // 2), rng.uniform(*ends, count // 2)])


def compare(tool: str, folder: Path, configurations: int, rng) -> int:
    """Compares one robot; prints a line. Returns the number of contradictions."""
    report = checked(tool, folder)
    robot = Robot(folder)
    tolerance = report["settings"]["tolerance"] * robot.scale
    motion = report["motion"]
    runs = [r for r in motion["runs"] if len(r["joints"]) == 1]
    per_run = -(-configurations // max(len(runs), 1))
    tests = wrong = pairs = sampled = 0
    for run in runs:
        [(joint, ends)] = run["joints"].items()
        rows = [r for r in motion["rows"] if r["run"] == run["name"]]
        asked = claims(robot, joint, rows, tolerance)
        pairs += len(asked)
        for value in samples(per_run, ends, rng):
            sampled += 1
            poses = [placed(m) for m in robot.poses({joint: value})]
            for pair, least, ranges in asked:
                if not any(x <= value < y for x, y in ranges):
                    continue
                tests += 1
                if closer(robot, pair, poses, least - ROUNDING) and distance(robot, pair, poses) < least - ROUNDING:
                    wrong += 1
                    names = [robot.instances[k] for k in pair]
                    print(f"  {run['name']} {names} at {value}: {distance(robot, pair, poses)} < {least}")
    difference = worst_poses(robot, [r for r in motion["rows"] if r["run"] in {x["name"] for x in runs}])
    count = lambda status: sum(r["status"] == status for r in motion["rows"])
    print(
        f"{folder.name}: {len(runs)} joints, {pairs} pairs with a claim, {count('interference')} interfere, "
        f"{count('undecided')} undecided, {count('clear')} clear with a bracket; {sampled} configurations, {tests} tests, "
        f"{wrong} contradictions, worst poses within {difference:.1e} mm",
        flush=True,
    )
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("robots", nargs="+", type=Path)
    parser.add_argument("--configurations", type=int, default=125_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    wrong = 0
    for robot in args.robots:
        with tempfile.TemporaryDirectory() as out:
            folder = robot
            if robot.is_file():
                folder = Path(out) / robot.stem
                command = [args.tool, "import", str(robot), "-o", str(folder), "--allow-outside"]
                subprocess.run(command, check=True, capture_output=True)
            wrong += compare(args.tool, folder, args.configurations, rng)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
