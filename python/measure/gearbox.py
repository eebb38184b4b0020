"""Writes an assembly like a gearbox: three gears on axles, in a case with fasteners, and two sweeps.

    python3 python/measure/gearbox.py FOLDER

The gears turn on faceted axles of the nominal radius of their bores, and mesh with each other. docs/measuring.md has the
measurement.
"""

import json
import math
import pathlib
import sys

TEETH = 20
MODULE = 2.0
BORE = 5.0
FACETS = 64
#: Centre distance of two gears: pulled apart by half a module.
DISTANCE = MODULE * TEETH + 0.5 * MODULE
FASTENERS = 51


def circle(radius, count, z):
    turn = 2 * math.pi / count
    return [(radius * math.cos(k * turn), radius * math.sin(k * turn), z) for k in range(count)]


def outline(z):
    """Teeth with straight flanks, four corners each; 80 corners in all."""
    pitch = 2 * math.pi / TEETH
    tip, root = 0.5 * MODULE * (TEETH + 2), 0.5 * MODULE * (TEETH - 2.5)
    corners = []
    for k in range(TEETH):
        for share, radius in [(-0.30, root), (-0.11, tip), (0.11, tip), (0.30, root)]:
            angle = (k + share) * pitch
            corners.append((radius * math.cos(angle), radius * math.sin(angle), z))
    return corners


def write(path, vertices, triangles):
    lines = ["v %r %r %r" % v for v in vertices]
    lines += ["f %d %d %d" % tuple(i + 1 for i in t) for t in triangles]
    path.write_text("\n".join(lines) + "\n")


def prism(path, radius, low, high):
    n = FACETS
    triangles = [(0, k + 1, k) for k in range(1, n - 1)]
    triangles += [(n, n + k, n + k + 1) for k in range(1, n - 1)]
    for k in range(n):
        j = (k + 1) % n
        triangles += [(k, j, n + j), (k, n + j, n + k)]
    write(path, circle(radius, n, low) + circle(radius, n, high), triangles)


def gear(path, low, high):
    """A toothed wheel with a bore; each tooth has as many corners as its part of the bore."""
    n = 4 * TEETH
    vertices = outline(low) + outline(high) + circle(BORE, n, low) + circle(BORE, n, high)
    triangles = []
    for k in range(n):
        j = (k + 1) % n
        a, b, c, d = 0, n, 2 * n, 3 * n
        sides = [(a + k, a + j, b + j, b + k), (c + j, c + k, d + k, d + j)]
        sides += [(b + k, b + j, d + j, d + k), (a + j, a + k, c + k, c + j)]
        for p, q, r, s in sides:
            triangles += [(p, q, r), (p, r, s)]
    write(path, vertices, triangles)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    gear(folder / "gear.obj", -5.0, 5.0)
    prism(folder / "axle.obj", BORE, -20.0, 20.0)
    prism(folder / "bolt.obj", 3.0, -12.0, 12.0)
    instances = []
    for k in range(3):
        at = [k * DISTANCE, 0, 0]
        # Every second gear is half a pitch further.
        turned = {"axis": "z", "angle_deg": 180 / TEETH if k % 2 else 0}
        instances.append({"id": f"gear-{k}", "part": "gear", "placement": {"rotation": turned, "translation": at}})
        instances.append({"id": f"axle-{k}", "part": "axle", "placement": {"translation": at}})
    plate(folder / "plate.obj")
    for name, z in [("case-low", -14.0), ("case-high", 14.0)]:
        instances.append({"id": name, "part": "plate", "placement": {"translation": [DISTANCE, 32, z]}})
    for k in range(FASTENERS):
        at = [-30 + 8 * (k % 17), 32 + 9 * (k // 17), 0]
        instances.append({"id": f"bolt-{k:02}", "part": "bolt", "placement": {"translation": at}})
    turn = {"type": "revolute", "axis": "z", "range_deg": "full"}
    joints = {"gear-0": {**turn, "at": [0, 0, 0], "moves": ["gear-0"]}}
    for k in (1, 2):
        follows = {"joint": f"gear-{k - 1}", "ratio": -1}
        joints[f"gear-{k}"] = {**turn, "at": [k * DISTANCE, 0, 0], "moves": [f"gear-{k}"], "follows": follows}
    assembly = {
        "version": 1,
        "parts": {name: f"{name}.obj" for name in ["gear", "axle", "bolt", "plate"]},
        "instances": instances,
        "joints": joints,
        "sweeps": {
            "turn": {"joints": {"gear-0": [0, 360]}},
            "tooth": {"path": [{"gear-0": 0}, {"gear-0": 18}]},
        },
        "rules": [{"between": ["bolt-*", "case-*"], "ignore": True, "reason": "threads"}],
    }
    (folder / "assembly.json").write_text(json.dumps(assembly, indent=1) + "\n")


def plate(path):
    corners = [(x, y, z) for z in (-2, 2) for y in (-8, 30) for x in (-75, 75)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [t for p, q, r, s in quads for t in ((p, q, r), (p, r, s))]
    write(path, corners, triangles)


if __name__ == "__main__":
    main()
