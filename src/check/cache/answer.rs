//! Stores the answer of a unique pair between runs.

use crate::check::cache::shape::GEOMETRIES;
use crate::check::cache::{code, decoded};
use crate::check::stages::intersection::CommonSolid;
use crate::check::stages::trace::ExitStage;
use crate::check::stages::{Answer, Measured};
use crate::check::{Certainty, Relation, Status};
use crate::geom::{Aabb, Bounds, Mat3};
use crate::shape::self_union::{FAILURE_TEXTS, SelfUnion};
use serde::{Deserialize, Serialize};

const CERTAINTIES: [Certainty; 3] = [Certainty::Certified, Certainty::Bracketed, Certainty::NoInside];

const RELATIONS: [Relation; 6] = [
    Relation::Apart,
    Relation::Touch,
    Relation::Overlap,
    Relation::AContainsB,
    Relation::BContainsA,
    Relation::Coincident,
];

/// Stored form of an [`Answer`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredAnswer {
    /// Codes of status, exit stage, certainty and geometry.
    codes: [u8; 4],
    facet_allowance: Option<f64>,
    within_facet_error: bool,
    measured: Option<Box<StoredMeasured>>,
    /// Self-union result of each shape, if this pair needed it.
    overlaps: [Option<u8>; 2],
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredMeasured {
    relation: Option<u8>,
    gap: Option<f64>,
    bracket: Bounds,
    witness: [[f64; 3]; 2],
    deepest_point: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    penetration: Option<([f64; 3], f64)>,
    common: Option<StoredCommon>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredCommon {
    volume: f64,
    area: f64,
    one_sidedness: Option<f64>,
    /// Hash of all requested rotations: each box depends on all of them.
    turns: [u8; 16],
    boxes: Vec<StoredBox>,
}

/// A rotation (columns) and the box in it (least and largest corner, mm).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredBox {
    turn: [[f64; 3]; 3],
    corners: [[f64; 3]; 2],
}

impl StoredBox {
    fn of((turn, b): &(Mat3, Aabb)) -> Self {
        Self { turn: (*turn).into(), corners: [b.min.into(), b.max.into()] }
    }

    fn restored(&self) -> (Mat3, Aabb) {
        let [min, max] = self.corners.map(Into::into);
        (self.turn.into(), Aabb { min, max })
    }
}

impl StoredAnswer {
    /// Encodes an answer. Calls `turns` only for an answer that depends on the rotations of its first shape.
    pub(crate) fn of(
        answer: &Answer,
        overlaps: [Option<SelfUnion>; 2],
        turns: impl FnOnce() -> [u8; 16],
    ) -> Option<Self> {
        let Answer {
            status,
            exit_stage: left,
            certainty,
            geometry,
            facet_allowance,
            within_facet_error,
            used_self_union: _,
            measured,
        } = answer;
        let measured = match measured {
            Some(m) => Some(Box::new(StoredMeasured::of(m, turns)?)),
            None => None,
        };
        let [a, b] = overlaps.map(|o| o.map(overlaps_code));
        Some(Self {
            codes: [
                code(&Status::ALL, status)?,
                code(&ExitStage::ALL, left)?,
                code(&CERTAINTIES, certainty)?,
                code(&GEOMETRIES, geometry)?,
            ],
            facet_allowance: *facet_allowance,
            within_facet_error: *within_facet_error,
            measured,
            overlaps: [a.map_or(Some(None), |c| c.map(Some))?, b.map_or(Some(None), |c| c.map(Some))?],
        })
    }

    /// Hash of the rotations of the first shape, if the answer depends on them.
    pub(crate) fn turns(&self) -> Option<&[u8; 16]> {
        self.measured.as_ref()?.common.as_ref().map(|c| &c.turns)
    }

    /// Decodes the answer and the self-union results of both shapes; `None` for an unknown code.
    pub(crate) fn restored(&self) -> Option<(Answer, [Option<SelfUnion>; 2])> {
        let [status, left, certainty, geometry] = self.codes;
        let measured = match &self.measured {
            Some(m) => Some(Box::new(m.restored()?)),
            None => None,
        };
        let answer = Answer {
            status: decoded(&Status::ALL, status)?,
            exit_stage: decoded(&ExitStage::ALL, left)?,
            certainty: decoded(&CERTAINTIES, certainty)?,
            geometry: decoded(&GEOMETRIES, geometry)?,
            facet_allowance: self.facet_allowance,
            within_facet_error: self.within_facet_error,
            used_self_union: self.overlaps.map(|code| code.is_some()),
            measured,
        };
        let mut overlaps = [None; 2];
        for (known, code) in overlaps.iter_mut().zip(self.overlaps) {
            if let Some(code) = code {
                *known = Some(overlaps_of(code)?);
            }
        }
        Some((answer, overlaps))
    }
}

