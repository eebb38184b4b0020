"""Single-joint pairs whose first contact has a closed form, for against_casts.py. Lengths are mm, angles radians.

Each part is a prism along z over a polygon of the plane. `first(c)` of a pair is the first value of the joint whose gap
is c, from the start 0: a formula for the meshes themselves, since all parts are polyhedra.
"""

from dataclasses import dataclass, replace
from math import acos, asin, atan, hypot, pi
from typing import Callable, Iterator

import numpy as np

Mesh = tuple[np.ndarray, list]


def turn(axis, angle: float) -> np.ndarray:
    """Returns the matrix (3×3) of a right-handed turn about a unit vector."""
    k = np.asarray(axis, float)
    cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


@dataclass
class Pair:
    """Two meshes at the start of a joint, which moves `move` from 0 to `end`."""

    name: str
    rest: Mesh
    move: Mesh
    kind: str
    axis: np.ndarray
    at: np.ndarray
    end: float
    first: Callable[[float], float] | None
    lead: float = 0.0
    convex: bool = True
    exchanged: bool = False

    def pose(self, value: float) -> np.ndarray:
        """Returns the motion (4×4) of `move` at a value of the joint."""
        m = np.eye(4)
        if self.kind == "prismatic":
            m[:3, 3] = self.axis * value
            return m
        m[:3, :3] = turn(self.axis, value)
        m[:3, 3] = self.at - m[:3, :3] @ self.at + self.axis * (self.lead * value / (2 * pi))
        return m

    def elsewhere(self, rotation: np.ndarray, shift: np.ndarray) -> "Pair":
        """Returns the pair turned and moved, with the instances exchanged in the file."""
        to = lambda mesh: (mesh[0] @ rotation.T + shift, mesh[1])
        return replace(
            self,
            name=self.name + ", moved",
            rest=to(self.rest),
            move=to(self.move),
            axis=rotation @ self.axis,
            at=rotation @ self.at + shift,
            exchanged=True,
        )


def prism(polygon, low: float, high: float, pieces=None) -> Mesh:
    """Returns a prism over a polygon, counter-clockwise; `pieces` are convex polygons of its corners that fill it."""
    n = len(polygon)
    points = np.array([[*p, z] for z in (low, high) for p in polygon], float)
    faces = []
    for piece in pieces or [range(n)]:
        piece = list(piece)
        for b, c in zip(piece[1:], piece[2:]):
            faces += [[piece[0], c, b], [piece[0] + n, b + n, c + n]]
    for i in range(n):
        j = (i + 1) % n
        faces += [[i, j, j + n], [i, j + n, i + n]]
    return points, faces


def box(x, y, z) -> Mesh:
    """Returns a box over three ranges."""
    return prism([(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])], *z)


def at_angle(mesh: Mesh, angle: float) -> Mesh:
    """Returns a mesh turned about z."""
    return mesh[0] @ turn([0, 0, 1], angle).T, mesh[1]


def hinged(name: str, rest: Mesh, move: Mesh, end: float, first, sign: int = 1, **more) -> Pair:
    """Returns a pair with a turn about the z axis, against the clock for a positive sign."""
    return Pair(name, rest, move, "revolute", np.array([0.0, 0.0, float(sign)]), np.zeros(3), end, first, **more)


def bar_and_wall(length: float, half: float, wall: float, end: float) -> Pair:
    """A bar on a hinge; a wall in front of its tip. A wall beyond the reach is never met."""
    reach, ahead = hypot(length, half), atan(half / length)
    first = lambda c: asin((wall - c) / reach) - ahead
    bar = box((0, length), (-half, half), (-5, 5))
    stop = box((-300, 300), (wall, wall + 20), (-50, 50))
    return hinged(f"bar {length} and wall {wall:.6g}, {end:.4g} rad", stop, bar, end, first if wall < reach else None)


def blade_and_fin(thick: float, inner: float, outer: float, middle: float, end: float) -> Pair:
    """A blade from the axis on; a fin of the same thickness, whose inner corner meets the face of the blade."""
    corner, behind = hypot(inner, thick / 2), atan(thick / 2 / inner)
    blade = box((0, outer), (-thick / 2, thick / 2), (-5, 5))
    fin = at_angle(box((inner, outer + 20), (-thick / 2, thick / 2), (-8, 8)), middle)
    name = f"blade and fin {thick} thick at {middle:.4g}, {end:.4g} rad"
    return hinged(name, fin, blade, end, lambda c: middle - behind - asin((thick / 2 + c) / corner))


