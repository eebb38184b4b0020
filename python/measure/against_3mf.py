"""Compares the placed volumes of imported 3MF files with a reader of its own.

Usage: against_3mf.py INTERFERE FILE…; needs numpy. The reader expands the items of the build with row vectors, follows
components into other parts of the archive, and applies the unit of the file. Prints a line for each file: the number of
instances and the greatest relative difference of a volume.
"""

import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import numpy as np

from placed import MM, matrix

UNITS = {"micron": 0.001, "millimeter": 1.0, "centimeter": 10.0, "inch": 25.4, "foot": 304.8, "meter": 1000.0}


def local(element, name: str):
    """Returns the child elements of a name, in any name space."""
    return [c for c in element if c.tag.rsplit("}")[-1] == name]


def attribute(element, name: str):
    """Returns an attribute, in any name space."""
    return next((v for k, v in element.attrib.items() if k.rsplit("}")[-1] == name), None)


def rows(text) -> np.ndarray:
    """Returns the matrix of a transform: it acts on row vectors."""
    return np.array([float(x) for x in text.split()]).reshape(4, 3) if text else np.eye(4, 3)


def rigid(to: np.ndarray) -> np.ndarray:
    """Returns a transform with the nearest rotation, where it is within 1e-6 of one: files round their numbers."""
    if abs(to[:3].T @ to[:3] - np.eye(3)).max() > 2e-6:
        return to
    u, _, v = np.linalg.svd(to[:3])
    return np.vstack([u @ v, to[3]])


def volume(corners: np.ndarray) -> float:
    """Returns the signed volume of triangles."""
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6)


class Archive:
    """The objects of an archive, by the part and the id."""

    def __init__(self, file: Path):
        archive = zipfile.ZipFile(file)
        names = [n for n in archive.namelist() if n.lower().endswith(".model")]
        self.parts = {n.lower().lstrip("/"): ET.fromstring(archive.read(n)) for n in names}
        self.root = min(self.parts, key=lambda n: (n.count("/"), "3dmodel" not in n))

    def triangles(self, part: str, id: str, to: np.ndarray):
        """Yields the corners of each placed mesh below an object."""
        resources = local(self.parts[part], "resources")[0]
        found = next(o for o in local(resources, "object") if o.get("id") == id)
        for mesh in local(found, "mesh"):
            points = [[float(v.get(a)) for a in "xyz"] for v in local(local(mesh, "vertices")[0], "vertex")]
            faces = [[int(t.get(f"v{k}")) for k in (1, 2, 3)] for t in local(local(mesh, "triangles")[0], "triangle")]
            yield (np.c_[np.array(points), np.ones(len(points))] @ rigid(to))[np.array(faces)]
        for components in local(found, "components"):
            for component in local(components, "component"):
                inner = np.c_[rows(component.get("transform")), [0, 0, 0, 1]] @ np.c_[to, [0, 0, 0, 1]]
                path = (attribute(component, "path") or part).lower().lstrip("/")
                yield from self.triangles(path, component.get("objectid"), inner[:, :3])

    def volumes(self) -> list[float]:
        """Returns the volumes of all instances (mm³)."""
        scale = UNITS[self.parts[self.root].get("unit", "millimeter")]
        found = []
        for item in local(local(self.parts[self.root], "build")[0], "item"):
            path = (attribute(item, "path") or self.root).lower().lstrip("/")
            found += [volume(c * scale) for c in self.triangles(path, item.get("objectid"), rows(item.get("transform")))]
        return found


def corners(path: Path) -> np.ndarray:
    """Returns the corners of the triangles of a generated file."""
    data = path.read_bytes()
    if path.suffix == ".stl":
        row = np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
        return np.frombuffer(data, row, offset=84)["v"].astype(float)
    head, _, body = data.partition(b"end_header\n")
    count, faces = (int(line.split()[-1]) for line in head.decode().splitlines() if line.startswith("element"))
    points = np.frombuffer(body, "<f8", 3 * count).reshape(-1, 3)
    row = np.dtype([("n", "u1"), ("v", "<u4", 3)])
    return points[np.frombuffer(body, row, faces, 24 * count)["v"]]


def main(program: str, files: list[str]) -> None:
    for file in map(Path, files):
        folder = Path(tempfile.mkdtemp()) / "design"
        ran = subprocess.run([program, "import", str(file), "-o", str(folder)], capture_output=True, text=True, check=False)
        if ran.returncode:
            print(f"{file.name}: {ran.stderr.splitlines()[-1]}")
            continue
        assembly = json.loads((folder / "assembly.json").read_text())
        found = []
        for instance in assembly["instances"]:
            part, m = assembly["parts"][instance["part"]], matrix(instance)
            own = corners(folder / part["mesh"]) * MM[part.get("units", "mm")]
            found.append(volume(own @ m[:3, :3].T + m[:3, 3]))
        expected = Archive(file).volumes()
        assert len(found) == len(expected), (file, len(found), len(expected))
        far = [abs(a - b) / max(abs(b), 1e-30) for a, b in zip(sorted(found), sorted(expected))]
        print(f"{file.name}: {len(found)} instances, volumes at most {max(far):.2g} apart")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
