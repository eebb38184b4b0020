"""Compares the placed geometries of imported MuJoCo models with MuJoCo itself.

Usage: against_mujoco.py INTERFERE FOLDER…, or against_mujoco.py --truth MODEL; needs mujoco and scipy. Takes every XML file that MuJoCo loads. Joints stand
at the values that the import wrote. Compares each geometry: the place and the axes of a primitive, and the points of a
mesh in the frame of the world, each with the nearest one of the other set. Prints a line for each model, then the number
of models and geometries and the greatest difference (m). --truth prints a list for each geometry: its body, the centre of a
primitive, the least and the greatest corner of the box about it (m).
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np
from scipy.spatial import cKDTree

from placed import MM, cleaned, matrix, points

PLANE, FIELD, MESH = (int(getattr(mujoco.mjtGeom, f"mjGEOM_{n}")) for n in ("PLANE", "HFIELD", "MESH"))


def chosen(model) -> list[int]:
    """Returns the geometries that the import takes, in the order of the bodies."""
    paired = set(model.pair_geom1) | set(model.pair_geom2)
    found = []
    for body in range(model.nbody):
        first = model.body_geomadr[body]
        solid = [g for g in range(first, first + model.body_geomnum[body]) if model.geom_type[g] not in (PLANE, FIELD)]
        meets = [g for g in solid if model.geom_contype[g] or model.geom_conaffinity[g] or g in paired]
        found += meets or solid
    return found


def compare(model, folder: Path) -> tuple[int, float]:
    """Returns the number of geometries of a model and their greatest difference from the imported ones (m)."""
    assembly = json.loads((folder / "assembly.json").read_text())
    data = mujoco.MjData(model)
    names = {cleaned(model.joint(j).name or "?"): j for j in range(model.njnt)}
    for name, joint in assembly.get("joints", {}).items():
        if name in names:
            home, turns = joint.get("home", 0.0), joint["type"] == "revolute"
            data.qpos[model.jnt_qposadr[names[name]]] = math.radians(home) if turns else home / 1000
    mujoco.mj_kinematics(model, data)
    geoms = chosen(model)
    if len(geoms) != len(assembly["instances"]):
        raise ValueError(f"{len(geoms)} geometries, {len(assembly['instances'])} instances")
    worst = 0.0
    for g, instance in zip(geoms, assembly["instances"]):
        m, part = matrix(instance), assembly["parts"][instance["part"]]
        turn, at = data.geom_xmat[g].reshape(3, 3), data.geom_xpos[g]
        own = points(folder / part["mesh"]) * MM[part.get("units", "mm")]
        if model.geom_type[g] == MESH:
            mesh = model.geom_dataid[g]
            first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            there = model.mesh_vert[first : first + count].astype(float) @ turn.T + at
            here = (own @ m[:3, :3].T + m[:3, 3]) / 1000
            # A file may hold points of no triangle.
            used = np.unique(model.mesh_face[model.mesh_faceadr[mesh] :][: model.mesh_facenum[mesh]])
            far = max(cKDTree(here).query(there[used])[0].max(), cKDTree(there).query(here)[0].max())
        else:
            size = model.geom_size[g]
            half = {2: size[[0, 0, 0]], 3: size[[0, 0, 1]] + [0, 0, size[0]], 5: size[[0, 0, 1]]}
            box = half.get(int(model.geom_type[g]), size)
            far = max(abs(m[:3, 3] / 1000 - at).max(), abs(m[:3, :3] - turn).max() * box.max())
            far = max(far, abs(own.max(0) / 1000 - box).max(), abs(own.min(0) / 1000 + box).max())
        if far > 1e-6:
            print(f"  {model.geom(g).name or g} of {model.body(model.geom_bodyid[g]).name}: {far:.3g} m", file=sys.stderr)
        worst = max(worst, far)
    return len(geoms), worst


def truth(path: str) -> None:
    """Prints the boxes of the geometries in the frame of the world (m), joints as drawn, within their limits."""
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    for joint in range(model.njnt):
        low, high = model.jnt_range[joint]
        if model.jnt_limited[joint] and model.jnt_type[joint] in (2, 3):
            data.qpos[model.jnt_qposadr[joint]] = min(max(model.qpos0[model.jnt_qposadr[joint]], low), high)
    mujoco.mj_kinematics(model, data)
    found = []
    for g in chosen(model):
        turn, at, size = data.geom_xmat[g].reshape(3, 3), data.geom_xpos[g], model.geom_size[g]
        if model.geom_type[g] == MESH:
            mesh = model.geom_dataid[g]
            first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            there = model.mesh_vert[first : first + count].astype(float) @ turn.T + at
            low, high, centre = there.min(0), there.max(0), None
        else:
            # Half the extent along each axis of the world, by the closed form of each shape.
            u = abs(turn)
            half = {
                2: lambda: np.full(3, size[0]),
                3: lambda: u[:, 2] * size[1] + size[0],
                4: lambda: np.sqrt((turn**2) @ (size**2)),
                5: lambda: u[:, 2] * size[1] + size[0] * np.sqrt(np.maximum(0, 1 - turn[:, 2] ** 2)),
                6: lambda: u @ size,
            }[int(model.geom_type[g])]()
            low, high, centre = at - half, at + half, list(at)
        found.append([model.body(model.geom_bodyid[g]).name, centre, list(low), list(high)])
    print("[" + ",\n ".join(map(json.dumps, found)) + "]")


def main(program: str, roots: list[str]) -> None:
    models = geometries = 0
    worst = 0.0
    for path in sorted(p for root in roots for p in ([Path(root)] if root.endswith(".xml") else Path(root).rglob("*.xml"))):
        try:
            model = mujoco.MjModel.from_xml_path(str(path))
        except ValueError as error:
            model = str(error).splitlines()[0]
        folder = Path(tempfile.mkdtemp()) / "design"
        command = [program, "import", str(path), "-o", str(folder), "--allow-outside"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if isinstance(model, str) or ran.returncode:
            refused = ran.stderr.splitlines()[0] if ran.returncode else "imported"
            if not isinstance(model, str) or not ran.returncode:
                print(f"{path}: {model if isinstance(model, str) else 'loaded'}; {refused}")
            continue
        try:
            count, far = compare(model, folder)
        except ValueError as error:
            print(f"{path}: {error}")
            continue
        models, geometries, worst = models + 1, geometries + count, max(worst, far)
        print(f"{path}: {count} geometries, {far:.2g} m")
    print(f"{models} models, {geometries} geometries: at most {worst:.2g} m apart")


if __name__ == "__main__":
    truth(sys.argv[2]) if sys.argv[1] == "--truth" else main(sys.argv[1], sys.argv[2:])
