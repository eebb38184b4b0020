//! Values of the solved joints of all loops over the parameters of a run, with certified bounds.
//!
//! A table divides the parameters into leaves. In each leaf the loops have exactly one solution near that of the leaf's
//! middle, and neighbouring leaves share the solution of a common point: so the table follows one continuous motion from
//! the drawing on (Krawczyk's operator in each leaf; docs/explanation/motion.md, claim 12).

use crate::geom::math::{UNIT_ROUNDOFF, greater, lesser};
use crate::motion::chain::Cell;
use crate::motion::loops::ball::Ball;
use crate::motion::loops::closure::{Closure, PlanarJoint};

/// Largest number of leaves of a table.
const MAX_LEAVES: usize = 1 << 16;

/// Smallest leaf, as a share of the range of a parameter.
const SMALLEST: f64 = 1e-9;

/// Largest error of a rate over a leaf, as a share of the largest rate of a solved joint.
const SHARP: f64 = 0.1;

/// Factor on the error of a solution at the middle of a leaf: more than that at its other points, because the inverse of
/// the derivatives at most doubles within a leaf.
const ANYWHERE: f64 = 8.0;

/// Parts of a leaf in which a joint turns back, for its least and largest value.
const PARTS: usize = 64;

/// Value of a joint as a linear function of the parameters and of the solved joints.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Form {
    /// Change for one unit of each parameter; missing ones are 0.
    pub rates: Vec<f64>,
    /// Value with all parameters and solved values 0.
    pub offset: f64,
    /// Solved joints, by their position in the table, with factors.
    pub terms: Vec<(u32, f64)>,
}

impl Form {
    pub(crate) fn constant(offset: f64) -> Self {
        Self { offset, ..Self::default() }
    }

    /// Form of ratio · value + offset.
    pub(crate) fn scaled(&self, ratio: f64, offset: f64) -> Self {
        Self {
            rates: self.rates.iter().map(|r| r * ratio).collect(),
            offset: self.offset * ratio + offset,
            terms: self.terms.iter().map(|(k, factor)| (*k, factor * ratio)).collect(),
        }
    }

    /// Value without the terms.
    pub(crate) fn linear_value(&self, q: &[f64]) -> f64 {
        self.rates.iter().zip(q).map(|(rate, q)| rate * q).sum::<f64>() + self.offset
    }

    fn rate(&self, p: usize) -> f64 {
        self.rates.get(p).copied().unwrap_or(0.0)
    }
}

/// A loop with the forms of its joints, from which the drawing is subtracted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FormedLoop {
    pub closure: Closure,
    /// Forms of all joints of the loop, measured from the drawing; those of the solved joints are not used.
    pub forms: Vec<Form>,
    /// Values of the two solved joints as drawn.
    pub homes: [f64; 2],
}

/// Solved joints over a cell: values, rates and second derivatives. Values include those of the drawing.
#[derive(Debug, Clone, PartialEq)]
struct Solution {
    values: Vec<Ball>,
    /// Rates of each joint along each parameter.
    rates: Vec<Vec<Ball>>,
    /// Second derivatives of each joint along each two parameters, row by row.
    bends: Vec<Vec<Ball>>,
}

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
    /// Solution at the middle of a leaf.
    Leaf { center: Vec<f64>, values: Vec<f64>, rates: Vec<Vec<f64>> },
    /// Halves of a parameter, below and above a value.
    Split { parameter: usize, at: f64, halves: [u32; 2] },
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
    leaves: usize,
    /// Bound of the error of each computed value.
    errors: Vec<f64>,
}

/// A point of the parameters with the values there.
type Known<'k> = (&'k [f64], &'k [f64]);

impl LoopTable {
    /// Follows the loops over the whole box `ranges`, from the known solution `values` at the point `at` of it.
    ///
    /// # Errors
    /// Returns the last point with a proof where the loops have a dead centre, or do not close beyond it.
    pub(crate) fn new(loops: Vec<FormedLoop>, ranges: Vec<[f64; 2]>, (at, values): Known<'_>) -> Result<Self, DeadEnd> {
        let solved = 2 * loops.len();
        let mut table = Self { loops, ranges, nodes: Vec::new(), root: 0, leaves: 0, errors: vec![0.0; solved] };
        let ranges = table.ranges.clone();
        table.root = table.node(&ranges, (at, values))?;
        Ok(table)
    }

    /// Computes the solved values at a point.
    pub(crate) fn values(&self, q: &[f64]) -> Vec<f64> {
        self.point(&self.clamped(q)).0
    }

    /// Bound of the error of a computed value.
    pub(crate) fn error(&self, joint: u32) -> f64 {
        self.errors[joint as usize]
    }

