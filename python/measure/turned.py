"""Writes a copy of an assembly whose parts are turned in their files, as some exports leave them.

    python3 turned.py ASSEMBLY.json OUT [SEED]

Each binary STL part gets a random rotation, rounded to single precision, and its instances turn it back. All pairs keep
their places up to that rounding. Other mesh files are copied as they are. Placements must be matrices.
"""

import json
import math
import os
import random
import shutil
import struct
import sys


def rotation(rng):
    """Returns a random rotation as three rows."""
    q = [rng.gauss(0.0, 1.0) for _ in range(4)]
    length = math.sqrt(sum(a * a for a in q))
    x, y, z, w = (a / length for a in q)
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]


def turned(data, rows):
    """Returns a binary STL file with turned corners, and zero normals; None for another format."""
    count = struct.unpack("<I", data[80:84])[0] if len(data) >= 84 else 0
    if count == 0 or len(data) < 84 + 50 * count:
        return None
    out = [data[:84]]
    for k in range(84, 84 + 50 * count, 50):
        c = struct.unpack("<9f", data[k + 12 : k + 48])
        corners = [sum(row[i] * c[3 * v + i] for i in range(3)) for v in range(3) for row in rows]
        out.append(struct.pack("<12f", 0, 0, 0, *corners) + data[k + 48 : k + 50])
    return b"".join(out)


def main():
    source, out = sys.argv[1:3]
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    folder = os.path.dirname(source)
    with open(source) as f:
        assembly = json.load(f)
    os.makedirs(os.path.join(out, "parts"), exist_ok=True)
    rows_of = {}
    for k, (key, part) in enumerate(sorted(assembly["parts"].items())):
        path = os.path.join(folder, part["mesh"])
        part["mesh"] = f"parts/{k}{os.path.splitext(path)[1]}"
        rows = rotation(rng)
        with open(path, "rb") as f:
            mesh = turned(f.read(), rows)
        if mesh is None:
            shutil.copy(path, os.path.join(out, part["mesh"]))
            continue
        rows_of[key] = rows
        with open(os.path.join(out, part["mesh"]), "wb") as f:
            f.write(mesh)
    for instance in assembly["instances"]:
        rows = rows_of.get(instance["part"])
        if rows is None:
            continue
        matrix = instance["placement"]["matrix"]
        back = [[sum(row[i] * rows[j][i] for i in range(3)) for j in range(3)] + [row[3]] for row in matrix[:3]]
        instance["placement"] = {"matrix": back + [[0.0, 0.0, 0.0, 1.0]]}
    with open(os.path.join(out, "assembly.json"), "w") as f:
        json.dump(assembly, f)


main()
