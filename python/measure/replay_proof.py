"""Checks a proof file of `interfere check --proof`, without any code of interfere.

Usage: python3 replay_proof.py FILE [--verbose]

Needs Python 3.8 and nothing else. For each proof it follows the steps, so that no pair of triangles and no joint value
is left out, and checks each leaf with its own arithmetic: a plane over a range of joint values, or orbits about one axis.
Then it checks at one pose that neither part lies in the other. docs/reference/proof-file.md has the format, and
docs/explanation/motion.md the claims 2 to 7 that the checks rely on. Lengths are mm, joint values degrees or mm.

Exit code: 0 if every leaf holds, 1 if one fails or the file has none, 2 if the file is not readable.
"""

import json
import math
import sys

UNIT = 2.0**-53
# Factor on every bound of a motion: more than the rounding of its sums and products.
GROWTH = 1.0 + 2.0**-46
ROOT_HALF = math.sqrt(0.5)


class Refused(Exception):
    """A proof that does not show its claim."""


def dot(x, y):
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def cross(x, y):
    return (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])


def plus(x, y):
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2])


def minus(x, y):
    return (x[0] - y[0], x[1] - y[1], x[2] - y[2])


def times(x, s):
    return (x[0] * s, x[1] * s, x[2] * s)


def norm(x):
    return math.sqrt(dot(x, x))


def turned(rotation, x):
    return tuple(dot(row, x) for row in rotation)


def placed(pose, x):
    rotation, translation = pose
    return plus(turned(rotation, x), translation)


def motion_of(joint, value):
    """The rigid motion of a joint at a value, as (rotation, translation)."""
    axis, at = joint["axis"], joint["at"]
    if joint["type"] == "prismatic":
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), times(axis, value)
    angle = math.radians(math.fmod(value, 360.0))
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = axis
    v = 1.0 - c
    rotation = (
        (c + x * x * v, x * y * v - z * s, x * z * v + y * s),
        (y * x * v + z * s, c + y * y * v, y * z * v - x * s),
        (z * x * v - y * s, z * y * v + x * s, c + z * z * v),
    )
    travel = (joint["lead"] or 0.0) * value / 360.0
    return rotation, plus(minus(at, turned(rotation, at)), times(axis, travel))


def after(outer, inner):
    columns = list(zip(*inner[0]))
    rotation = tuple(tuple(dot(row, column) for column in columns) for row in outer[0])
    return rotation, placed(outer, inner[1])


class Cell:
    """The chain of joints over a box of parameters: its pose at the centre, and bounds of the motion within."""

    def __init__(self, proof, ranges):
        center = [low + 0.5 * (high - low) for low, high in ranges]
        half = [max(c - low, high - c) * GROWTH for c, (low, high) in zip(center, ranges)]
        drawn = proof["drawn"]
        self.pose = (tuple(map(tuple, drawn["rotation"])), tuple(drawn["translation"]))
        # Axes at the centre, nearest B first: direction, point, largest angle, largest travel, share of each parameter.
        self.axes = []
        for joint in proof["joints"]:
            value = sum(r * c for r, c in zip(joint["rates"], center)) + joint["offset"]
            motion = motion_of(joint, value)
            self.pose = after(motion, self.pose)
            self.axes = [(turned(motion[0], axis), placed(motion, at), *rest) for axis, at, *rest in self.axes]
            reach = sum(abs(r) * h for r, h in zip(joint["rates"], half)) * GROWTH
            turns = joint["type"] != "prismatic"
            per_unit = (math.radians(1.0) if turns else 0.0, (joint["lead"] or 0.0) / 360.0 if turns else 1.0)
            steps = [r * h for r, h in zip(joint["rates"], half)]
            self.axes.append((tuple(joint["axis"]), tuple(joint["at"]), reach * per_unit[0],
                              abs(reach * per_unit[1]), per_unit, steps))
        self.parameters = range(len(ranges))

    def twists(self):
        """For each parameter, the first-order change of a point x from the centre to the end: turn × x + slide."""
        out = []
        for p in self.parameters:
            turn, slide = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            for axis, at, _, _, (angle, travel), steps in self.axes:
                own = times(axis, steps[p] * angle)
                turn = plus(turn, own)
                slide = plus(slide, minus(times(axis, steps[p] * travel), cross(own, at)))
            out.append((turn, slide))
        return out

    def motion_along(self, n, x, twists, of_b):
        """Bounds how far a point may move along n within the cell: claims 2, 3 and 4."""
        first = sum(abs(dot(n, plus(cross(turn, x), slide))) for turn, slide in twists)
        moved = speeds = remainder = 0.0
        for axis, at, angle, travel, _, _ in self.axes if of_b else reversed(self.axes):
            r = norm(cross(axis, minus(x, at))) + moved
            remainder += angle * (0.5 * angle * r + speeds)
            speeds += math.hypot(angle * r, travel)
            moved += math.hypot(2.0 * math.sin(0.5 * min(angle, math.pi)) * r, travel)
        return min(first + remainder, moved) * GROWTH