def bar_and_post(half: float, post: float, distance: float, middle: float, end: float) -> Pair:
    """A bar through a square post, as long as it reaches beyond the post."""
    corner, behind = hypot(distance - post, post), atan(post / (distance - post))
    bar = box((0, distance + 3 * post), (-half, half), (-2, 2))
    stands = at_angle(box((distance - post, distance + post), (-post, post), (-40, 40)), middle)
    name = f"bar through a post at {middle:.4g}, {end:.4g} rad"
    return hinged(name, stands, bar, end, lambda c: middle - behind - asin((half + c) / corner))


def door(width: float, thick: float, slot: float, end: float) -> Pair:
    """A door hinged at a corner of its edge; its far edge meets the jamb, if the slot is too narrow."""
    reach, ahead = hypot(width, thick), atan(thick / width)
    leaf = box((0, width), (0, thick), (0, 200))
    jamb = box((width + slot, width + slot + 30), (-40, 40), (-10, 210))
    first = (lambda c: ahead - acos((width + slot - c) / reach)) if reach > width + slot else None
    return hinged(f"door {width} in a frame with a slot of {slot}", jamb, leaf, end, first, sign=-1)


def leaf_hinge(thick: float, inner: float, opened: float) -> Pair:
    """Two leaves from the same radius on; their inner corners meet on the bisector."""
    corner, half = hypot(inner, thick / 2), atan(thick / 2 / inner)
    leaf = box((inner, inner + 40), (-thick / 2, thick / 2), (0, 60))
    first = lambda c: opened - 2 * half - 2 * asin(c / (2 * corner))
    return hinged(f"leaf hinge {thick} thick, {opened:.4g} rad", at_angle(leaf, opened), leaf, opened, first)


def piston(gap: float, depth: float, stroke: float) -> Pair:
    """A piston in a bore with a bottom: it slides beside the walls until it meets the bottom."""
    u = [(0, -30), (depth + 10, -30), (depth + 10, 30), (0, 30), (0, 20), (depth, 20), (depth, -20), (0, -20)]
    bore = prism(u, -20, 20, [(0, 1, 6, 7), (1, 2, 5, 6), (2, 3, 4, 5)])
    body = box((-40, 5), (gap - 20, 20 - gap), (-15, 15))
    first = (lambda c: depth - 5 - c) if stroke > depth - 5 else None
    name = f"piston {gap} from the walls, stroke {stroke}"
    return Pair(name, bore, body, "prismatic", np.array([1.0, 0, 0]), np.zeros(3), stroke, first, convex=False)


def screw_on_plate(lead: float, travel: float, end: float) -> Pair:
    """A square bar on a screw of a lead; its end face meets a plate after a travel."""
    plate = box((-50, 50), (-50, 50), (travel, travel + 5))
    bar = box((-4, 4), (-3, 3), (-30, 0))
    first = lambda c: 2 * pi * (travel - c) / lead
    name = f"screw of lead {lead} onto a plate, {end:.4g} rad"
    return Pair(name, plate, bar, "screw", np.array([0, 0, 1.0]), np.zeros(3), end, first, lead=lead)


def families() -> Iterator[Pair]:
    """Yields every pair twice: as drawn, and turned, moved and exchanged."""
    pairs = [
        bar_and_wall(100, 5, 60, pi / 2),
        bar_and_wall(100, 5, 60, 6),
        bar_and_wall(100, 5, 60, 2 * pi),
        bar_and_wall(100, 5, 90, 6),
        bar_and_wall(100, 5, hypot(100, 5) - 0.001, 2),
        bar_and_wall(100, 5, 100.2, 6),
        blade_and_fin(0.1, 40, 60, 2, 3),
        blade_and_fin(0.1, 40, 60, 5.2, 6),
        blade_and_fin(0.1, 40, 60, 5.9866, 2 * pi),
        blade_and_fin(2, 40, 60, 4, 6),
        blade_and_fin(0.001, 40, 60, 1.0002713, 2),
        door(80, 20, 1, pi / 2),
        door(80, 20, 2.4, pi / 2),
        door(80, 20, 2.5, pi / 2),
        leaf_hinge(3, 5, pi),
        leaf_hinge(3, 5, 4.7),
        leaf_hinge(2, 6, 3),
        piston(0.05, 60, 70),
        piston(0.01, 60, 70),
        piston(0.05, 60, 54.9),
        bar_and_post(4, 5, 70, 3, 6),
        bar_and_post(4, 5, 70, 5, 6),
        bar_and_post(0.2, 0.5, 70, 4, 6),
        bar_and_post(4, 5, 70, 5, 2 * pi),
        screw_on_plate(1.25, 4, 25),
        screw_on_plate(10, 12, 9),
    ]
    rotation = turn([2 / 3, 2 / 3, 1 / 3], 0.7) @ turn([0, 0, 1], 1.1)
    for pair in pairs:
        yield pair
        yield pair.elsewhere(rotation, np.array([1000.0, -500.0, 200.0]))
