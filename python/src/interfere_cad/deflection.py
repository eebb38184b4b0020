"""Measures the deflection of a triangulated face: the distance of its surface from the planes of its triangles.

The measure samples the surface at the corners, the edge middles and the centroid of each triangle, at mean
parameters, and around the deepest of these samples with 28 points a triangle. The figure of the kernel itself is no
bound: on real files it misses the measured deflection by a factor of eight, in both directions.
"""

from __future__ import annotations

import numpy as np

from . import kernel

# Triangles of a face with the finer samples: those with at least this share of the deepest sample, at most so many.
FINE_SHARE = 0.5
FINE_TRIANGLES = 200
# Barycentric grid of the finer samples: 28 points.
FINE = 6


def face_deflection(face) -> float:
    """Returns the largest distance of the sampled surface points from the planes of their triangles (mm).

    `face` is a `FaceTriangles`. The planes are those of the rounded vertices. O(n) surface evaluations.
    """
    surface = Surface(face.face)
    corners = face.corners().astype(float)
    a = corners[:, 0]
    normals = np.cross(corners[:, 1] - a, corners[:, 2] - a)
    lengths = np.linalg.norm(normals, axis=1)
    valid = lengths > 0
    if not valid.any():
        return 0.0
    triangles, corners, a = face.triangles[valid], corners[valid], a[valid]
    normals = normals[valid] / lengths[valid, None]
    uv = _corner_parameters(face, triangles)

    def depth(points: np.ndarray, rows=slice(None)) -> np.ndarray:
        return np.abs(((points - a[rows]) * normals[rows]).sum(axis=1))

    nodes = surface.at(face.parameters)[triangles]
    # A degenerate vertex has no parameters of its own: its point is right, its parameters depend on the triangle.
    depths = np.max([depth(nodes[:, k]) for k in range(3)], axis=0)
    if surface.flat:
        return float(depths.max())
    middles = (uv + np.roll(uv, -1, axis=1)) / 2
    # Two triangles share the middle of their common edge.
    distinct, inverse = np.unique(middles.reshape(-1, 2), axis=0, return_inverse=True)
    points = surface.at(distinct)[inverse.ravel()].reshape(-1, 3, 3)
    depths = np.max([depths, *(depth(points[:, k]) for k in range(3)), depth(surface.at(uv.mean(axis=1)))], axis=0)
    deepest = np.argsort(-depths, kind="stable")[:FINE_TRIANGLES]
    deepest = deepest[depths[deepest] >= FINE_SHARE * depths.max()]
    for weights in _grid(FINE):
        depths[deepest] = np.maximum(depths[deepest], depth(surface.at(weights @ uv[deepest]), deepest))
    return float(depths.max())


def _grid(steps: int):
    """Yields the barycentric weights of a regular grid on a triangle."""
    for i in range(steps + 1):
        for j in range(steps + 1 - i):
            yield np.array([i, j, steps - i - j]) / steps


def _corner_parameters(face, triangles: np.ndarray) -> np.ndarray:
    """Returns the parameters of each triangle's corners (m×3×2).

    At the pole of a sphere or the tip of a cone one parameter is free: it takes the mean of the other two corners.
    """
    uv = face.parameters[triangles].copy()
    for axis, point in _degenerate_points(face.face):
        reach = 1e-7 * max(1.0, float(np.abs(face.vertices).max()))
        at = np.linalg.norm(face.vertices - point, axis=1) <= reach
        pole = at[triangles]
        rows = np.flatnonzero(pole.any(axis=1) & ~pole.all(axis=1))
        others = np.where(pole[rows], np.nan, uv[rows, :, axis])
        uv[rows, :, axis] = np.where(pole[rows], np.nanmean(others, axis=1)[:, None], uv[rows, :, axis])
    return uv


def _degenerate_points(face) -> list[tuple[int, np.ndarray]]:
    """Returns the free parameter (0 for u, 1 for v) and the point of each degenerate edge of a face."""
    from OCP.BRep import BRep_Tool
    from OCP.BRepAdaptor import BRepAdaptor_Curve2d
    from OCP.BRepAdaptor import BRepAdaptor_Surface

    found = []
    surface = None
    for shape in kernel.sub_shapes(face, "EDGE"):
        edge = kernel.edge(shape)
        if not BRep_Tool.Degenerated_s(edge):
            continue
        surface = surface or BRepAdaptor_Surface(face, False)
        curve = BRepAdaptor_Curve2d(edge, face)
        first, last = curve.FirstParameter(), curve.LastParameter()
        start, middle, end = (curve.Value(t) for t in (first, (first + last) / 2, last))
        axis = 0 if abs(end.X() - start.X()) >= abs(end.Y() - start.Y()) else 1
        point = surface.Value(middle.X(), middle.Y())
        found.append((axis, np.array([point.X(), point.Y(), point.Z()])))
    return found


class Surface:
    """The surface of a face, evaluated at many parameters at once; in the frame of the part."""

    def __init__(self, face):
        from OCP.BRepAdaptor import BRepAdaptor_Surface
        from OCP.GeomAbs import GeomAbs_SurfaceType as Kind

        self.adaptor = BRepAdaptor_Surface(face, False)
        kind = self.adaptor.GetType()
        self.flat = kind == Kind.GeomAbs_Plane
        formulas = {
            Kind.GeomAbs_Plane: self._plane,
            Kind.GeomAbs_Cylinder: self._cylinder,
            Kind.GeomAbs_Cone: self._cone,
            Kind.GeomAbs_Sphere: self._sphere,
            Kind.GeomAbs_Torus: self._torus,
        }
        self.at = formulas.get(kind, self._any)

    def _any(self, uv: np.ndarray) -> np.ndarray:
        value = self.adaptor.Value
        # The kernel evaluates NURBS, extrusions, revolutions and offsets one point at a time.
        points = [value(u, v) for u, v in uv.tolist()]
        return np.array([(p.X(), p.Y(), p.Z()) for p in points]).reshape(-1, 3)

    def _plane(self, uv):
        place, x, y, _ = _frame(self.adaptor.Plane())
        return place + uv[:, :1] * x + uv[:, 1:] * y

    def _cylinder(self, uv):
        cylinder = self.adaptor.Cylinder()
        place, x, y, z = _frame(cylinder)
        return place + cylinder.Radius() * _turned(uv[:, 0], x, y) + uv[:, 1:] * z

    def _cone(self, uv):
        cone = self.adaptor.Cone()
        place, x, y, z = _frame(cone)
        radius = cone.RefRadius() + uv[:, 1:] * np.sin(cone.SemiAngle())
        return place + radius * _turned(uv[:, 0], x, y) + uv[:, 1:] * np.cos(cone.SemiAngle()) * z

    def _sphere(self, uv):
        sphere = self.adaptor.Sphere()
        place, x, y, z = _frame(sphere)
        return place + sphere.Radius() * (np.cos(uv[:, 1:]) * _turned(uv[:, 0], x, y) + np.sin(uv[:, 1:]) * z)

    def _torus(self, uv):
        torus = self.adaptor.Torus()
        place, x, y, z = _frame(torus)
        radius = torus.MajorRadius() + torus.MinorRadius() * np.cos(uv[:, 1:])
        return place + radius * _turned(uv[:, 0], x, y) + torus.MinorRadius() * np.sin(uv[:, 1:]) * z


def _frame(surface) -> list[np.ndarray]:
    """Returns origin and axes of an elementary surface."""
    position = surface.Position()
    found = [position.Location(), position.XDirection(), position.YDirection(), position.Direction()]
    return [np.array([p.X(), p.Y(), p.Z()]) for p in found]


def _turned(angle: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y
