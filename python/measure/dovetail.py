"""Writes a tongue in a dovetail groove, pressed into its flanks, with a slide along the groove.

Usage: dovetail.py FOLDER [DEGREES [LIFT]]: angle of the flanks to the direction of the lift (40), and the lift of the
tongue (0.01 mm). The overlap is LIFT · sin(DEGREES) deep. Writes `assembly.json`, `groove.obj` and `tongue.obj`.
"""

import json
import sys
from math import radians, tan
from pathlib import Path

HEIGHT = 6.0
"""Depth of the groove (mm)."""

LENGTH = 40.0
"""Length of the groove (mm)."""


def prism(polygon: list, triangles: list, low: float, high: float) -> str:
    """Extrudes a counter-clockwise polygon, given with its triangles, along z; an OBJ file."""
    n = len(polygon)
    lines = [f"v {x!r} {y!r} {z!r}" for z in (low, high) for x, y in polygon]
    faces = [face for a, b, c in triangles for face in ([c, b, a], [a + n, b + n, c + n])]
    for i in range(n):
        j = (i + 1) % n
        faces += [[i, j, j + n], [i, j + n, i + n]]
    return "\n".join(lines + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]) + "\n"


def main() -> None:
    folder = Path(sys.argv[1])
    degrees = float(sys.argv[2]) if len(sys.argv) > 2 else 40.0
    lift = float(sys.argv[3]) if len(sys.argv) > 3 else 0.01
    mouth = 10.0
    floor = mouth + HEIGHT * tan(radians(degrees))
    outer = [[-30.0, 0.0], [-30.0, -20.0], [30.0, -20.0], [30.0, 0.0]]
    groove = [*outer, [mouth, 0.0], [floor, -HEIGHT], [-floor, -HEIGHT], [-mouth, 0.0]]
    tongue = [[-floor, lift - HEIGHT], [floor, lift - HEIGHT], [mouth, lift], [-mouth, lift]]
    sides = [[0, 1, 6], [0, 6, 7], [1, 2, 5], [1, 5, 6], [2, 3, 4], [2, 4, 5]]
    slide = {"type": "prismatic", "axis": "z", "moves": ["tongue"], "range": [-60, 45]}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "groove.obj").write_text(prism(groove, sides, 0.0, LENGTH))
    (folder / "tongue.obj").write_text(prism(tongue, [[0, 1, 2], [0, 2, 3]], -7.0, 20.0))
    assembly = {
        "version": 1,
        "parts": {name: f"{name}.obj" for name in ("groove", "tongue")},
        "instances": [{"id": name, "part": name} for name in ("groove", "tongue")],
        "joints": {"slide": slide},
        "sweeps": {"slide": {"joints": {"slide": "range"}}},
    }
    (folder / "assembly.json").write_text(json.dumps(assembly, indent=1) + "\n")


if __name__ == "__main__":
    main()
