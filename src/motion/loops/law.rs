//! The value of a joint that depends on solved joints of loops.

use crate::motion::chain::Cell;
use crate::motion::loops::table::{LoopTable, SolvedCell};
use std::sync::Arc;

/// Part of a law that depends on the solved joints of loops: Σ factor · solved value.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedLaw {
    /// Solved joints by their position in the table, with factors.
    terms: Vec<(u32, f64)>,
    /// Values of the solved joints over the parameters of the run.
    table: Arc<LoopTable>,
    /// Value of each parameter of the table.
    arguments: Vec<Argument>,
}

/// Parameter of a table as a function of the parameters of a law: sign · parameter, or one value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Argument {
    Parameter { index: usize, sign: f64 },
    Constant(f64),
}

impl SolvedLaw {
    /// Law on all parameters of a table.
    pub(crate) fn new(terms: Vec<(u32, f64)>, table: &Arc<LoopTable>, parameters: usize) -> Self {
        let arguments = (0..parameters).map(|index| Argument::Parameter { index, sign: 1.0 }).collect();
        Self { terms, table: table.clone(), arguments }
    }

    /// Computes the value at some parameters.
    pub(crate) fn value(&self, q: &[f64]) -> f64 {
        self.sum(&self.solved(q))
    }

    /// Values of all solved joints at some parameters; equal for the laws of one chain.
    pub(crate) fn solved(&self, q: &[f64]) -> Vec<f64> {
        let q: Vec<f64> = self.arguments.iter().map(|argument| argument.value(q)).collect();
        self.table.values(&q)
    }

    /// Bounds all solved joints over a cell; equal for the laws of one chain.
    pub(crate) fn over(&self, cell: &Cell) -> SolvedCell {
        let half = |argument: &Argument| match argument {
            Argument::Parameter { index, .. } => cell.half.get(*index).copied().unwrap_or(0.0),
            Argument::Constant(_) => 0.0,
        };
        self.table.over(&Cell {
            center: self.arguments.iter().map(|argument| argument.value(&cell.center)).collect(),
            half: self.arguments.iter().map(half).collect(),
        })
    }

    /// Sum over the terms, with the value of each solved joint.
    pub(crate) fn sum(&self, values: &[f64]) -> f64 {
        self.terms.iter().map(|(k, factor)| factor * values[*k as usize]).sum()
    }

    /// Sum over the terms with the magnitudes of their factors.
    pub(crate) fn bound(&self, values: &[f64]) -> f64 {
        self.terms.iter().map(|(k, factor)| factor.abs() * values[*k as usize]).sum()
    }

    /// Rate at the middle of a cell along a parameter of the law.
    pub(crate) fn rate(&self, p: usize, solved: &SolvedCell) -> f64 {
        let of = |argument: &Argument, rate: f64| match argument {
            Argument::Parameter { index, sign } if *index == p => sign * rate,
            _ => 0.0,
        };
        let along = |k: u32| {
            let rates = &solved.rates[k as usize];
            self.arguments.iter().zip(rates).map(|(argument, rate)| of(argument, *rate)).sum::<f64>()
        };
        self.terms.iter().map(|(k, factor)| factor * along(*k)).sum()
    }

    /// True if a parameter of the law changes the value.
    pub(crate) fn depends_on(&self, p: usize) -> bool {
        let takes = |argument: &Argument| matches!(argument, Argument::Parameter { index, .. } if *index == p);
        let along = |k: u32| {
            let mut arguments = self.arguments.iter().enumerate();
            arguments.any(|(of_table, argument)| takes(argument) && self.table.depends_on(k, of_table))
        };
        self.terms.iter().any(|(k, factor)| *factor != 0.0 && along(*k))
    }

    /// Number of parameters of the law.
    pub(crate) fn parameters(&self) -> usize {
        let index = |argument: &Argument| match argument {
            Argument::Parameter { index, .. } => index + 1,
            Argument::Constant(_) => 0,
        };
        self.arguments.iter().map(index).max().unwrap_or(0)
    }

    /// Least and largest value over the whole table.
    pub(crate) fn value_range(&self) -> [f64; 2] {
        self.terms.iter().fold([0.0; 2], |[low, high], (k, factor)| {
            let ends = self.table.value_range(*k).map(|value| value * factor);
            [low + ends[0].min(ends[1]), high + ends[0].max(ends[1])]
        })
    }

    /// Bound of the error of a computed value.
    pub(crate) fn error(&self) -> f64 {
        self.terms.iter().map(|(k, factor)| factor.abs() * self.table.error(*k)).sum()
    }

    /// The same law, times a factor.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self { terms: self.terms.iter().map(|(k, own)| (*k, own * factor)).collect(), ..self.clone() }
    }

    /// The same law on the negated parameters.
    pub(crate) fn reversed(&self) -> Self {
        let reversed = |argument: &Argument| match *argument {
            Argument::Parameter { index, sign } => Argument::Parameter { index, sign: -sign },
            Argument::Constant(value) => Argument::Constant(value),
        };
        Self { arguments: self.arguments.iter().map(reversed).collect(), ..self.clone() }
    }

    /// The same law on some of its parameters; the others keep the values `rest`.
    pub(crate) fn restricted(&self, parameters: &[usize], rest: &[f64]) -> Self {
        let restricted = |argument: &Argument| match *argument {
            Argument::Parameter { index, sign } => match parameters.iter().position(|p| *p == index) {
                Some(index) => Argument::Parameter { index, sign },
                None => Argument::Constant(sign * rest.get(index).copied().unwrap_or(0.0)),
            },
            Argument::Constant(value) => Argument::Constant(value),
        };
        Self { arguments: self.arguments.iter().map(restricted).collect(), ..self.clone() }
    }

    /// Numbers that define the law.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let mut numbers = self.table.numbers();
        numbers.extend(self.terms.iter().flat_map(|(k, factor)| [f64::from(*k), *factor]));
        for argument in &self.arguments {
            numbers.extend(match argument {
                Argument::Parameter { index, sign } => [*index as f64, *sign],
                Argument::Constant(value) => [-1.0, *value],
            });
        }
        numbers
    }
}

impl Argument {
    fn value(&self, q: &[f64]) -> f64 {
        match *self {
            Self::Parameter { index, sign } => sign * q.get(index).copied().unwrap_or(0.0),
            Self::Constant(value) => value,
        }
    }
}
