"""Holds an imported folder against the kernel's exact shapes: counts, boxes, deflection.

    against_kernel.py FILE FOLDER [--boxes] [--deflection]

Needs libigl (`pip install libigl`) for `--deflection`. Prints one line; ends with 1 where a figure misses its limit:
a side of a placed box off by more than the deflection of its part + 1e-4 mm, or a part deeper than its deflection × 1.1.
Reads the file by its own walk, so an error of the package shows.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from OCP import TopAbs
from OCP.Bnd import Bnd_Box
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.STEPControl import STEPControl_Reader
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location

from interfere_cad import kernel
from interfere_cad.mesh import FaceTriangles


def placed_solids(path):
    """All solids of a file at their places, by the plain reader (without names and labels)."""
    with kernel.quiet():
        reader = STEPControl_Reader()
        reader.ReadFile(str(path))
        reader.TransferRoots()
        explorer = TopExp_Explorer(reader.OneShape(), TopAbs.TopAbs_ShapeEnum.TopAbs_SOLID)
    found = []
    while explorer.More():
        found.append(explorer.Current())
        explorer.Next()
    return found


def kernel_box(solid):
    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(solid, box, False, False)
    low, high = box.CornerMin(), box.CornerMax()
    return np.array([low.X(), low.Y(), low.Z(), high.X(), high.Y(), high.Z()])


def stl(path):
    rows = np.frombuffer(path.read_bytes(), [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")], offset=84)
    return rows["v"].astype(float)


def fine_mesh(solid):
    """Triangles of 0.002 mm and 0.05 rad: vertices (n×3×3)."""
    copy = BRepBuilderAPI_Copy(solid, True, False).Shape()
    BRepMesh_IncrementalMesh(copy, 0.002, False, 0.05, False)
    faces = [FaceTriangles.of(kernel.face(f)) for f in kernel.sub_shapes(copy, "FACE")]
    return np.concatenate([f.vertices[f.triangles] for f in faces if f is not None]), sum(f is None for f in faces)


def farthest(points, triangles):
    """Largest distance of points (n×3) from triangles (m×3×3)."""
    import igl

    vertices = np.ascontiguousarray(triangles.reshape(-1, 3))
    index = np.arange(len(vertices)).reshape(-1, 3)
    return float(np.sqrt(igl.point_mesh_squared_distance(points, vertices, index)[0].max()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--boxes", action="store_true")
    parser.add_argument("--deflection", action="store_true")
    options = parser.parse_args()
    assembly = json.loads((options.folder / "assembly.json").read_text())
    meshes = {name: stl(options.folder / part["mesh"]) for name, part in assembly["parts"].items()}
    written = {name: part["deflection"] for name, part in assembly["parts"].items()}
    solids = placed_solids(options.file)
    instances = assembly["instances"]
    line = [options.file.name, f"{len(meshes)} parts", f"{len(instances)} instances"]
    good = len(solids) == len(instances)
    if not good:
        line.append(f"the plain reader finds {len(solids)} solids")
    worst, worst_at = 0.0, ""
    same = {}
    if good and (options.boxes or options.deflection):
        mine = []
        for instance in instances:
            matrix = np.array(instance["placement"]["matrix"])
            points = meshes[instance["part"]].reshape(-1, 3) @ matrix[:, :3].T + matrix[:, 3]
            mine.append(np.concatenate([points.min(0), points.max(0)]))
        mine = np.array(mine)
        free = set(range(len(instances)))
        for solid in solids:
            box = kernel_box(solid)
            # The nearest instance without a solid yet.
            order = sorted(free, key=lambda i: float(np.abs(mine[i] - box).max()))
            i = order[0]
            free.remove(i)
            name = instances[i]["part"]
            same.setdefault(name, solid)
            excess = float(np.abs(mine[i] - box).max()) - written[name]
            if excess > worst or not worst_at:
                worst, worst_at = excess, instances[i]["id"]
        line.append(f"boxes exceed the deflection by at most {max(worst, 0):.2g} mm ({worst_at})")
        good &= worst <= 1e-4
    if good and options.deflection:
        random = np.random.default_rng(7)
        deepest = (0.0, "")
        for name, solid in same.items():
            fine, missing = fine_mesh(solid.Located(TopLoc_Location()))
            if missing:
                line.append(f"{name}: no fine mesh of {missing} faces, left out")
                continue
            weights = random.dirichlet([1, 1, 1], (len(meshes[name]), 20))
            samples = np.einsum("tsk,tkc->tsc", weights, meshes[name]).reshape(-1, 3)
            out = max(farthest(samples, fine), farthest(fine.reshape(-1, 3), meshes[name]))
            # The fine mesh itself is 0.002 mm off.
            deepest = max(deepest, ((out - 0.002) / written[name], f"{name}: {out:.4g} of {written[name]:g} mm"))
        line.append(f"deepest share of the written deflection {deepest[0]:.3f} ({deepest[1]})")
        good &= deepest[0] <= 1.1
    print("; ".join(line))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
