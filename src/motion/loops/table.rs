//! Values of the solved joints of all loops over the parameters of a run, with certified bounds.
//!
//! A table divides the parameters into leaves. In each leaf the loops have exactly one solution near that of the leaf's
//! middle, and neighbouring leaves share the solution of a common point: so the table follows one continuous motion
//! from the drawing on (Krawczyk's operator in each leaf; docs/explanation/motion.md, claim 12).

use crate::geom::math::{greater, lesser};
use crate::motion::chain::Cell;
use crate::motion::loops::ball::{Ball, GROWTH};
use crate::motion::loops::closure::PlanarJoint;
use crate::motion::loops::solution::{FormedLoop, Known, Solution, solved_at};

/// Largest number of nodes of a table.
const MAX_NODES: usize = 1 << 17;

/// Smallest leaf, as a share of the range of a parameter.
const SMALLEST: f64 = 1e-9;

/// Largest error of a rate over a leaf, as a share of the largest path of a solved joint.
const SHARP: f64 = 0.1;

/// Factor on the error of a solution at the middle of a leaf: more than that at its other points, because the inverse
/// of the derivatives at most doubles within a leaf.
const ANYWHERE: f64 = 8.0;

/// Share of the rates of the given joints in the choice of a parameter to halve: a solved joint may rest at one point
/// alone.
const GIVEN_SHARE: f64 = 1e-3;

/// Halvings that find the place where a joint turns back: down to the rounding of the parameter.
const HALVINGS: usize = 52;

/// Halvings of a leaf until a joint turns back at most once within a part.
const LEVELS: u32 = 12;

/// Largest magnitudes over a node: of the rates, of the second derivatives; and least and largest values.
#[derive(Debug, Clone, PartialEq)]
struct Extent {
    rates: Vec<Vec<f64>>,
    bends: Vec<Vec<f64>>,
    values: Vec<[f64; 2]>,
}

/// A node of the tree over the parameters.
#[derive(Debug, Clone, PartialEq)]
struct Node {
    extent: Extent,
    content: Content,
}

#[derive(Debug, Clone, PartialEq)]
enum Content {
    Leaf(Leaf),
    /// Halves of a parameter, below and above a value.
    Split {
        parameter: usize,
        at: f64,
        halves: [u32; 2],
    },
}

/// Solution in the middle of a leaf.
#[derive(Debug, Clone, PartialEq)]
struct Leaf {
    center: Vec<f64>,
    values: Vec<f64>,
    /// Distance from `values` within which the leaf has one solution.
    radii: Vec<f64>,
    rates: Vec<Vec<Ball>>,
}

impl Leaf {
    /// First-order prediction of the solution at a point of the leaf.
    fn predicted(&self, q: &[f64]) -> Vec<f64> {
        let steps = |k: usize| self.rates[k].iter().zip(q.iter().zip(&self.center)).map(|(r, (q, c))| r.mid * (q - c));
        let near = |k: usize| steps(k).sum::<f64>().clamp(-self.radii[k], self.radii[k]);
        (0..self.values.len()).map(|k| self.values[k] + near(k)).collect()
    }
}

/// Point of the parameters beyond which no motion is proved: the loops do not close there, or in two ways at once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DeadEnd {
    /// Last point with a proof.
    pub at: Vec<f64>,
}

/// Solved joints over one cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SolvedCell {
    /// Values at the middle.
    pub values: Vec<f64>,
    /// Rates at the middle, along each parameter.
    pub rates: Vec<Vec<f64>>,
    /// Bounds of the path of each value within the cell (>= 0).
    pub reaches: Vec<f64>,
    /// Bounds of the distance of each value from its first-order prediction (>= 0).
    pub bends: Vec<f64>,
}

/// Values of the solved joints of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopTable {
    loops: Vec<FormedLoop>,
    ranges: Vec<[f64; 2]>,
    nodes: Vec<Node>,
    root: u32,
    /// Bound of the error of each computed value.
    errors: Vec<f64>,
}

