//! The families of sweeps with answers in closed form.

use crate::query::sweep::truth_cases_tests::{Case, bars, blades, doors, hinges, pins};
use crate::query::sweep::truth_chains_tests::{arms, cams, orbits, riders, rolling, scissors, wheels};
use crate::query::sweep::truth_defects_tests::{pins_with_a_defect, ridges, screws_with_a_defect};
use crate::query::sweep::truth_gears_tests::{defects, gears, racks};
use crate::query::sweep::truth_loose_tests::{lifted, plates, shoes, sliders};
use crate::query::sweep::truth_paths_tests::{geneva, paths, pegs, ranges, touches};
use crate::query::sweep::truth_screws_tests::{screws, screws_of_wrong_lead};
use crate::query::sweep::truth_slides_tests::{cubes, dovetails, drawers, feet, inner, pistons};

/// Cases of one kind of mechanism.
pub(crate) struct Family {
    pub name: &'static str,
    pub cases: fn() -> Vec<Case>,
    /// Largest number of tests of a variant.
    pub most_tests: u64,
    /// Number of cases in a quick run, each in one variant; 0 for a family that takes long.
    pub quick: usize,
}

/// Name, cases, largest number of tests, number of cases in a quick run.
type Row = (&'static str, fn() -> Vec<Case>, u64, usize);

const ROWS: &[Row] = &[
    ("bar and wall", bars, 200_000, 10),
    ("blade and fin", blades, 200_000, 6),
    ("door in a frame", doors, 200_000, 6),
    ("leaf hinge", hinges, 200_000, 6),
    ("pin in a bore", pins, 2_000_000, 6),
    ("piston", pistons, 200_000, 6),
    ("foot on a table", feet, 200_000, 4),
    ("cubes", cubes, 200_000, 4),
    ("part inside another", inner, 200_000, 6),
    ("dovetail", dovetails, 200_000, 3),
    ("drawer of three stages", drawers, 200_000, 5),
    ("cam and follower", cams, 400_000, 3),
    ("orbiting box", orbits, 400_000, 6),
    ("rolling polygon", rolling, 400_000, 6),
    ("arm of two links", arms, 400_000, 6),
    ("scissors", scissors, 400_000, 6),
    ("parts on the same turn", riders, 400_000, 2),
    ("wheel of blades", wheels, 2_000_000, 2),
    ("peg in a blind hole", pegs, 400_000, 1),
    ("path of two segments", paths, 400_000, 1),
    ("entry of a Geneva wheel", geneva, 400_000, 4),
    ("touch at one pose", touches, 400_000, 4),
    ("extreme ranges", ranges, 400_000, 6),
    ("gear pair", gears, 16_000_000, 1),
    ("rack", racks, 16_000_000, 1),
    ("screw in its nut", screws, 16_000_000, 0),
    ("screw of wrong lead", screws_of_wrong_lead, 16_000_000, 0),
    ("slide with a ridge", ridges, 400_000, 2),
    ("pin with a defect", pins_with_a_defect, 2_000_000, 1),
    ("screw with a defect", screws_with_a_defect, 16_000_000, 0),
    ("gear with a defect", defects, 16_000_000, 1),
    ("slider under a largest gap", sliders, 200_000, 5),
    ("shoe under a largest gap", shoes, 200_000, 3),
    ("hinge under a largest gap", lifted, 200_000, 3),
    ("plate under a largest gap", plates, 200_000, 3),
];

pub(crate) fn families() -> Vec<Family> {
    let family =
        |(name, cases, most_tests, quick): &Row| Family { name, cases: *cases, most_tests: *most_tests, quick: *quick };
    ROWS.iter().map(family).collect()
}
