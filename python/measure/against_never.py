"""Compares `interfere never` with random configurations by Coal.

Usage: against_never.py INTERFERE ROBOT… [--configurations N] [--seed S]; needs coal and numpy. Takes N random
configurations of all joints within their limits. A pair with the verdict `never` that comes within its clearance at one
of them is a contradiction; so is a pair that `meets` at a configuration where the meshes are apart and neither can lie in
the other. Prints a line for each robot: CPU time (s), verdicts, configurations, contradictions; then each undecided pair
with a configuration at which its meshes meet, if the samples found one. Exit code 1 with a contradiction.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from against_coal import ROUNDING, Robot, closer, distance, placed


def answered(tool: str, folder: Path) -> tuple[dict, float]:
    """Returns the answer of `never`, and its CPU time (s)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [tool, "never", str(folder), "--format", "json", "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(tool: str, folder: Path, configurations: int, rng) -> int:
    """Compares one robot; prints a line. Returns the number of contradictions."""
    answer, cpu = answered(tool, folder)
    robot = Robot(folder)
    index = {name: k for k, name in enumerate(robot.instances)}
    pair = lambda p: (index[p["a"]], index[p["b"]])
    wrong = 0
    for p in (p for p in answer["pairs"] if p["verdict"] == "meets"):
        poses = [placed(m) for m in robot.poses(p["at"])]
        if distance(robot, pair(p), poses) > ROUNDING:
            # One part may lie in the other there; a person must look.
            print(f"  {p['a']} {p['b']}: the meshes are apart at {p['at']}")
            wrong += 1
    limit = lambda p: max((p["clearance"] or 0) * robot.scale - ROUNDING, 0.0)
    asked = [(p, limit(p)) for p in answer["pairs"] if p["verdict"] in ("never", "undecided")]
    met = {}
    for _ in range(configurations):
        values = {name: rng.uniform(*ends) for name, ends in answer["joints"].items()}
        poses = [placed(m) for m in robot.poses(values)]
        for p, clearance in asked:
            name = (p["a"], p["b"])
            if name not in met and closer(robot, pair(p), poses, clearance):
                if distance(robot, pair(p), poses) <= clearance:
                    met[name] = values
                    wrong += p["verdict"] == "never"
    counts = Counter(p["verdict"] for p in answer["pairs"])
    print(f"{folder.name}: {cpu:.1f} s, {dict(counts)}, {configurations} configurations, {wrong} contradictions", flush=True)
    for p, _ in asked:
        name = (p["a"], p["b"])
        if p["verdict"] == "undecided" or name in met:
            print(f"  {p['verdict']} {name}: {met.get(name, 'apart at all of them')}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("robots", nargs="+", type=Path)
    parser.add_argument("--configurations", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    wrong = 0
    for robot in args.robots:
        with tempfile.TemporaryDirectory() as out:
            folder = Path(out) / robot.stem
            command = [args.tool, "import", str(robot), "-o", str(folder), "--allow-outside"]
            subprocess.run(command, check=True, capture_output=True)
            wrong += compare(args.tool, folder, args.configurations, rng)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
