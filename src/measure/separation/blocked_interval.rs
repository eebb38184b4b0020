//! Computes the interval of a line of translations blocked by two triangles.

use crate::geom::Vec3;
use crate::geom::math::{basis, greater, lesser};
use crate::geom::triangle::Triangle;

/// All translations of a line (mm along the line).
pub(crate) const EVERYWHERE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// Direction of translation and two directions across it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub along: Vec3,
    across: [Vec3; 2],
    /// Distance up to which triangles missing each other count as colliding, seen along the line (mm).
    slack: f64,
}

impl Line {
    pub(crate) fn new(along: &Vec3, slack: f64) -> Self {
        let (u, v) = basis(along);
        Self { along: *along, across: [u, v], slack }
    }

    /// Bounds of the interval blocked by two triangles (mm along the line).
    pub(crate) fn bounds(&self, [a, b]: &[Triangle; 2]) -> [f64; 2] {
        let ([low, high], [least, most]) = (range(self.distances(a)), range(self.distances(b)));
        [low - most, high - least]
    }

    /// Coordinates of a triangle's corners along the line (mm).
    fn distances(&self, [a, b, c]: &Triangle) -> [f64; 3] {
        [self.along.dot(a), self.along.dot(b), self.along.dot(c)]
    }
}

/// Interval of the line in which two triangles collide (mm along the line).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocked {
    pub from: f64,
    pub to: f64,
    /// Unit normal of the contact at the far end, with a component along the line >= 0.
    pub normal: Vec3,
}

/// Triangle seen along a line: its corners across the line, and their coordinates along it (mm).
#[derive(Clone, Copy)]
struct ContactCandidate {
    at: [[f64; 2]; 3],
    far: [f64; 3],
}

impl ContactCandidate {
    fn new([a, b, c]: &Triangle, far: [f64; 3], line: &Line) -> Self {
        let [u, v] = &line.across;
        let at = |p: &Vec3| [u.dot(p), v.dot(p)];
        Self { at: [at(a), at(b), at(c)], far }
    }

    fn edge(&self, k: usize) -> [[f64; 2]; 2] {
        [self.at[k], self.at[(k + 1) % 3]]
    }

    /// Signed side of each point relative to each edge.
    #[inline]
    fn sides(&self, [x, y, z]: &[[f64; 2]; 3]) -> [[f64; 3]; 3] {
        let to = |k: usize| [turn(self.edge(k), *x), turn(self.edge(k), *y), turn(self.edge(k), *z)];
        [to(0), to(1), to(2)]
    }

    /// True if an edge separates the triangle from three points by more than `slack` (mm), given their sides. Most
    /// triangles with boxes that overlap end here.
    #[inline]
    fn is_beyond(&self, sides: &[[f64; 3]; 3], slack: f64) -> bool {
        let inner = turn(self.edge(0), self.at[2]);
        (0..3).any(|k| {
            let [[px, py], [qx, qy]] = self.edge(k);
            let least = slack * slack * ((qx - px) * (qx - px) + (qy - py) * (qy - py));
            let [x, y, z] = sides[k].map(|side| if inner < 0.0 { side } else { -side });
            let nearest = lesser(lesser(x, y), z);
            nearest > 0.0 && nearest * nearest > least
        })
    }
}

fn range([x, y, z]: [f64; 3]) -> [f64; 2] {
    [lesser(lesser(x, y), z), greater(greater(x, y), z)]
}

