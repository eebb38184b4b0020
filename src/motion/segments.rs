//! Segments of a run: the laws of all joints, with loops closed from the drawing on.

use crate::geom::Vec3;
use crate::geom::math::basis;
use crate::motion::chain::Law;
use crate::motion::joint::JointKind;
use crate::motion::loops::closure::{Closure, PlanarJoint};
use crate::motion::loops::law::SolvedLaw;
use crate::motion::loops::solution::{Form, FormedLoop};
use crate::motion::loops::table::{DeadEnd, LoopTable};
use crate::motion::mechanism::{JointIx, Loop, Mechanism, MechanismJoint};
use crate::motion::run::{RunKind, Segment};
use std::sync::Arc;

/// Joint values beyond which no motion of a loop is proved: the loop does not close there, or has a dead centre.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopStop {
    /// Values of the joints that drive the motion, the last ones with a proof.
    pub values: Vec<(JointIx, f64)>,
}

/// Forms of all joints over a box of parameters.
struct Drive {
    forms: Vec<Form>,
    ranges: Vec<[f64; 2]>,
}

/// Joint values from which a drive is reached.
struct State {
    /// Values of all joints; those of solved joints and their followers are not used.
    values: Vec<f64>,
    /// Values of the solved joints.
    solved: Vec<f64>,
}

impl Mechanism {
    /// Segments of a run: one for a pose and a box, one for each two neighbouring configurations of a path, with one
    /// parameter from 0 to 1. The parameters of a box are the values of its joints. Loops are followed from the
    /// drawing: first on a straight line of joint values to the start of the run, then over the run.
    ///
    /// Cost: linear without loops; with loops in proportion to the travel as well, and more near a dead centre.
    ///
    /// # Errors
    /// Returns the joint values from which on a loop does not close, or has a dead centre.
    pub fn segments(&self, run: &RunKind) -> Result<Vec<Segment>, LoopStop> {
        let drives = self.drives(run);
        if self.loops().is_empty() {
            let linear = |form: Form| Law::of_rates(form.rates, form.offset);
            let segment = |d: Drive| Segment { laws: d.forms.into_iter().map(linear).collect(), ranges: d.ranges };
            return Ok(drives.into_iter().map(segment).collect());
        }
        let mut state = State {
            values: self.joints().iter().map(|j| j.home).collect(),
            solved: self.closing().flat_map(|l| l.solves.map(|j| self.joints()[j.0 as usize].home)).collect(),
        };
        drives.into_iter().map(|drive| self.closed(drive, &mut state)).collect()
    }

    fn drives(&self, run: &RunKind) -> Vec<Drive> {
        match run {
            RunKind::Pose { set } => {
                let driven: Vec<_> = set.iter().map(|(j, value)| (*j, Form::constant(*value))).collect();
                vec![Drive { forms: self.forms(&driven), ranges: Vec::new() }]
            }
            RunKind::Box { swept, rest } => {
                let n = swept.len();
                let mut driven: Vec<_> = rest.iter().map(|(j, value)| (*j, Form::constant(*value))).collect();
                driven.extend(swept.iter().enumerate().map(|(p, (j, _))| {
                    let rates = (0..n).map(|k| if k == p { 1.0 } else { 0.0 }).collect();
                    (*j, Form { rates, ..Form::default() })
                }));
                let ranges = swept.iter().map(|(_, range)| *range).collect();
                vec![Drive { forms: self.forms(&driven), ranges }]
            }
            RunKind::Path { configurations } => {
                let values: Vec<Vec<f64>> = configurations.iter().map(|set| self.values(set)).collect();
                values.windows(2).map(|ends| self.line(&ends[0], &ends[1])).collect()
            }
        }
    }