class Shape:
    """A surface of the file."""

    def __init__(self, row):
        self.vertices = [tuple(map(float, v)) for v in row["vertices"]]
        self.triangles = [tuple(t) for t in row["triangles"]]
        self.solid, self.inset_of = row["solid"], row["inset_of"]
        self.size = max((norm(v) for v in self.vertices), default=0.0)
        self.corners_of = {}

    def corners(self, low, high):
        """Vertices of a range of triangles."""
        if (low, high) not in self.corners_of:
            used = sorted({v for t in self.triangles[low:high] for v in t})
            self.corners_of[low, high] = [self.vertices[v] for v in used]
        return self.corners_of[low, high]

    def triangle(self, t):
        return [self.vertices[v] for v in self.triangles[t]]

    def shells(self):
        """One vertex of each set of triangles that share vertices."""
        parent = list(range(len(self.vertices)))

        def root(v):
            while parent[v] != v:
                parent[v] = parent[parent[v]]
                v = parent[v]
            return v

        for a, b, c in self.triangles:
            parent[root(b)] = root(a)
            parent[root(c)] = root(a)
        return [self.vertices[v] for v in sorted({root(t[0]) for t in self.triangles})]


def winding(triangles, x):
    """Number of times that triangles wind around a point: the sum of their solid angles."""
    total = 0.0
    for corners in triangles:
        a, b, c = (minus(corner, x) for corner in corners)
        la, lb, lc = norm(a), norm(b), norm(c)
        volume = dot(a, cross(b, c))
        total += math.atan2(volume, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)
    return total / (2.0 * math.pi)


def distance_to_triangle(x, corners):
    """Distance of a point from a triangle."""
    a, b, c = corners
    n = cross(minus(b, a), minus(c, a))
    length = norm(n)
    inside = length > 0.0 and all(
        dot(cross(minus(q, p), minus(x, p)), n) >= 0.0 for p, q in ((a, b), (b, c), (c, a)))
    if inside:
        return abs(dot(n, minus(x, a))) / length

    def to_edge(p, q):
        e = minus(q, p)
        share = dot(minus(x, p), e) / dot(e, e) if dot(e, e) > 0.0 else 0.0
        return norm(minus(x, plus(p, times(e, min(1.0, max(0.0, share))))))

    return min(to_edge(a, b), to_edge(b, c), to_edge(c, a))


def nearest_to_axis(points):
    """Unit direction from the origin to the nearest point of a triangle of the plane, and the distance."""
    sides = [p[0] * q[1] - p[1] * q[0] for p, q in zip(points, points[1:] + points[:1])]
    if min(sides) >= 0.0 or max(sides) <= 0.0:
        return (0.0, 0.0), 0.0
    best = None
    for p, q in zip(points, points[1:] + points[:1]):
        e = (q[0] - p[0], q[1] - p[1])
        length = e[0] * e[0] + e[1] * e[1]
        share = min(1.0, max(0.0, -(p[0] * e[0] + p[1] * e[1]) / length)) if length > 0.0 else 0.0
        foot = (p[0] + share * e[0], p[1] + share * e[1])
        r = math.hypot(*foot)
        if best is None or r < best[1]:
            best = ((foot[0] / r, foot[1] / r) if r > 0.0 else (0.0, 0.0), r)
    return best


class Orbits:
    """Regions of (r, z) that triangles sweep about an axis: intervals of r, z, (r + z)/√2 and (r − z)/√2."""

    def __init__(self, joint):
        self.axis, self.at = tuple(joint["axis"]), tuple(joint["at"])
        other = (1.0, 0.0, 0.0) if abs(self.axis[0]) < 0.6 else (0.0, 1.0, 0.0)
        u = cross(self.axis, other)
        self.u = times(u, 1.0 / norm(u))
        self.v = cross(self.axis, self.u)

    def region(self, corners):
        local = [minus(x, self.at) for x in corners]
        flat = [(dot(self.u, x), dot(self.v, x)) for x in local]
        z = [dot(self.axis, x) for x in local]
        (nx, ny), least = nearest_to_axis(flat)
        # r is convex, so it is largest at a corner; r is at least the coordinate along n.
        r = [math.hypot(*p) for p in flat]
        low_r = [nx * p[0] + ny * p[1] for p in flat]
        pairs = list(zip(low_r, r, z))
        return ((least, max(r)), (min(z), max(z)),
                (min(l + h for l, _, h in pairs) * ROOT_HALF, max(o + h for _, o, h in pairs) * ROOT_HALF),
                (min(l - h for l, _, h in pairs) * ROOT_HALF, max(o - h for _, o, h in pairs) * ROOT_HALF))


