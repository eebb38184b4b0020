"""Measures the deflection of a triangulated part: the distance of its surface and edges from the triangles.

Of a face, the measure samples the surface at the corners, the edge middles and the centroid of each triangle, at mean
parameters. Triangles with a depth from 0.4 of the part's deepest sample on get 28 samples. Between two vertices of an edge of the
part, the face can reach beyond its triangles; there the measure samples the curve of the edge. The figure of the kernel
itself is no bound: on real files it misses the measured deflection by a factor of eight, in both directions.
"""

from __future__ import annotations

import numpy as np

from . import kernel

# Share of the deepest sample of the part from which a triangle gets the finer samples.
FINE_SHARE = 0.4
# Places of the samples on an edge between two vertices, as shares of its parameters.
EDGE_SAMPLES = (0.25, 0.5, 0.75)
# Barycentric grid of the finer samples: 28 points.
FINE = 6


def part_deflection(faces: list) -> float:
    """Returns the largest distance of the sampled faces and edges of a part from its triangles (mm).

    `faces` are the `FaceTriangles` of the part. Cost: 2.5 surface evaluations a triangle, and 28 for the deep ones.
    """
    sampled = [SampledFace(face) for face in faces]
    worst = max(edge_deflection(faces), *(float(s.depths.max(initial=0.0)) for s in sampled))
    floor = FINE_SHARE * worst
    return max(worst, *(s.refined(floor) for s in sampled))


class SampledFace:
    """The depths of a face's triangles: distances of surface points from the planes of the rounded vertices."""

    def __init__(self, face):
        corners = face.corners().astype(float)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        valid = lengths > 0
        self.surface = Surface(face.face)
        self.origins = corners[valid, 0]
        self.normals = normals[valid] / lengths[valid, None]
        triangles = face.triangles[valid]
        self.uv = _corner_parameters(face, triangles)
        # A degenerate vertex has no parameters of its own: its point is right, its parameters depend on the triangle.
        nodes = self.surface.at(face.parameters)[triangles]
        self.depths = np.zeros(len(triangles))
        self._add(nodes[:, k] for k in range(3))
        if not self.surface.flat and len(triangles):
            middles = (self.uv + np.roll(self.uv, -1, axis=1)) / 2
            # Two triangles share the middle of their common edge.
            distinct, inverse = np.unique(middles.reshape(-1, 2), axis=0, return_inverse=True)
            points = self.surface.at(distinct)[inverse.ravel()].reshape(-1, 3, 3)
            self._add(points[:, k] for k in range(3))
            self._add([self.surface.at(self.uv.mean(axis=1))])

    def _add(self, samples, rows=slice(None)) -> None:
        for points in samples:
            depth = np.abs(((points - self.origins[rows]) * self.normals[rows]).sum(axis=1))
            self.depths[rows] = np.maximum(self.depths[rows], depth)

    def refined(self, floor: float) -> float:
        """Samples the triangles with a depth from `floor` on more densely; returns the largest depth (mm)."""
        deep = np.flatnonzero(self.depths >= floor)
        if len(deep) and not self.surface.flat:
            self._add((self.surface.at(weights @ self.uv[deep]) for weights in _grid(FINE)), deep)
        return float(self.depths.max(initial=0.0))


def edge_deflection(faces: list) -> float:
    """Returns the largest distance of the sampled edges from the triangles beside them (mm).

    `faces` are the `FaceTriangles` of a part. The samples are three points of the curve between two vertices; a sample
    counts with the nearest of the triangles at these vertices, on both sides of the edge.
    """
    numbers: dict[tuple, int] = {}
    segment, points, corners = [], [], []
    for face in faces:
        for key, samples, triangle in _segments(face):
            segment.append(numbers.setdefault(key, len(numbers)))
            points.append(samples)
            corners.append(triangle)
    if not segment:
        return 0.0
    points, corners = np.array(points), np.array(corners)
    nearest = np.full((len(numbers), len(EDGE_SAMPLES)), np.inf)
    for k in range(len(EDGE_SAMPLES)):
        np.minimum.at(nearest[:, k], segment, _distance(points[:, k], corners))
    return float(nearest.max())


def _segments(face):
    """Yields the pieces of a face's edges between two vertices: a key, points of the curve (3×3), and the triangle."""
    from OCP.BRep import BRep_Tool
    from OCP.BRepAdaptor import BRepAdaptor_Curve

    found, location = face.source
    corners = face.corners().astype(float)
    beside = {}
    for number, (a, b, c) in enumerate(face.triangles.tolist()):
        for pair in ((a, b), (b, c), (c, a)):
            beside[min(pair), max(pair)] = number
    for shape in kernel.sub_shapes(face.face, "EDGE"):
        edge = kernel.edge(shape)
        polygon = None if BRep_Tool.Degenerated_s(edge) else BRep_Tool.PolygonOnTriangulation_s(edge, found, location)
        if polygon is None or not polygon.HasParameters():
            continue
        value = BRepAdaptor_Curve(edge).Value
        count = polygon.NbNodes()
        nodes = [polygon.Node(i) - 1 for i in range(1, count + 1)]
        parameters = [polygon.Parameter(i) for i in range(1, count + 1)]
        for i, (a, b) in enumerate(zip(nodes, nodes[1:])):
            triangle = beside.get((min(a, b), max(a, b)))
            if triangle is not None:
                low, high = parameters[i], parameters[i + 1]
                samples = [value(low + share * (high - low)) for share in EDGE_SAMPLES]
                yield (hash(edge), i), [(p.X(), p.Y(), p.Z()) for p in samples], corners[triangle]


def _distance(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Returns the distance of each point (n×3) from its triangle (n×3×3).

    The foot of the perpendicular counts if it lies in the triangle; else the nearest point of the three sides.
    """
    a = corners[:, 0]
    normal = np.cross(corners[:, 1] - a, corners[:, 2] - a)
    squared = (normal**2).sum(axis=1)
    area = np.sqrt(np.where(squared > 0, squared, 1.0))
    height = np.abs(((points - a) * normal).sum(axis=1)) / area
    inside = squared > 0
    sides = np.full(len(points), np.inf)
    for k in range(3):
        start, along = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        offset = points - start
        inside &= (np.cross(along, offset) * normal).sum(axis=1) >= 0
        length = np.maximum((along**2).sum(axis=1), 1e-300)
        share = np.clip((offset * along).sum(axis=1) / length, 0, 1)
        sides = np.minimum(sides, np.linalg.norm(offset - share[:, None] * along, axis=1))
    return np.where(inside, height, sides)


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
