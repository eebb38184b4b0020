"""Writes an assembly of two overlapping balls with rough surfaces, for measurements of large pages.

Usage: balls.py TRIANGLES FOLDER
"""
import json
import math
import os
import struct
import sys

triangles, folder = int(sys.argv[1]), sys.argv[2]
os.makedirs(f"{folder}/parts", exist_ok=True)


def ball(path, radius, seed, count):
    """Writes a closed ball as binary STL: rings of vertices between two poles, each moved by up to 0.1 mm."""
    rings = round(math.sqrt(count / 4))
    sides = 2 * rings
    state = seed

    def vertex(theta, phi):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        r = radius + 0.2 * (state / 2**64 - 0.5)
        return (r * math.sin(theta) * math.cos(phi), r * math.sin(theta) * math.sin(phi), r * math.cos(theta))

    def ring(k):
        theta = math.pi * k / rings
        return [vertex(theta, 2 * math.pi * j / sides) for j in range(sides)]

    total = 2 * sides * (rings - 1)
    with open(path, "wb") as out:
        out.write(bytes(80) + struct.pack("<I", total))
        facet = struct.Struct("<12fH").pack
        above, pole = None, vertex(0.0, 0.0)
        for k in range(1, rings):
            here, rows = ring(k), []
            for j in range(sides):
                n = (j + 1) % sides
                if above is None:
                    rows.append(facet(0, 0, 0, *pole, *here[j], *here[n], 0))
                else:
                    rows.append(facet(0, 0, 0, *above[j], *here[j], *here[n], 0))
                    rows.append(facet(0, 0, 0, *above[j], *here[n], *above[n], 0))
            out.write(b"".join(rows))
            above = here
        bottom = vertex(math.pi, 0.0)
        out.write(b"".join(facet(0, 0, 0, *above[j], *bottom, *above[(j + 1) % sides], 0) for j in range(sides)))


ball(f"{folder}/parts/a.stl", 50.0, 1, triangles // 2)
ball(f"{folder}/parts/b.stl", 60.0, 2, triangles - triangles // 2)
instances = [{"id": "a", "part": "a"}, {"id": "b", "part": "b", "placement": {"translation": [108.5, 0, 0]}}]
parts = {name: {"mesh": f"parts/{name}.stl"} for name in "ab"}
with open(f"{folder}/assembly.json", "w") as out:
    json.dump({"version": 1, "units": "mm", "parts": parts, "instances": instances}, out, indent=1)
