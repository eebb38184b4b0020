"""Compares the placed geometries of imported robots with the forward kinematics of yourdfpy.

Usage: against_yourdfpy.py INTERFERE URDF_FOLDER; needs yourdfpy 0.0.60 and trimesh. Joints stand at zero, or at their
limit nearest to zero. Prints the number of compared geometries and the greatest difference (m).
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import trimesh
from yourdfpy import URDF

MM = {"um": 0.001, "mm": 1.0, "cm": 10.0, "m": 1000.0, "inch": 25.4, "ft": 304.8}


def matrix(instance: dict) -> np.ndarray:
    """Returns the placement of an instance (mm)."""
    placement = instance.get("placement", {})
    result = np.array(placement.get("matrix", np.eye(4)))
    if "translation" in placement:
        result[:3, 3] = placement["translation"]
    return result


def at_zero(robot: URDF) -> dict:
    """Returns the value of each joint that moves by itself: zero within its limits."""
    values = {name: 0.0 for name in robot.actuated_joint_names}
    for name in values:
        limit = robot.joint_map[name].limit
        if robot.joint_map[name].type in ("revolute", "prismatic") and limit is not None:
            low, high = limit.lower or 0.0, limit.upper or 0.0
            values[name] = min(max(0.0, low), high) if low <= high else 0.0
    return values


def vertices(geometry, urdf: Path, root: Path):
    """Returns the vertices of a box or of an STL or OBJ mesh (m); None for other shapes."""
    if geometry.box is not None:
        return trimesh.creation.box(geometry.box.size).vertices
    if geometry.mesh is None:
        return None
    name = geometry.mesh.filename
    found = [p for p in (urdf.parent / name, root / name.split("robots/")[-1]) if p.suffix.lower() in (".stl", ".obj")]
    found = [p for p in found if p.exists()]
    if not found:
        return None
    mesh = trimesh.load(found[0], process=False, force="mesh")
    return np.asarray(mesh.vertices) * (1.0 if geometry.mesh.scale is None else geometry.mesh.scale)


def main(program: str, root: Path) -> None:
    robots = geometries = boxes = 0
    worst = 0.0
    for urdf in sorted(root.rglob("*.urdf")):
        folder = Path(tempfile.mkdtemp()) / "design"
        command = [program, "import", str(urdf), "-o", str(folder), "--allow-outside"]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            continue
        robots += 1
        assembly = json.loads((folder / "assembly.json").read_text())
        placed = {i["id"]: i for i in assembly["instances"]}
        robot = URDF.load(str(urdf), load_meshes=False)
        robot.update_cfg(at_zero(robot))
        for name, link in robot.link_map.items():
            for number, shape in enumerate(link.collisions or link.visuals, 1):
                id = re.sub(r"[^\w+-]", "_", name.strip()) + ("" if number == 1 else f".{number}")
                part, m = assembly["parts"][placed[id]["part"]], matrix(placed[id])
                t = robot.get_transform(name) @ (np.eye(4) if shape.origin is None else shape.origin)
                geometries += 1
                points = vertices(shape.geometry, urdf, root)
                if points is None:
                    worst = max(worst, abs(t[:3, 3] - m[:3, 3] / 1000).max())
                    continue
                boxes += 1
                own = np.asarray(trimesh.load(folder / part["mesh"], process=False).vertices) * MM[part.get("units", "mm")]
                a = points @ t[:3, :3].T + t[:3, 3]
                b = (own @ m[:3, :3].T + m[:3, 3]) / 1000
                worst = max(worst, abs(a.min(0) - b.min(0)).max(), abs(a.max(0) - b.max(0)).max())
    print(f"{robots} robots, {geometries} geometries, {boxes} of them by their boxes: at most {worst:.2g} m apart")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
