"""Writes a pin in a bore of its own radius, and a full turn of the pin.

The radius is 5 mm, and the end faces of both parts lie in the same planes. Writes `assembly.json`, `hub.obj` and
`pin.obj`.
"""

import argparse
import json
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("facets", type=int, nargs="?", default=32, help="number of facets of pin and bore (32)")
    parser.add_argument("--bore", type=int, help="another number of facets of the bore")
    parser.add_argument("--aside", type=float, default=0.0, help="distance of the pin from its axis (mm)")
    parser.add_argument("--higher", type=float, default=0.0, help="height of one vertex above the others (mm)")
    args = parser.parse_args()
    folder, n, m = args.folder, args.facets, args.bore or args.facets
    pin = circle(n, RADIUS, -10.0) + circle(n, RADIUS, 10.0)
    pin[n][0] += args.higher
    pin = [[x + args.aside, y, z] for x, y, z in pin]
    caps = [list(reversed(range(n))), list(range(n, 2 * n))]
    rings = [(8.0, -10.0), (8.0, 10.0), (RADIUS, 10.0), (RADIUS, -10.0)]
    hub = [vertex for radius, height in rings for vertex in circle(m, radius, height)]
    walls = [face for k in range(4) for face in side(m, k * m, (k + 1) % 4 * m)]
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
