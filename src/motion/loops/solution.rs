//! Solved joints of all loops over one cell of the parameters: values, rates and second derivatives.

use crate::motion::chain::Cell;
use crate::motion::loops::ball::{Ball, GROWTH};
use crate::motion::loops::closure::Closure;

/// Value of a joint as a linear function of the parameters and of the solved joints.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Form {
    /// Change for one unit of each parameter; missing ones are 0.
    pub rates: Vec<f64>,
    /// Value with all parameters and solved values 0.
    pub offset: f64,
    /// Solved joints, by their position among those of all loops, with factors.
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

    /// Value at a point, given the solved joints there.
    fn value(&self, q: &[f64], solved: &[f64]) -> f64 {
        self.linear_value(q) + self.terms.iter().map(|(k, factor)| factor * solved[*k as usize]).sum::<f64>()
    }

    pub(super) fn rate(&self, p: usize) -> f64 {
        self.rates.get(p).copied().unwrap_or(0.0)
    }

    /// Adds the terms to a linear part.
    fn with_terms(&self, linear: Ball, of: impl Fn(usize) -> Ball) -> Ball {
        self.terms.iter().fold(linear, |sum, (k, factor)| sum + of(*k as usize) * Ball::exact(*factor))
    }
}

/// A loop with the forms of its joints, both measured from the drawing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FormedLoop {
    pub closure: Closure,
    /// Forms of all joints of the loop; those of the solved joints are not used.
    pub forms: Vec<Form>,
    /// Values of the two solved joints as drawn.
    pub homes: [f64; 2],
}

impl FormedLoop {
    /// Values of all joints at a point, given those of the solved joints of this loop and of the loops before it.
    fn values(&self, q: &[f64], before: &[f64], own: &[f64]) -> Vec<f64> {
        let mut values: Vec<f64> = self.forms.iter().map(|form| form.value(q, before)).collect();
        for (k, at) in self.closure.solved.iter().enumerate() {
            values[*at] = own[k] - self.homes[k];
        }
        values
    }
}

/// Solved joints at a point of the parameters.
pub(super) type Known<'k> = (&'k [f64], &'k [f64]);

/// Solves the loops one after another at a point, from approximate values of the solved joints: by Newton's method, or
/// by the chord method from a known solution.
pub(super) fn solved_at(loops: &[FormedLoop], q: &[f64], start: &[f64], chord: Option<Known<'_>>) -> Vec<f64> {
    let mut solved: Vec<f64> = Vec::with_capacity(start.len());
    for (k, one) in loops.iter().enumerate() {
        let own = 2 * k..2 * k + 2;
        let mut values = one.values(q, &solved, &start[own.clone()]);
        let fixed = chord.map(|(at, known)| one.values(at, known, &known[own]));
        one.closure.solve(&mut values, fixed.as_deref());
        solved.extend(one.closure.solved.iter().zip(one.homes).map(|(at, home)| values[*at] + home));
    }
    solved
}

/// Solved joints over a cell. Values include those of the drawing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Solution {
    pub values: Vec<Ball>,
    /// Rates of each joint along each parameter.
    pub rates: Vec<Vec<Ball>>,
    /// Second derivatives of each joint along each two parameters, row by row.
    pub bends: Vec<Vec<Ball>>,
}

impl Solution {
    /// Encloses the solved joints over a cell, given those in its middle; `None` where this shows no single solution.
    pub(super) fn over(loops: &[FormedLoop], cell: &Cell, middle: &[f64]) -> Option<Self> {
        let mut found = Self { values: Vec::new(), rates: Vec::new(), bends: Vec::new() };
        for (one, middle) in loops.iter().zip(middle.chunks(2)) {
            found.add(one, cell, middle)?;
        }
        Some(found)
    }

    /// Adds the two solved joints of the next loop.
    fn add(&mut self, one: &FormedLoop, cell: &Cell, middle: &[f64]) -> Option<()> {
        let FormedLoop { closure, forms, homes } = one;
        let parameters = cell.center.len();
        let mut values: Vec<Ball> = forms.iter().map(|form| self.value(form, cell)).collect();
        for (k, at) in closure.solved.iter().enumerate() {
            values[*at] = Ball::exact(middle[k] - homes[k]);
        }
        let enclosure = closure.enclose(values)?;
        let mut rates: Vec<Vec<Ball>> = Vec::with_capacity(parameters);
        for p in 0..parameters {
            let rate = |form: &Form| form.with_terms(Ball::exact(form.rate(p)), |k| self.rates[k][p]);
            let mut all: Vec<Ball> = forms.iter().map(rate).collect();
            let own = closure.rates(&enclosure, &all)?;
            closure.solved.iter().zip(own).for_each(|(at, rate)| all[*at] = rate);
            rates.push(all);
        }
        let mut bends = [Vec::new(), Vec::new()];
        for (p, q) in (0..parameters).flat_map(|p| (0..parameters).map(move |q| (p, q))) {
            let bend = |form: &Form| form.with_terms(Ball::ZERO, |k| self.bends[k][p * parameters + q]);
            let all: Vec<Ball> = forms.iter().map(bend).collect();
            let own = closure.bends(&enclosure, [&rates[p], &rates[q]], &all)?;
            bends.iter_mut().zip(own).for_each(|(of, bend)| of.push(bend));
        }
        for ((k, at), bends) in closure.solved.iter().enumerate().zip(bends) {
            self.values.push(enclosure.values[*at] + Ball::exact(homes[k]));
            self.rates.push(rates.iter().map(|all| all[*at]).collect());
            self.bends.push(bends);
        }
        Some(())
    }

    /// Value of a form over a cell.
    fn value(&self, form: &Form, cell: &Cell) -> Ball {
        let along = cell.center.iter().zip(&cell.half).zip(&form.rates);
        let linear = along.fold(Ball::exact(form.offset), |sum, ((mid, radius), rate)| {
            sum + Ball { mid: *mid, radius: *radius } * Ball::exact(*rate)
        });
        form.with_terms(linear, |k| self.values[k])
    }

    /// Bounds the rates by those at the middle of the cell and by the second derivatives, where this is sharper.
    pub(super) fn sharpen(&mut self, middle: &Self, cell: &Cell) {
        for ((rates, bends), at_middle) in self.rates.iter_mut().zip(&self.bends).zip(&middle.rates) {
            for (p, (rate, start)) in rates.iter_mut().zip(at_middle).enumerate() {
                let row = bends.iter().skip(p * cell.half.len()).zip(&cell.half);
                let change = row.map(|(bend, h)| bend.magnitude() * h).sum::<f64>();
                let radius = (start.radius + change) * GROWTH;
                if radius < rate.radius {
                    *rate = Ball { mid: start.mid, radius };
                }
            }
        }
    }
}
