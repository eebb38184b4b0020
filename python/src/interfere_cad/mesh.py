"""Meshes of solids: the kernel's triangles with single-precision vertices, and their binary STL."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import kernel
from .deflection import part_deflection
from .errors import Refused

# The kernel may exceed the requested deflection; each attempt requests half of the one before.
MOST_ATTEMPTS = 4


@dataclass
class Mesh:
    """The mesh of one part, in the part's own frame."""

    # Corners of the triangles (n×3×3, float32, mm), counter-clockwise seen from outside.
    corners: np.ndarray
    # Upper bound of the distance between the surface and the triangles at the sampled points (mm).
    deflection: float
    # Linear deflection of the last request (mm).
    asked: float

    def closed(self) -> bool:
        """Returns true if every directed edge has exactly one opposite."""
        _, vertex = np.unique(self.corners.reshape(-1, 3), axis=0, return_inverse=True)
        triangles = vertex.reshape(-1, 3).astype(np.int64)
        count = int(triangles.max(initial=-1)) + 1
        starts, ends = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
        forward, backward = np.sort(starts * count + ends), np.sort(ends * count + starts)
        return bool(len(forward) and np.array_equal(forward, backward) and np.all(np.diff(forward) > 0))

    def stl(self) -> bytes:
        """Returns the binary STL: 80 zero bytes, the count, and zero normals."""
        rows = np.zeros(len(self.corners), dtype=[("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
        rows["v"] = self.corners
        return bytes(80) + len(rows).to_bytes(4, "little") + rows.tobytes()


def mesh(shape, linear: float, angular: float, name: str) -> Mesh:
    """Meshes a solid or an open shell; `linear` in mm, `angular` in radians.

    The mesher leaves out a face where it fails, such as a cone of 1 mm with its parameters 3 m from the origin. The
    same shape with all surfaces as NURBS, or after the kernel's repair, often has all faces. The first form with a
    closed mesh wins, else the first with all faces. Raises `Refused` where each form lacks faces.
    """
    whole, least = None, None
    for form in (lambda s: s, _as_nurbs, _repaired):
        found = _mesh_of_form(form(shape), linear, angular)
        if isinstance(found, int):
            least = min(found, least or found)
        elif found.closed():
            return found
        else:
            whole = whole or found
    if whole is None:
        fix = "repair the part in the CAD program, or export it again"
        raise Refused("face-not-meshed", f"{name}: the kernel gives no triangles for {least} faces; {fix}")
    return whole


def _mesh_of_form(shape, linear: float, angular: float) -> Mesh | int:
    """Meshes a shape; returns the number of faces without triangles, if there are any.

    Where the measured deflection exceeds `linear`, the next attempt requests half as much, at most three times.
    """
    asked, best = linear, None
    for _ in range(MOST_ATTEMPTS):
        found = _attempt(shape, asked, angular)
        if isinstance(found, int):
            return best or found
        if best is None or found.deflection < best.deflection:
            best = found
        if best.deflection <= linear:
            break
        asked /= 2
    return best


def _as_nurbs(shape):
    from OCP.BRepBuilderAPI import BRepBuilderAPI_NurbsConvert

    return BRepBuilderAPI_NurbsConvert(shape, True).Shape()


def _repaired(shape):
    from OCP.ShapeFix import ShapeFix_Shape

    fix = ShapeFix_Shape(shape)
    fix.Perform()
    return fix.Shape()


def _attempt(shape, asked: float, angular: float) -> Mesh | int:
    """Meshes a copy without triangulation: the mesher would take over an earlier, coarser one."""
    from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
    from OCP.BRepMesh import BRepMesh_IncrementalMesh

    copy = BRepBuilderAPI_Copy(shape, True, False).Shape()
    BRepMesh_IncrementalMesh(copy, asked, False, angular, False)
    faces = [FaceTriangles.of(kernel.face(face)) for face in kernel.sub_shapes(copy, "FACE")]
    missing = sum(face is None for face in faces)
    if missing or not faces:
        return max(missing, 1)
    found = np.concatenate([face.corners() for face in faces])
    # The farthest that rounding to single precision moves a vertex.
    rounding = float(np.abs(found).max()) * 2.0**-24 * 3**0.5
    worst = part_deflection(faces)
    a, b, c = found[:, 0], found[:, 1], found[:, 2]
    # Rounding can merge two corners; without such triangles the mesh stays closed.
    degenerate = (a == b).all(axis=1) | (b == c).all(axis=1) | (c == a).all(axis=1)
    found = found[~degenerate]
    return Mesh(found, _rounded_up(worst + rounding), asked) if len(found) else 1


def _rounded_up(value: float) -> float:
    """Rounds up to three digits."""
    from decimal import ROUND_CEILING, Context, Decimal

    return float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(value)))


@dataclass
class FaceTriangles:
    """The triangulation of one face."""

    face: object
    # Triangulation of the kernel and its location.
    source: tuple
    # Vertices in the frame of the part (n×3, mm), unrounded.
    vertices: np.ndarray
    # Parameters of the vertices on the surface of the face (n×2).
    parameters: np.ndarray
    # Triangles (m×3, from 0), counter-clockwise seen from outside.
    triangles: np.ndarray

    @classmethod
    def of(cls, face) -> FaceTriangles | None:
        """Takes the triangulation from a meshed face; `None` without one."""
        from OCP.BRep import BRep_Tool
        from OCP.TopLoc import TopLoc_Location

        location = TopLoc_Location()
        found = BRep_Tool.Triangulation_s(face, location)
        if found is None or found.NbTriangles() == 0:
            return None
        count = found.NbNodes()
        nodes = [found.Node(i) for i in range(1, count + 1)]
        vertices = np.array([(p.X(), p.Y(), p.Z()) for p in nodes])
        uv = [found.UVNode(i) for i in range(1, count + 1)]
        parameters = np.array([(p.X(), p.Y()) for p in uv])
        triangles = np.array([found.Triangle(i).Get() for i in range(1, found.NbTriangles() + 1)]) - 1
        placed = location.Transformation()
        if not location.IsIdentity():
            matrix = np.array(kernel.rows(placed))
            vertices = vertices @ matrix[:, :3].T + matrix[:, 3]
        if kernel.is_reversed(face) != placed.IsNegative():
            triangles = triangles[:, ::-1]
        return cls(face, (found, location), vertices, parameters, triangles)

    def corners(self) -> np.ndarray:
        """Returns the corners of the triangles (m×3×3, float32)."""
        return self.vertices.astype(np.float32)[self.triangles]
