"""Writes a pin in a bore of its own size, each with the same number of facets, and a full turn of the pin.

Usage: pin_in_bore.py FOLDER [FACETS]: number of facets of pin and bore (32). The radius is 5 mm, and the end faces of
both parts lie in the same planes. Writes `assembly.json`, `hub.obj` and `pin.obj`.
"""

import json
import sys
from math import cos, pi, sin
from pathlib import Path

RADIUS = 5.0
"""Radius of pin and bore (mm)."""


def circle(facets: int, radius: float, height: float) -> list:
    """Vertices of a regular polygon (mm)."""
    angles = [2.0 * pi * k / facets for k in range(facets)]
    return [[radius * cos(a), radius * sin(a), height] for a in angles]


def obj(vertices: list, faces: list) -> str:
    """Text of an OBJ file; faces count vertices from 0."""
    lines = ["v " + " ".join(map(repr, v)) for v in vertices] + ["f " + " ".join(str(i + 1) for i in f) for f in faces]
    return "\n".join(lines) + "\n"


def side(facets: int, low: int, high: int) -> list:
    """Quadrilaterals between two polygons, seen from outside; `low` and `high` are their first vertices."""
    pairs = [(k, (k + 1) % facets) for k in range(facets)]
    return [[low + k, low + j, high + j, high + k] for k, j in pairs]


def main() -> None:
    folder = Path(sys.argv[1])
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 32
    pin = circle(n, RADIUS, -10.0) + circle(n, RADIUS, 10.0)
    caps = [list(reversed(range(n))), list(range(n, 2 * n))]
    rings = [(8.0, -10.0), (8.0, 10.0), (RADIUS, 10.0), (RADIUS, -10.0)]
    hub = [vertex for radius, height in rings for vertex in circle(n, radius, height)]
    walls = [face for k in range(4) for face in side(n, k * n, (k + 1) % 4 * n)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pin.obj").write_text(obj(pin, side(n, 0, n) + caps))
    (folder / "hub.obj").write_text(obj(hub, walls))
    turn = {"type": "revolute", "axis": "z", "at": [0, 0, 0], "moves": ["pin"], "range_deg": "full"}
    assembly = {
        "version": 1,
        "parts": {name: f"{name}.obj" for name in ("hub", "pin")},
        "instances": [{"id": name, "part": name} for name in ("hub", "pin")],
        "joints": {"turn": turn},
        "sweeps": {"turn": {"joints": {"turn": "range"}}},
    }
    (folder / "assembly.json").write_text(json.dumps(assembly, indent=1) + "\n")


if __name__ == "__main__":
    main()