impl LoopTable {
    /// Follows the loops over the whole box `ranges`, from the known solution at a point of it.
    ///
    /// # Errors
    /// Returns the last point with a proof where the loops have a dead centre, or do not close beyond it.
    pub(crate) fn new(loops: Vec<FormedLoop>, ranges: Vec<[f64; 2]>, known: Known<'_>) -> Result<Self, DeadEnd> {
        let errors = vec![0.0; 2 * loops.len()];
        let whole = ranges.clone();
        let mut table = Self { loops, ranges, nodes: Vec::new(), root: 0, errors };
        table.root = table.node(&whole, known)?;
        Ok(table)
    }

    /// Computes the solved values at a point.
    pub(crate) fn values(&self, q: &[f64]) -> Vec<f64> {
        self.point(self.root, &self.clamped(q))
    }

    /// Bound of the error of a computed value.
    pub(crate) fn error(&self, joint: u32) -> f64 {
        self.errors[joint as usize]
    }

    /// Least and largest value of a solved joint; bounds of both for several parameters.
    pub(crate) fn value_range(&self, joint: u32) -> [f64; 2] {
        if !(0..self.ranges.len()).any(|p| self.depends_on(joint, p)) {
            return [self.values(&self.start())[joint as usize]; 2];
        }
        let home = self.loops[joint as usize / 2].homes[joint as usize % 2];
        let near = |end: f64| if (end - home).abs() <= self.error(joint) { home } else { end };
        self.nodes[self.root as usize].extent.values[joint as usize].map(near)
    }

    /// True if a parameter moves a solved joint.
    pub(crate) fn depends_on(&self, joint: u32, p: usize) -> bool {
        self.nodes[self.root as usize].extent.rates[joint as usize].get(p).is_some_and(|rate| *rate != 0.0)
    }

    /// Bounds the solved joints over a cell.
    pub(crate) fn over(&self, cell: &Cell) -> SolvedCell {
        let center = self.clamped(&cell.center);
        let values = self.point(self.root, &center);
        let rates = self.rates_at(&center, &values);
        let parameters = self.ranges.len();
        let mut extent = Extent::none(values.len(), parameters);
        let ends: Vec<[f64; 2]> =
            cell.center.iter().zip(&cell.half).map(|(c, h)| [(c - h).next_down(), (c + h).next_up()]).collect();
        self.collect(self.root, &ends, &mut extent);
        let along = |of: &[f64]| of.iter().zip(&cell.half).map(|(rate, h)| rate * h).sum::<f64>();
        let bend = |k: usize| -> f64 {
            let row = |p: usize| along(&extent.bends[k][p * parameters..(p + 1) * parameters]) * cell.half[p];
            let errors: Vec<f64> = rates[k].iter().map(|rate| rate.radius).collect();
            0.5 * (0..parameters).map(row).sum::<f64>() + along(&errors)
        };
        SolvedCell {
            reaches: extent.rates.iter().map(|of| along(of) * GROWTH).collect(),
            bends: (0..values.len()).map(|k| bend(k) * GROWTH).collect(),
            rates: rates.iter().map(|of| of.iter().map(|rate| rate.mid).collect()).collect(),
            values,
        }
    }