fn turn([p, q]: [[f64; 2]; 2], r: [f64; 2]) -> f64 {
    (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
}

/// Features in contact at an end of the interval.
#[derive(Clone, Copy)]
enum Contact {
    /// Corner of B on the face of A.
    FaceA,
    FaceB,
    /// These edges of A and B.
    Edges(usize, usize),
    /// Edges or corners coincident as seen along the line.
    Flush,
}

struct Events {
    from: f64,
    to: (f64, Contact),
}

impl Events {
    fn add(&mut self, t: f64, event: Contact) {
        self.from = lesser(self.from, t);
        if t > self.to.0 {
            self.to = (t, event);
        }
    }
}

/// Computes the translations of B's triangle along the line at which it meets A's. They are the common points of the
/// line and a convex set, hence an interval. Each end is a contact of a corner and a face, or of two edges. `None` if
/// the triangle misses A's, or if the interval certainly ends before `wanted[0]` or begins after `wanted[1]` (mm along
/// the line).
pub(crate) fn blocked_interval(a: &Triangle, b: &Triangle, line: &Line, wanted: [f64; 2]) -> Option<Blocked> {
    let (of_a, of_b) = (line.distances(a), line.distances(b));
    let ([low, high], [least, most]) = (range(of_a), range(of_b));
    if high - least < wanted[0] || low - most > wanted[1] {
        return None;
    }
    let (p, q) = (ContactCandidate::new(a, of_a, line), ContactCandidate::new(b, of_b, line));
    for k in 0..2 {
        let across = |s: &ContactCandidate| range([s.at[0][k], s.at[1][k], s.at[2][k]]);
        let ([low, high], [least, most]) = (across(&p), across(&q));
        if low > most + line.slack || least > high + line.slack {
            return None;
        }
    }
    // Signed side of each corner of one triangle relative to each edge of the other.
    let (to_p, to_q) = (p.sides(&q.at), q.sides(&p.at));
    if p.is_beyond(&to_p, line.slack) || q.is_beyond(&to_q, line.slack) {
        return None;
    }
    let mut events = Events { from: f64::INFINITY, to: (f64::NEG_INFINITY, Contact::Flush) };
    corners_on_face(&p, &q, &to_p, line.slack, |t| events.add(t, Contact::FaceA));
    corners_on_face(&q, &p, &to_q, line.slack, |t| events.add(-t, Contact::FaceB));
    for i in 0..3 {
        for j in 0..3 {
            let (s, t) = (to_p[i][j], to_p[i][(j + 1) % 3]);
            let (v, w) = (to_q[j][i], to_q[j][(i + 1) % 3]);
            if s * t < 0.0 && v * w < 0.0 {
                let on_p = p.far[i] + (p.far[(i + 1) % 3] - p.far[i]) * (v / (v - w));
                let on_q = q.far[j] + (q.far[(j + 1) % 3] - q.far[j]) * (s / (s - t));
                events.add(on_p - on_q, Contact::Edges(i, j));
            }
        }
    }
    edge_on_contacts(&p, &q, &to_p, line.slack, |t| events.add(t, Contact::Flush));
    edge_on_contacts(&q, &p, &to_q, line.slack, |t| events.add(-t, Contact::Flush));
    let (to, event) = events.to;
    let side = |t: &Triangle, k: usize| t[(k + 1) % 3] - t[k];
    let normal = match event {
        Contact::FaceA => side(a, 0).cross(&side(a, 1)),
        Contact::FaceB => side(b, 0).cross(&side(b, 1)),
        Contact::Edges(i, j) => side(a, i).cross(&side(b, j)),
        Contact::Flush => line.along,
    };
    let normal = normal.try_normalize(0.0).unwrap_or(line.along);
    let normal = if normal.dot(&line.along) < 0.0 { -normal } else { normal };
    (to > f64::NEG_INFINITY).then_some(Blocked { from: events.from, to, normal })
}

/// Calls `add` for each corner of `other` covered by the face, with the distance along the line from the corner to the
/// face (mm). `to` holds the sides of the corners relative to the face's edges.
fn corners_on_face(
    face: &ContactCandidate,
    other: &ContactCandidate,
    to: &[[f64; 3]; 3],
    slack: f64,
    mut add: impl FnMut(f64),
) {
    let twice = turn(face.edge(0), face.at[2]);
    let lengths = [length(face.edge(0)), length(face.edge(1)), length(face.edge(2))];
    if twice.abs() <= slack * (lengths[0] + lengths[1] + lengths[2]) {
        // Seen edge-on: [`edge_on_contacts`] handles its edges.
        return;
    }
    for (j, far_off) in other.far.iter().enumerate() {
        let to = [to[0][j], to[1][j], to[2][j]];
        if (0..3).all(|k| to[k] * twice.signum() >= -slack * lengths[k]) {
            // Barycentric coordinates: the share of each corner comes from the opposite edge.
            let share = |side: f64| greater(side / twice, 0.0);
            let shares = [share(to[1]), share(to[2]), share(to[0])];
            let sum = shares[0] + shares[1] + shares[2];
            let far = (shares[0] * face.far[0] + shares[1] * face.far[1] + shares[2] * face.far[2]) / sum;
            add(far - far_off);
        }
    }
}

/// Calls `add` for each corner of `other` on an edge of the face, as seen along the line, with the distance along the
/// line from the corner to the edge (mm).
fn edge_on_contacts(
    face: &ContactCandidate,
    other: &ContactCandidate,
    to: &[[f64; 3]; 3],
    slack: f64,
    mut add: impl FnMut(f64),
) {
    for (k, sides) in to.iter().enumerate() {
        let [p, q] = face.edge(k);
        let way = length([p, q]);
        for (j, side) in sides.iter().enumerate() {
            // A corner near an end of the edge lies near its line, too. Most corners do not.
            if way > slack && side.abs() > slack * way {
                continue;
            }
            let x = other.at[j];
            if length([p, x]) <= slack {
                add(face.far[k] - other.far[j]);
            }
            if way > slack {
                let share = ((x[0] - p[0]) * (q[0] - p[0]) + (x[1] - p[1]) * (q[1] - p[1])) / (way * way);
                if (0.0..=1.0).contains(&share) {
                    add(face.far[k] + (face.far[(k + 1) % 3] - face.far[k]) * share - other.far[j]);
                }
            }
        }
    }
}

fn length([p, q]: [[f64; 2]; 2]) -> f64 {
    let (x, y) = (q[0] - p[0], q[1] - p[1]);
    (x * x + y * y).sqrt()
}