    /// Least and largest value of a solved joint, or a little beyond.
    pub(crate) fn value_range(&self, joint: u32) -> [f64; 2] {
        if !(0..self.ranges.len()).any(|p| self.depends_on(joint, p)) {
            let start: Vec<f64> = self.ranges.iter().map(|range| range[0]).collect();
            return [self.values(&start)[joint as usize]; 2];
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
        let (values, rates) = self.point(&center);
        let parameters = self.ranges.len();
        let mut extent = Extent::none(values.len(), parameters);
        let ends: Vec<[f64; 2]> =
            cell.center.iter().zip(&cell.half).map(|(c, h)| [(c - h).next_down(), (c + h).next_up()]).collect();
        self.collect(self.root, &ends, &mut extent);
        let along = |of: &[f64]| of.iter().zip(&cell.half).map(|(rate, h)| rate * h).sum::<f64>();
        let error = |k: usize| -> f64 {
            let of_rate = |(p, rate): (usize, &Ball)| rate.radius * cell.half[p];
            rates[k].iter().enumerate().map(of_rate).sum()
        };
        let bend = |k: usize| -> f64 {
            let row = |p: usize| along(&extent.bends[k][p * parameters..(p + 1) * parameters]) * cell.half[p];
            0.5 * (0..parameters).map(row).sum::<f64>() + error(k)
        };
        let grown = |x: f64| x * (1.0 + 64.0 * UNIT_ROUNDOFF);
        SolvedCell {
            reaches: extent.rates.iter().map(|of| grown(along(of))).collect(),
            bends: (0..values.len()).map(|k| grown(bend(k))).collect(),
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
        let start: Vec<f64> = self.ranges.iter().map(|range| range[0]).collect();
        numbers.extend(self.values(&start));
        numbers
    }

    fn clamped(&self, q: &[f64]) -> Vec<f64> {
        q.iter().zip(&self.ranges).map(|(x, [from, to])| x.clamp(*from, *to)).collect()
    }

    /// Values and rates at a point within the ranges.
    fn point(&self, q: &[f64]) -> (Vec<f64>, Vec<Vec<Ball>>) {
        let mut at = self.root;
        loop {
            match &self.nodes[at as usize].content {
                Content::Split { parameter, at: value, halves } => at = halves[usize::from(q[*parameter] > *value)],
                Content::Leaf { center, values, rates } => {
                    let predicted = |k: usize| {
                        let steps = rates[k].iter().zip(q.iter().zip(center));
                        values[k] + steps.map(|(rate, (q, c))| rate * (q - c)).sum::<f64>()
                    };
                    let start: Vec<f64> = (0..values.len()).map(predicted).collect();
                    let cell = Cell { center: q.to_vec(), half: vec![0.0; q.len()] };
                    return match self.solution(&cell, &start) {
                        Some(found) => (found.values.iter().map(|v| v.mid).collect(), found.rates),
                        None => (start, rates.iter().map(|of| of.iter().copied().map(Ball::exact).collect()).collect()),
                    };
                }
            }
        }
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
            Content::Leaf { .. } => extent.add(own),
        }
    }

    /// Divides a box until the loops have one solution in each leaf, the one known at a point of the box; returns its
    /// node.
    fn node(&mut self, bounds: &[[f64; 2]], known: Known<'_>) -> Result<u32, DeadEnd> {
        let dead = || DeadEnd { at: known.0.to_vec() };
        if let Some(leaf) = self.leaf(bounds, known) {
            self.leaves += 1;
            if self.leaves > MAX_LEAVES {
                return Err(dead());
            }
            return Ok(self.push(leaf));
        }
        let parameter = self.widest(bounds, known).ok_or_else(dead)?;
        let [from, to] = bounds[parameter];
        let at = from + 0.5 * (to - from);
        let mut halves: [Vec<[f64; 2]>; 2] = [bounds.to_vec(), bounds.to_vec()];
        (halves[0][parameter][1], halves[1][parameter][0]) = (at, at);
        let first = usize::from(known.0[parameter] > at);
        let near = self.node(&halves[first], known)?;
        // A point of the face between both halves.
        let mut shared: Vec<f64> = bounds.iter().map(|[from, to]| from + 0.5 * (to - from)).collect();
        shared[parameter] = at;
        let root = std::mem::replace(&mut self.root, near);
        let (values, _) = self.point(&shared);
        self.root = root;
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

    /// Leaf over a box; `None` if the loops are not shown to have one solution there that is the known one at its point,
    /// or if its bounds are not sharp.
    fn leaf(&mut self, bounds: &[[f64; 2]], (at, values): Known<'_>) -> Option<Node> {
        let parts: Vec<Cell> = bounds.iter().map(|[from, to]| Cell::between(*from, *to)).collect();
        let cell = Cell {
            center: parts.iter().flat_map(|c| c.center.clone()).collect(),
            half: parts.iter().flat_map(|c| c.half.clone()).collect(),
        };
        let point = |q: &[f64]| Cell { center: q.to_vec(), half: vec![0.0; q.len()] };
        let here = self.solution(&point(at), values)?;
        let predicted = |k: usize| {
            let steps = here.rates[k].iter().zip(cell.center.iter().zip(at));
            values[k] + steps.map(|(rate, (c, q))| rate.mid * (c - q)).sum::<f64>()
        };
        let start: Vec<f64> = (0..values.len()).map(predicted).collect();
        let middle = self.solution(&point(&cell.center), &start)?;
        let start: Vec<f64> = middle.values.iter().map(|v| v.mid).collect();
        let mut whole = self.solution(&cell, &start)?;
        whole.sharpen(&middle, &cell);
        let holds = |(known, ball): (&f64, &Ball)| (known - ball.mid).abs() <= ball.radius;
        let sharp = |of: &Vec<Ball>, widest: f64| {
            of.iter().zip(&cell.half).map(|(rate, h)| rate.radius * h).sum::<f64>() <= SHARP * widest
        };
        let path = |of: &Vec<Ball>| of.iter().zip(&cell.half).map(|(rate, h)| rate.magnitude() * h).sum::<f64>();
        let widest = whole.rates.iter().map(path).fold(0.0, greater);
        if !values.iter().zip(&whole.values).all(holds) || !whole.rates.iter().all(|of| sharp(of, widest)) {
            return None;
        }
        for (error, value) in self.errors.iter_mut().zip(&middle.values) {
            *error = greater(*error, ANYWHERE * value.radius);
        }
        let extent = Extent { values: self.value_ends(&whole, &middle, &cell), ..Extent::of(&whole) };
        let rates = middle.rates.iter().map(|of| of.iter().map(|rate| rate.mid).collect()).collect();
        Some(Node { extent, content: Content::Leaf { center: cell.center, values: start, rates } })
    }

    /// Least and largest value of each solved joint over a cell: the values at both ends where the joint only rises or only
    /// falls, else bounds from the middles of [`PARTS`] parts.
    fn value_ends(&self, whole: &Solution, middle: &Solution, cell: &Cell) -> Vec<[f64; 2]> {
        let start: Vec<f64> = middle.values.iter().map(|v| v.mid).collect();
        let point = |q: f64| self.solution(&Cell { center: vec![q], half: vec![0.0] }, &start);
        let monotone = |k: usize| whole.rates[k].iter().all(|rate| rate.least_magnitude() > 0.0);
        let mut ends = vec![[f64::INFINITY, f64::NEG_INFINITY]; start.len()];
        let mut add = |k: usize, least: f64, most: f64| {
            ends[k] = [lesser(ends[k][0], least), greater(ends[k][1], most)];
        };
        if let ([center], [half]) = (cell.center.as_slice(), cell.half.as_slice())
            && let (Some(first), Some(last)) = (point(center - half), point(center + half))
        {
            for k in (0..start.len()).filter(|k| monotone(*k)) {
                let (x, y) = (first.values[k].mid, last.values[k].mid);
                add(k, lesser(x, y), greater(x, y));
            }
            let small = half / PARTS as f64;
            let parts = (0..PARTS).map(|part| point(center - half + small * (2 * part + 1) as f64));
            if !(0..start.len()).all(monotone)
                && let Some(parts) = parts.collect::<Option<Vec<Solution>>>()
            {
                for (k, part) in
                    (0..start.len()).filter(|k| !monotone(*k)).flat_map(|k| parts.iter().map(move |p| (k, p)))
                {
                    let change = small * (part.rates[k][0].magnitude() + 0.5 * small * whole.bends[k][0].magnitude());
                    add(k, part.values[k].mid - change, part.values[k].mid + change);
                }
            }
        }
        let bounds = |(k, found): (usize, [f64; 2])| {
            let v = &whole.values[k];
            if found[0] <= found[1] { found } else { [v.mid - v.radius, v.mid + v.radius] }
        };
        ends.into_iter().enumerate().map(bounds).collect()
    }

    /// Parameter that moves the solved joints most within a box; `None` if the box is too small to divide.
    fn widest(&self, bounds: &[[f64; 2]], (at, values): Known<'_>) -> Option<usize> {
        let here = self.solution(&Cell { center: at.to_vec(), half: vec![0.0; at.len()] }, values)?;
        let travel = |p: usize| {
            let [from, to] = bounds[p];
            let rate = here.rates.iter().map(|of| of[p].magnitude()).fold(0.0, greater);
            // A rate may be 0 at this point alone.
            let inputs = self.loops.iter().flat_map(|l| &l.forms).map(|f| f.rate(p).abs()).fold(0.0, greater);
            (to - from) * (rate + 1e-3 * inputs)
        };
        let large = |p: &usize| {
            let ([from, to], [low, high]) = (bounds[*p], self.ranges[*p]);
            to - from > SMALLEST * (high - low)
        };
        let p = (0..bounds.len()).filter(large).max_by(|p, q| travel(*p).total_cmp(&travel(*q)))?;
        (travel(p) > 0.0).then_some(p)
    }

    /// Solves all loops over a cell, from approximate values of the solved joints in its middle.
    fn solution(&self, cell: &Cell, start: &[f64]) -> Option<Solution> {
        let parameters = self.ranges.len();
        let mut found = Solution { values: Vec::new(), rates: Vec::new(), bends: Vec::new() };
        for (one, start) in self.loops.iter().zip(start.chunks(2)) {
            let FormedLoop { closure, forms, homes } = one;
            let mut values: Vec<Ball> = forms.iter().map(|form| found.value(form, cell)).collect();
            let mut middle: Vec<f64> = values.iter().map(|v| v.mid).collect();
            for (k, at) in closure.solved.iter().enumerate() {
                middle[*at] = start[k] - homes[k];
            }
            if !closure.solve(&mut middle) {
                return None;
            }
            values.iter_mut().zip(&middle).for_each(|(ball, mid)| ball.mid = *mid);
            let enclosure = closure.enclose(values)?;
            let mut rates: Vec<Vec<Ball>> = Vec::with_capacity(parameters);
            for p in 0..parameters {
                let mut all: Vec<Ball> = forms.iter().map(|form| found.rate(form, p)).collect();
                let own = closure.rates(&enclosure, &all)?;
                closure.solved.iter().zip(own).for_each(|(at, rate)| all[*at] = rate);
                rates.push(all);
            }
            let mut bends = [Vec::new(), Vec::new()];
            for p in 0..parameters {
                for q in 0..parameters {
                    let all: Vec<Ball> = forms.iter().map(|form| found.bend(form, p * parameters + q)).collect();
                    let own = closure.bends(&enclosure, [&rates[p], &rates[q]], &all)?;
                    bends.iter_mut().zip(own).for_each(|(of, bend)| of.push(bend));
                }
            }
            for ((k, at), bends) in closure.solved.iter().enumerate().zip(bends) {
                found.values.push(enclosure.values[*at] + Ball::exact(homes[k]));
                found.rates.push(rates.iter().map(|all| all[*at]).collect());
                found.bends.push(bends);
            }
        }
        Some(found)
    }
}

impl Solution {
    /// Value of a form over a cell.
    fn value(&self, form: &Form, cell: &Cell) -> Ball {
        let along = cell.center.iter().zip(&cell.half).zip(&form.rates);
        let linear = along.fold(Ball::exact(form.offset), |sum, ((mid, radius), rate)| {
            sum + Ball { mid: *mid, radius: *radius } * Ball::exact(*rate)
        });
        with_terms(form, linear, |k| self.values[k])
    }

    /// Rate of a form along a parameter.
    fn rate(&self, form: &Form, p: usize) -> Ball {
        with_terms(form, Ball::exact(form.rate(p)), |k| self.rates[k][p])
    }

    /// Second derivative of a form along two parameters.
    fn bend(&self, form: &Form, pq: usize) -> Ball {
        with_terms(form, Ball::ZERO, |k| self.bends[k][pq])
    }
}

/// Adds the terms of a form to its linear part.
fn with_terms(form: &Form, start: Ball, of: impl Fn(usize) -> Ball) -> Ball {
    form.terms.iter().fold(start, |sum, (k, factor)| sum + of(*k as usize) * Ball::exact(*factor))
}

impl Solution {
    /// Bounds the rates by those at the middle of the cell and by the second derivatives, where this is sharper.
    fn sharpen(&mut self, middle: &Self, cell: &Cell) {
        let parameters = cell.half.len();
        for ((rates, bends), at_middle) in self.rates.iter_mut().zip(&self.bends).zip(&middle.rates) {
            for (p, (rate, start)) in rates.iter_mut().zip(at_middle).enumerate() {
                let row = &bends[p * parameters..(p + 1) * parameters];
                let change = row.iter().zip(&cell.half).map(|(bend, h)| bend.magnitude() * h).sum::<f64>();
                let radius = (start.radius + change) * (1.0 + 64.0 * UNIT_ROUNDOFF);
                if radius < rate.radius {
                    *rate = Ball { mid: start.mid, radius };
                }
            }
        }
    }
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
        let ends = |v: &Ball| [v.mid - v.radius, v.mid + v.radius];
        Self {
            rates: largest(&solution.rates),
            bends: largest(&solution.bends),
            values: solution.values.iter().map(ends).collect(),
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