    /// Numbers that define the motion.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let mut numbers: Vec<f64> = self.ranges.iter().flatten().copied().collect();
        for one in &self.loops {
            for joint in one.closure.joints.iter().flatten() {
                numbers.extend(match joint {
                    PlanarJoint::Turn { at: [x, y], sign } => [*x, *y, *sign],
                    PlanarJoint::Slide { along: [x, y] } => [*x, *y, 0.0],
                });
            }
            numbers.extend(one.closure.solved.map(|k| k as f64).into_iter().chain(one.homes));
            for form in &one.forms {
                numbers.extend(form.rates.iter().chain([&form.offset]).copied());
                numbers.extend(form.terms.iter().flat_map(|(k, factor)| [f64::from(*k), *factor]));
            }
        }
        // A loop closes in two ways; the values at the start tell which one.
        numbers.extend(self.values(&self.start()));
        numbers
    }

    fn start(&self) -> Vec<f64> {
        self.ranges.iter().map(|range| range[0]).collect()
    }

    fn clamped(&self, q: &[f64]) -> Vec<f64> {
        q.iter().zip(&self.ranges).map(|(x, [from, to])| x.clamp(*from, *to)).collect()
    }

    /// Leaf that holds a point of a node, with its extent.
    fn leaf_at(&self, mut node: u32, q: &[f64]) -> (&Leaf, &Extent) {
        loop {
            let Node { extent, content } = &self.nodes[node as usize];
            match content {
                Content::Split { parameter, at, halves } => node = halves[usize::from(q[*parameter] > *at)],
                Content::Leaf(leaf) => return (leaf, extent),
            }
        }
    }

    /// Values at a point of a node. The chord method converges, because it is a contraction of the leaf's box.
    fn point(&self, node: u32, q: &[f64]) -> Vec<f64> {
        let (leaf, _) = self.leaf_at(node, q);
        solved_at(&self.loops, q, &leaf.predicted(q), Some((&leaf.center, &leaf.values)))
    }

    /// Rates at a point with its solution: by the derivatives there, or from the middle of the leaf by the second
    /// derivatives.
    fn rates_at(&self, q: &[f64], values: &[f64]) -> Vec<Vec<Ball>> {
        if let Some(found) = Solution::over(&self.loops, &Cell::point(q), values) {
            return found.rates;
        }
        let (leaf, extent) = self.leaf_at(self.root, q);
        let rate = |k: usize, p: usize| {
            let row = extent.bends[k].iter().skip(p * q.len()).zip(q.iter().zip(&leaf.center));
            let change: f64 = row.map(|(bend, (q, c))| bend * (q - c).abs()).sum();
            let Ball { mid, radius } = leaf.rates[k][p];
            Ball { mid, radius: (radius + change) * GROWTH }
        };
        (0..values.len()).map(|k| (0..q.len()).map(|p| rate(k, p)).collect()).collect()
    }

    /// Adds the extents of all leaves that meet a box.
    fn collect(&self, node: u32, ends: &[[f64; 2]], extent: &mut Extent) {
        let Node { extent: own, content } = &self.nodes[node as usize];
        match content {
            Content::Split { parameter, at, halves } => {
                let [from, to] = ends[*parameter];
                if from <= *at {
                    self.collect(halves[0], ends, extent);
                }
                if to >= *at {
                    self.collect(halves[1], ends, extent);
                }
            }
            Content::Leaf(_) => extent.add(own),
        }
    }

    /// Divides a box until the loops have one solution in each leaf, the one known at a point of the box; returns its
    /// node.
    fn node(&mut self, bounds: &[[f64; 2]], known: Known<'_>) -> Result<u32, DeadEnd> {
        let dead = || DeadEnd { at: known.0.to_vec() };
        if let Some(leaf) = self.leaf(bounds, known) {
            return Ok(self.push(leaf));
        }
        let parameter = self.widest(bounds, known).filter(|_| self.nodes.len() < MAX_NODES).ok_or_else(dead)?;
        let mut shared = Cell::around(bounds).center;
        let at = shared[parameter];
        let mut halves: [Vec<[f64; 2]>; 2] = [bounds.to_vec(), bounds.to_vec()];
        (halves[0][parameter][1], halves[1][parameter][0]) = (at, at);
        let first = usize::from(known.0[parameter] > at);
        let near = self.node(&halves[first], known)?;
        // A point of the face between both halves.
        shared[parameter] = at;
        let values = self.point(near, &shared);
        let far = self.node(&halves[1 - first], (&shared, &values))?;
        let halves = if first == 0 { [near, far] } else { [far, near] };
        let mut extent = self.nodes[near as usize].extent.clone();
        extent.add(&self.nodes[far as usize].extent);
        Ok(self.push(Node { extent, content: Content::Split { parameter, at, halves } }))
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    /// Leaf over a box; `None` if the loops are not shown to have one solution there that is the known one at its
    /// point, or if its bounds are not sharp.
    fn leaf(&mut self, bounds: &[[f64; 2]], (at, values): Known<'_>) -> Option<Node> {
        let cell = Cell::around(bounds);
        let here = Solution::over(&self.loops, &Cell::point(at), values)?;
        let steps = |of: &[Ball]| -> f64 {
            of.iter().zip(cell.center.iter().zip(at)).map(|(rate, (c, q))| rate.mid * (c - q)).sum()
        };
        let start: Vec<f64> = here.rates.iter().zip(values).map(|(of, value)| value + steps(of)).collect();
        let solved = solved_at(&self.loops, &cell.center, &start, None);
        let middle = Solution::over(&self.loops, &Cell::point(&cell.center), &solved)?;
        let mut whole = Solution::over(&self.loops, &cell, &solved)?;
        whole.sharpen(&middle, &cell);
        let along = |of: &[Ball], size: fn(&Ball) -> f64| -> f64 {
            of.iter().zip(&cell.half).map(|(rate, h)| size(rate) * h).sum()
        };
        let widest = whole.rates.iter().map(|of| along(of, Ball::magnitude)).fold(0.0, greater);
        let is_sharp = whole.rates.iter().all(|of| along(of, |rate| rate.radius) <= SHARP * widest);
        let holds = |(known, ball): (&f64, &Ball)| (known - ball.mid).abs() <= ball.radius;
        if !is_sharp || !values.iter().zip(&whole.values).all(holds) {
            return None;
        }
        for (error, value) in self.errors.iter_mut().zip(&middle.values) {
            *error = greater(*error, ANYWHERE * value.radius);
        }
        let radii = whole.values.iter().map(|v| v.radius).collect();
        let leaf = Leaf { center: cell.center, values: solved, radii, rates: middle.rates };
        let values = (0..leaf.values.len()).map(|k| self.value_ends(&leaf, bounds, &whole, k)).collect();
        Some(Node { extent: Extent { values, ..Extent::of(&whole) }, content: Content::Leaf(leaf) })
    }

    /// Least and largest value of a solved joint over a leaf of one parameter: the values at both ends, and where the
    /// joint turns back. Bounds of both for several parameters.
    fn value_ends(&self, leaf: &Leaf, bounds: &[[f64; 2]], whole: &Solution, k: usize) -> [f64; 2] {
        match bounds {
            [range] => self.ends_within(leaf, *range, whole, k, LEVELS),
            _ => value_bounds(&whole.values[k]),
        }
    }

    /// The same over a part of a leaf with the solution `whole`. Halves the part at most `levels` times, until the
    /// joint turns back at most once; a part beyond gives bounds.
    fn ends_within(&self, leaf: &Leaf, [from, to]: [f64; 2], whole: &Solution, k: usize, levels: u32) -> [f64; 2] {
        let both = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [lesser(a, c), greater(b, d)];
        let value = |q: f64| [self.solved_in(leaf, q)[k]; 2];
        let ends = both(value(from), value(to));
        if whole.rates[k][0].least_magnitude() > 0.0 {
            return ends;
        }
        if whole.bends[k][0].least_magnitude() > 0.0
            && let Some(turn) = self.turn_within(leaf, [from, to], k)
        {
            return both(ends, value(turn));
        }
        let middle = from + 0.5 * (to - from);
        let halves = [[from, middle], [middle, to]].map(|range| {
            let part = (levels > 0).then(|| self.part(leaf, range)).flatten();
            Some(self.ends_within(leaf, range, &part?, k, levels - 1))
        });
        match halves {
            [Some(first), Some(second)] => both(first, second),
            _ => value_bounds(&whole.values[k]),
        }
    }

    /// Solution at a point of a leaf of one parameter.
    fn solved_in(&self, leaf: &Leaf, q: f64) -> Vec<f64> {
        solved_at(&self.loops, &[q], &leaf.predicted(&[q]), Some((&leaf.center, &leaf.values)))
    }

    /// Encloses the solution over a part of a leaf of one parameter.
    fn part(&self, leaf: &Leaf, [from, to]: [f64; 2]) -> Option<Solution> {
        let cell = Cell::between(from, to);
        let solved = self.solved_in(leaf, cell.center[0]);
        let mut part = Solution::over(&self.loops, &cell, &solved)?;
        part.sharpen(&Solution::over(&self.loops, &Cell::point(&cell.center), &solved)?, &cell);
        Some(part)
    }

    /// Parameter where a joint turns back, within a part of a leaf where its rate only rises or only falls: an end of
    /// the part if the joint does not turn back.
    fn turn_within(&self, leaf: &Leaf, [from, to]: [f64; 2], k: usize) -> Option<f64> {
        let falls = |q: f64| {
            let found = Solution::over(&self.loops, &Cell::point(&[q]), &self.solved_in(leaf, q))?;
            Some(found.rates[k][0].mid < 0.0)
        };
        let before = falls(from)?;
        let (mut low, mut high) = (from, to);
        for _ in 0..if before == falls(to)? { 0 } else { HALVINGS } {
            let middle = low + 0.5 * (high - low);
            *(if falls(middle)? == before { &mut low } else { &mut high }) = middle;
        }
        Some(low)
    }

    /// Parameter that moves the solved joints most within a box; `None` if the box is too small to divide.
    fn widest(&self, bounds: &[[f64; 2]], (at, values): Known<'_>) -> Option<usize> {
        let here = Solution::over(&self.loops, &Cell::point(at), values)?;
        let travel = |p: usize| {
            let [from, to] = bounds[p];
            let solved = here.rates.iter().map(|of| of[p].magnitude()).fold(0.0, greater);
            let given = self.loops.iter().flat_map(|l| &l.forms).map(|f| f.rate(p).abs()).fold(0.0, greater);
            (to - from) * (solved + GIVEN_SHARE * given)
        };
        let large = |p: &usize| {
            let ([from, to], [low, high]) = (bounds[*p], self.ranges[*p]);
            to - from > SMALLEST * (high - low)
        };
        let p = (0..bounds.len()).filter(large).max_by(|p, q| travel(*p).total_cmp(&travel(*q)))?;
        (travel(p) > 0.0).then_some(p)
    }
}