def around(regions):
    return tuple((min(r[k][0] for r in regions), max(r[k][1] for r in regions)) for k in range(4))


def regions_apart(x, y):
    """Lower bound of the distance of two regions."""
    gaps = [max(q[0] - p[1], p[0] - q[1]) for p, q in zip(x, y)]
    return max(math.hypot(max(gaps[0], 0.0), max(gaps[1], 0.0)), gaps[2], gaps[3])


def orbits_apart(a, b, least):
    """True if all regions of a and b are more than `least` apart. Halves the larger list until the boxes say so."""
    stack = [(a, b)]
    while stack:
        x, y = stack.pop()
        if regions_apart(around(x), around(y)) > least:
            continue
        if len(x) == 1 and len(y) == 1:
            return False
        larger = x if len(x) >= len(y) else y
        box = around(larger)
        k = 0 if box[0][1] - box[0][0] > box[1][1] - box[1][0] else 1
        halves = sorted(larger, key=lambda region: region[k][0] + region[k][1])
        middle = len(halves) // 2
        for part in (halves[:middle], halves[middle:]):
            stack.append((part, y) if larger is x else (x, part))
    return True


class Replay:
    """One proof of the file."""

    def __init__(self, proof, shapes):
        self.proof, self.joints = proof, proof["joints"]
        self.a, self.b = (shapes[k] for k in proof["shapes"])
        self.shapes = shapes
        self.leaves, self.failed = 0, []
        self.known_orbits, self.regions, self.cells = {}, None, {}
        turns = [j for j in self.joints if j["type"] != "prismatic"]
        ends = [max(abs(low), abs(high)) for low, high in proof["ranges"]]
        angles = sum(math.radians(sum(abs(r) * e for r, e in zip(j["rates"], ends)) + abs(j["offset"])) for j in turns)
        scale = self.a.size + self.b.size + norm(proof["drawn"]["translation"]) + sum(2 * norm(j["at"]) for j in turns)
        self.margin = UNIT * (16.0 * (len(self.joints) + 2) + 4.0 * angles) * scale
        self.needed = proof["distance"] + self.margin

    def check(self):
        self.check_insets()
        self.walk()
        self.check_nesting()

    def walk(self):
        """Follows the steps: every cut replaces the part on top by two, every leaf removes it."""
        stack = [((0, len(self.a.triangles)), (0, len(self.b.triangles)), tuple(map(tuple, self.proof["ranges"])))]
        if stack[0][0][1] == 0 or stack[0][1][1] == 0:
            raise Refused("a surface has no triangle")
        for step in self.proof["steps"]:
            if not stack:
                raise Refused("a step follows the last part")
            a, b, ranges = stack.pop()
            kind = step[0]
            if kind == "a":
                stack += [((step[1], a[1]), b, ranges), ((a[0], step[1]), b, ranges)]
                inside = a[0] < step[1] < a[1]
            elif kind == "b":
                stack += [(a, (step[1], b[1]), ranges), (a, (b[0], step[1]), ranges)]
                inside = b[0] < step[1] < b[1]
            elif kind == "q":
                p, at = step[1], step[2]
                low, high = ranges[p]
                stack += [(a, b, ranges[:p] + ((at, high),) + ranges[p + 1:]),
                          (a, b, ranges[:p] + ((low, at),) + ranges[p + 1:])]
                inside = low < at < high
            else:
                inside = True
                self.leaves += 1
                held = self.plane(step, a, b, ranges) if kind == "plane" else self.orbit(step, a, b)
                if not held:
                    self.failed.append((a, b, ranges, step))
            if not inside:
                raise Refused(f"a cut outside of its part: {step}")
        if stack:
            raise Refused(f"{len(stack)} parts have no leaf: the steps do not cover the run")

    def plane(self, step, a, b, ranges):
        """Claim 4: a plane keeps the triangles apart over the box of parameters."""
        _, moving, n = step
        length = norm(n)
        if abs(length - 1.0) > 1e-9 or moving not in ("a", "b"):
            return False
        if ranges not in self.cells:
            cell = Cell(self.proof, ranges)
            self.cells = {ranges: (cell, cell.twists())}
        cell, twists = self.cells[ranges]
        high, low = -math.inf, math.inf
        for x in self.a.corners(*a):
            own = cell.motion_along(n, x, twists, False) if moving == "a" else 0.0
            high = max(high, dot(n, x) + own)
        for y in self.b.corners(*b):
            y = placed(cell.pose, y)
            own = cell.motion_along(n, y, twists, True) if moving == "b" else 0.0
            low = min(low, dot(n, y) - own)
        # A direction a little longer than 1 exaggerates the distance.
        return (low - high) / max(length, 1.0) > self.needed

    def orbit(self, step, a, b):
        """Claim 7: the orbits about the only axis are apart at all angles."""
        if step != ["orbit"] or [j["type"] for j in self.joints] != ["revolute"]:
            return False
        if (a, b) not in self.known_orbits:
            if self.regions is None:
                orbits, drawn = Orbits(self.joints[0]), self.proof["drawn"]
                pose = (drawn["rotation"], drawn["translation"])
                self.regions = (
                    [orbits.region(self.a.triangle(t)) for t in range(len(self.a.triangles))],
                    [orbits.region([placed(pose, y) for y in self.b.triangle(t)]) for t in range(len(self.b.triangles))],
                )
            of_a, of_b = self.regions[0][slice(*a)], self.regions[1][slice(*b)]
            self.known_orbits[a, b] = orbits_apart(of_a, of_b, self.needed)
        return self.known_orbits[a, b]

    def check_insets(self):
        """Claim 6: every corner of a surface moved inward stays within half of the depth of its triangle."""
        depth = self.proof["depth"]
        for shape in (self.a, self.b):
            if (depth is None) != (shape.inset_of is None):
                raise Refused("a depth needs surfaces that moved inward, and a distance those of the parts")
            if depth is None:
                continue
            before = self.shapes[shape.inset_of]
            if not before.solid or before.inset_of is not None or len(before.vertices) != len(shape.vertices):
                raise Refused("a surface moved inward has no solid that it comes from")
            if sorted(before.triangles) != sorted(shape.triangles):
                raise Refused("a surface moved inward has other triangles than its solid")
            for t in range(len(before.triangles)):
                corners = before.triangle(t)
                for v in before.triangles[t]:
                    moved = distance_to_triangle(shape.vertices[v], corners)
                    if 2.0 * (moved + 8.0 * UNIT * before.size) > depth:
                        raise Refused(f"vertex {v} moves {moved} mm from its triangle, more than half of {depth} mm")

    def check_nesting(self):
        """Claim 5: at one pose, no shell of either surface lies in the other."""
        pose = Cell(self.proof, [tuple(r) for r in self.proof["ranges"]]).pose
        of_a = [self.a.triangle(t) for t in range(len(self.a.triangles))]
        of_b = [[placed(pose, y) for y in self.b.triangle(t)] for t in range(len(self.b.triangles))]
        tests = ((self.b.solid, self.a.shells(), of_b), (self.a.solid, [placed(pose, y) for y in self.b.shells()], of_a))
        for solid, points, triangles in tests:
            for x in points if solid else ():
                turns = winding(triangles, x)
                if abs(turns - round(turns)) > 1e-3:
                    raise Refused(f"a solid is not closed: it winds {turns} times around a point")
                if round(turns) >= 1:
                    raise Refused("a part lies in the other one")