impl StoredMeasured {
    fn of(m: &Measured, turns: impl FnOnce() -> [u8; 16]) -> Option<Self> {
        let Measured { relation, gap, bracket, witness, deepest_point, normal, penetration, common } = m;
        let relation = match relation {
            Some(r) => Some(code(&RELATIONS, r)?),
            None => None,
        };
        let common = common.as_ref().map(|CommonSolid { volume, area, one_sidedness, boxes }| StoredCommon {
            volume: *volume,
            area: *area,
            one_sidedness: *one_sidedness,
            turns: turns(),
            boxes: boxes.iter().map(StoredBox::of).collect(),
        });
        Some(Self {
            relation,
            gap: *gap,
            bracket: *bracket,
            witness: witness.map(Into::into),
            deepest_point: deepest_point.map(Into::into),
            normal: normal.map(Into::into),
            penetration: penetration.map(|(t, length)| (t.into(), length)),
            common,
        })
    }

    fn restored(&self) -> Option<Measured> {
        let relation = match self.relation {
            Some(c) => Some(decoded(&RELATIONS, c)?),
            None => None,
        };
        let boxes = |c: &StoredCommon| c.boxes.iter().map(StoredBox::restored).collect();
        let common = self.common.as_ref().map(|c| CommonSolid {
            volume: c.volume,
            area: c.area,
            one_sidedness: c.one_sidedness,
            boxes: boxes(c),
        });
        Some(Measured {
            relation,
            gap: self.gap,
            bracket: self.bracket,
            witness: self.witness.map(Into::into),
            deepest_point: self.deepest_point.map(Into::into),
            normal: self.normal.map(Into::into),
            penetration: self.penetration.map(|(t, length)| (t.into(), length)),
            common,
        })
    }
}

pub(crate) fn overlaps_code(overlaps: SelfUnion) -> Option<u8> {
    match overlaps {
        SelfUnion::None => Some(0),
        SelfUnion::Resolved => Some(1),
        SelfUnion::Unresolved(why) => code(&FAILURE_TEXTS, &why).map(|c| c + 2),
    }
}

pub(crate) fn overlaps_of(code: u8) -> Option<SelfUnion> {
    match code {
        0 => Some(SelfUnion::None),
        1 => Some(SelfUnion::Resolved),
        _ => decoded(&FAILURE_TEXTS, code - 2).map(SelfUnion::Unresolved),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::Geometry;
    use crate::geom::Vec3;

    #[test]
    fn stored_value_reads_back_unchanged() {
        let v = Vec3::new(0.1, -0.0, 3.0);
        let turn = Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
        let whole = Measured {
            relation: Some(Relation::BContainsA),
            gap: Some(-0.3),
            bracket: Bounds { lower: -0.4, upper: -0.2 },
            witness: [v, 2.0 * v],
            deepest_point: Some(1.5 * v),
            normal: Some(Vec3::z()),
            penetration: Some((v, 3.0)),
            common: Some(CommonSolid {
                volume: 1.5,
                area: 9.5,
                one_sidedness: Some(0.3),
                boxes: vec![(turn, Aabb { min: -v, max: v })],
            }),
        };
        let empty = Measured {
            relation: None,
            gap: None,
            deepest_point: None,
            normal: None,
            penetration: None,
            common: None,
            ..whole.clone()
        };
        let bare = Answer::bare(Status::Clear, Certainty::Certified, Geometry::Hull);
        let answers = [
            Answer { exit_stage: ExitStage::Obb, ..bare.clone() },
            Answer { facet_allowance: Some(0.01), within_facet_error: true, ..bare.clone() },
            Answer { measured: Some(Box::new(whole)), exit_stage: ExitStage::Exact, ..bare.clone() },
            Answer { measured: Some(Box::new(empty)), certainty: Certainty::NoInside, ..bare },
        ];
        let known = [[None, None], [Some(SelfUnion::Resolved), Some(SelfUnion::Unresolved(FAILURE_TEXTS[1]))]];
        for answer in &answers {
            for overlaps in known {
                let answer = Answer { used_self_union: overlaps.map(|o| o.is_some()), ..answer.clone() };
                let stored = StoredAnswer::of(&answer, overlaps, || [3; 16]).unwrap();
                let bytes = postcard::to_allocvec(&stored).unwrap();
                let (back, of_shapes) = postcard::from_bytes::<StoredAnswer>(&bytes).unwrap().restored().unwrap();
                assert_eq!((format!("{back:?}"), of_shapes), (format!("{answer:?}"), overlaps));
                let depends = answer.measured.as_ref().is_some_and(|m| m.common.is_some());
                assert_eq!(stored.turns(), depends.then_some(&[3; 16]));
            }
        }
        let unknown = SelfUnion::Unresolved("no such reason");
        assert_eq!(StoredAnswer::of(&answers[0], [None, Some(unknown)], || [3; 16]), None);
    }
}