    /// Drive on a straight line between the values of all joints, with a parameter from 0 to 1.
    fn line(&self, from: &[f64], to: &[f64]) -> Drive {
        let between = |(from, to): (&f64, &f64)| Form { rates: vec![to - from], offset: *from, terms: Vec::new() };
        let linear: Vec<Form> = from.iter().zip(to).map(between).collect();
        let driven: Vec<(JointIx, Form)> = self.free().map(|(ix, _)| (ix, linear[ix.0 as usize].clone())).collect();
        let mut forms = self.forms(&driven);
        forms.iter_mut().zip(linear).filter(|(form, _)| form.terms.is_empty()).for_each(|(form, own)| *form = own);
        Drive { forms, ranges: vec![[0.0, 1.0]] }
    }

    /// Closes the loops over a drive, on from a state; leaves the state at its end.
    fn closed(&self, drive: Drive, state: &mut State) -> Result<Segment, LoopStop> {
        let start: Vec<f64> = drive.ranges.iter().map(|range| range[0]).collect();
        let at_start: Vec<f64> = drive.forms.iter().map(|form| form.linear_value(&start)).collect();
        let approach = self.line(&state.values, &at_start);
        let table = self.table(&approach, &[0.0], &state.solved)?;
        let table = self.table(&drive, &start, &table.values(&[1.0]))?;
        let end: Vec<f64> = drive.ranges.iter().map(|range| range[1]).collect();
        state.values = drive.forms.iter().map(|form| form.linear_value(&end)).collect();
        state.solved = table.values(&end);
        let (table, parameters) = (Arc::new(table), drive.ranges.len());
        let law = |form: Form| {
            let Form { rates, offset, terms } = form;
            let solved = (!terms.is_empty()).then(|| SolvedLaw::new(terms, &table, parameters));
            Law { rates, offset, solved }
        };
        Ok(Segment { laws: drive.forms.into_iter().map(law).collect(), ranges: drive.ranges })
    }

    fn table(&self, drive: &Drive, at: &[f64], solved: &[f64]) -> Result<LoopTable, LoopStop> {
        let loops = self.closing().map(|l| self.formed(l, &drive.forms)).collect();
        LoopTable::new(loops, drive.ranges.clone(), (at, solved)).map_err(|DeadEnd { at }| {
            let moved = |(ix, own): (JointIx, &MechanismJoint)| {
                let form = &drive.forms[ix.0 as usize];
                let value = form.linear_value(&at);
                (value != own.home || form.rates.iter().any(|rate| *rate != 0.0)).then_some((ix, value))
            };
            LoopStop { values: self.free().filter_map(moved).collect() }
        })
    }

    /// The loop in the plane across its pin, with the forms of its joints from the drawing on.
    fn formed(&self, one: &Loop, forms: &[Form]) -> FormedLoop {
        let (x, y) = basis(&one.axis);
        let planar = |v: &Vec3| [v.dot(&x), v.dot(&y)];
        let ring = self.ring(one);
        let joint = |j: &JointIx| {
            let own = &self.joints()[j.0 as usize].joint;
            match own.kind {
                JointKind::Prismatic => PlanarJoint::Slide { along: planar(&own.axis) },
                _ => PlanarJoint::Turn { at: planar(&(own.at - one.at)), sign: one.axis.dot(&own.axis).signum() },
            }
        };
        let all: Vec<JointIx> = ring.iter().flatten().copied().collect();
        let from_home = |j: &JointIx| {
            if one.solves.contains(j) {
                return Form::default();
            }
            let own = &forms[j.0 as usize];
            Form { offset: own.offset - self.joints()[j.0 as usize].home, ..own.clone() }
        };
        FormedLoop {
            closure: Closure {
                joints: ring.map(|side| side.iter().map(joint).collect()),
                solved: one.solves.map(|solved| all.iter().position(|j| *j == solved).unwrap_or(0)),
            },
            forms: all.iter().map(from_home).collect(),
            homes: one.solves.map(|j| self.joints()[j.0 as usize].home),
        }
    }
}