def main(arguments):
    verbose = "--verbose" in arguments
    files = [a for a in arguments if a != "--verbose"]
    if len(files) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        with open(files[0], encoding="utf-8") as file:
            document = json.load(file)
        if document["version"] != 1:
            raise ValueError(f"version {document['version']}; this program reads version 1")
        shapes = [Shape(row) for row in document["shapes"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{files[0]}: {error}", file=sys.stderr)
        return 2
    leaves = bad = refused = 0
    for proof in document["proofs"]:
        name = f"{proof['run']}[{proof['segment']}] {proof['a']} - {proof['b']}"
        depth = proof["depth"]
        claim = f"gap > {proof['distance']:.6g}" if depth is None else f"depth <= {depth:.6g}"
        replay, why = Replay(proof, shapes), None
        try:
            replay.check()
        except Refused as reason:
            why = str(reason)
        except (IndexError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            why = f"not in the format: {error!r}"
        leaves += replay.leaves
        bad += len(replay.failed)
        for a, b, ranges, step in replay.failed[: None if verbose else 5]:
            print(f"  fails: triangles {a} and {b} over {ranges}: {step}")
        if replay.failed and why is None:
            why = f"{len(replay.failed)} leaves fail"
        refused += why is not None
        print(f"{'refused' if why else 'holds'}: {name}: {claim} mm, {replay.leaves} leaves{f': {why}' if why else ''}")
    for row in document["left_out"]:
        pair = f" {row['a']} - {row['b']} ({row['status']})" if row["a"] else ""
        pairs = f" {row['pairs']} pairs" if row["pairs"] is not None else ""
        print(f"left out: {row['run']}{pair}{pairs}: {row['reason']}")
    print(f"{len(document['proofs'])} proofs, {refused} refused; {leaves} leaves checked, {bad} failed")
    return 1 if refused or leaves == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
