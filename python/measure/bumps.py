"""Writes pairs of plates that touch all over their faces and overlap in a few small bumps.

Usage: bumps.py FOLDER SEED [PAIRS]: seed of the random numbers, and number of pairs (20). Writes `assembly.json` and an
OBJ file for each plate. The same arguments write the same bytes.
"""

import json
import random
import sys
from math import hypot
from pathlib import Path

SIZE = 10.0
"""Length of the sides of a plate (mm)."""

DISTANCE = 40.0
"""Distance of neighbouring pairs (mm)."""


def bumps(chance: random.Random, cells: int, count: int, height: float) -> list:
    """Heights over a square grid (mm): discs, caps, rings or bars on a plane."""
    kind = chance.randrange(4)
    step = SIZE / cells
    heights = [[0.0] * (cells + 1) for _ in range(cells + 1)]
    for _ in range(count):
        x, y = (chance.uniform(0.15, 0.85) * SIZE for _ in range(2))
        radius, top = chance.uniform(0.02, 0.09) * SIZE, chance.uniform(0.2, 1.0) * height
        for i, row in enumerate(heights):
            for j in range(len(row)):
                dx, dy = i * step - x, j * step - y
                away = hypot(dx, dy)
                share = (
                    float(away < radius),
                    max(0.0, 1.0 - (away / radius) ** 2),
                    float(abs(away - radius) < 0.03 * SIZE),
                    float(abs(dx) < radius and abs(dy) < 0.4 * radius),
                )[kind]
                row[j] = max(row[j], top * share)
    return heights


def plate(chance: random.Random, heights: list, base: float) -> str:
    """The solid between heights over a grid and a plane at `base` (mm), as an OBJ file."""
    n = len(heights)
    step = SIZE / (n - 1)
    lines = [f"v {i * step!r} {j * step!r} {heights[i][j]!r}" for i in range(n) for j in range(n)]
    lines += [f"v {i * step!r} {j * step!r} {base!r}" for i in range(n) for j in range(n)]
    faces = []
    for i in range(n - 1):
        for j in range(n - 1):
            a, b, c, d = (i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1)
            faces += [[a, b, c], [a, c, d]] if chance.random() < 0.5 else [[a, b, d], [b, c, d]]
            faces += [[v + n * n for v in face] for face in ([a, c, b], [a, d, c])]
    rim = [i * n for i in range(n)] + [(n - 1) * n + j for j in range(1, n)]
    rim += [i * n + n - 1 for i in range(n - 2, -1, -1)] + list(range(n - 2, 0, -1))
    for a, b in zip(rim, rim[1:] + rim[:1]):
        faces += [[a, a + n * n, b + n * n], [a, b + n * n, b]]
    if base > heights[0][0]:
        faces = [[a, c, b] for a, b, c in faces]
    return "\n".join(lines + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]) + "\n"


def placement(chance: random.Random, x: float) -> dict:
    """A place on the other plate, perhaps moved, pressed in and tilted a little."""
    shift = [0.0, 0.0] if chance.random() < 0.4 else [chance.uniform(-1.0, 1.0) for _ in range(2)]
    press = 0.0 if chance.random() < 0.8 else -(10.0 ** chance.uniform(-4.0, -1.0))
    placed: dict = {"translation": [x + shift[0], shift[1], press]}
    turn = chance.randrange(3)
    if turn == 1:
        placed["rotation"] = {"axis": "z", "angle_deg": chance.uniform(-20.0, 20.0)}
    elif turn == 2:
        axis = [chance.gauss(0.0, 1.0) for _ in range(3)]
        placed["rotation"] = {"axis": axis, "angle_deg": chance.uniform(-0.05, 0.05)}
    return placed


def main() -> None:
    folder, chance = Path(sys.argv[1]), random.Random(int(sys.argv[2]))
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    folder.mkdir(parents=True, exist_ok=True)
    instances = []
    for k in range(pairs):
        cells, height = chance.randrange(20, 64), 10.0 ** chance.uniform(-2.0, 0.2)
        lower = bumps(chance, cells, chance.randrange(1, 4), height)
        upper = [[-z for z in row] for row in bumps(chance, cells, chance.randrange(3), height)]
        (folder / f"lower-{k}.obj").write_text(plate(chance, lower, -3.0))
        (folder / f"upper-{k}.obj").write_text(plate(chance, upper, 3.0))
        instances.append({"id": f"lower-{k}", "part": f"lower-{k}", "placement": {"translation": [DISTANCE * k, 0, 0]}})
        instances.append({"id": f"upper-{k}", "part": f"upper-{k}", "placement": placement(chance, DISTANCE * k)})
    parts = {instance["part"]: instance["part"] + ".obj" for instance in instances}
    assembly = {"version": 1, "units": "mm", "parts": parts, "instances": instances}
    (folder / "assembly.json").write_text(json.dumps(assembly, indent=1) + "\n")


if __name__ == "__main__":
    main()