/// Bounds of the least and of the largest value of an enclosure.
fn value_bounds(value: &Ball) -> [f64; 2] {
    [value.mid - value.radius, value.mid + value.radius]
}

impl Extent {
    fn none(solved: usize, parameters: usize) -> Self {
        Self {
            rates: vec![vec![0.0; parameters]; solved],
            bends: vec![vec![0.0; parameters * parameters]; solved],
            values: vec![[f64::INFINITY, f64::NEG_INFINITY]; solved],
        }
    }

    fn of(solution: &Solution) -> Self {
        let largest = |of: &Vec<Vec<Ball>>| of.iter().map(|row| row.iter().map(Ball::magnitude).collect()).collect();
        Self {
            rates: largest(&solution.rates),
            bends: largest(&solution.bends),
            values: solution.values.iter().map(value_bounds).collect(),
        }
    }

    fn add(&mut self, other: &Self) {
        let largest = |own: &mut Vec<Vec<f64>>, other: &Vec<Vec<f64>>| {
            own.iter_mut().flatten().zip(other.iter().flatten()).for_each(|(x, y)| *x = greater(*x, *y));
        };
        largest(&mut self.rates, &other.rates);
        largest(&mut self.bends, &other.bends);
        for (own, other) in self.values.iter_mut().zip(&other.values) {
            *own = [own[0].min(other[0]), own[1].max(other[1])];
        }
    }
}
