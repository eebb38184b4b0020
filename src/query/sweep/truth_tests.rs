//! Sweeps with answers in closed form, each in eight variants: as drawn, turned, far from the origin, with the parts
//! exchanged, with the parameter reversed, and with another parameter and other points of the axes.

use crate::geom::math::UNIT_ROUNDOFF;
use crate::geom::{Pose, Vec3};
use crate::motion::{Chain, ChainJoint, Joint, JointKind, Law};
use crate::query::depth::tests::{Part, part_with};
use crate::query::sweep::truth_cases_tests::{Case, End, TOLERANCE};
use crate::query::sweep::truth_families_tests::{Family, families};
use crate::query::sweep::truth_slides_tests::feet;
use crate::query::sweep::{DEFAULT_TESTS, Sweep, SweepAnswer, SweepStatus};
use crate::shape::surface::Inside;
use crate::testkit::poses::{about_z, oblique};
use crate::testkit::solids::moved;

/// Position of the assembly of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    AsDrawn,
    Turned,
    Far,
}

/// Parameter of the run, and the joints of both parts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Parameter {
    AsDrawn,
    /// From the end to the start.
    Reversed,
    /// A third of the parameter plus 7, axes of length 3.7 with a point 10 m away, all joints on A's side.
    Changed,
}

/// One form of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Variant {
    place: Place,
    exchanged: bool,
    parametrised: Parameter,
}

/// Share of the new parameter, and its value where the old one is 0, for [`Parameter::Changed`].
const CHANGED: [f64; 2] = [3.0, 7.0];

fn variants() -> Vec<Variant> {
    let places = [Place::AsDrawn, Place::Turned, Place::Far];
    let both = |place| [false, true].map(|exchanged| Variant { place, exchanged, parametrised: Parameter::AsDrawn });
    let drawn = Variant { place: Place::AsDrawn, exchanged: false, parametrised: Parameter::AsDrawn };
    let others = [Parameter::Reversed, Parameter::Changed].map(|parametrised| Variant { parametrised, ..drawn });
    places.into_iter().flat_map(both).chain(others).collect()
}

impl Variant {
    fn pose(self) -> Pose {
        match self.place {
            Place::AsDrawn => Pose::identity(),
            Place::Turned => Pose { rotation: oblique(), translation: Vec3::new(3.0, -70.0, 11.0) },
            Place::Far => Pose { rotation: about_z(31.0), translation: Vec3::new(1e6, -1e6, 1e6) },
        }
    }

    /// The new parameter for a value of the old one.
    fn parameter(self, q: f64) -> f64 {
        match self.parametrised {
            Parameter::AsDrawn => q,
            Parameter::Reversed => -q,
            Parameter::Changed => q / CHANGED[0] + CHANGED[1],
        }
    }

    /// An interval of the old parameter in the new one.
    fn interval(self, [from, to]: [f64; 2]) -> [f64; 2] {
        let [a, b] = [self.parameter(from), self.parameter(to)];
        if a <= b { [a, b] } else { [b, a] }
    }

    fn joint(self, j: &ChainJoint) -> ChainJoint {
        let at = self.pose();
        let joint = Joint { axis: at.direction(&j.joint.axis), at: at.point(&j.joint.at), ..j.joint };
        let (rate, offset) = (j.law.rates[0], j.law.offset);
        match self.parametrised {
            Parameter::AsDrawn => ChainJoint { joint, law: j.law.clone() },
            Parameter::Reversed => ChainJoint { joint, law: Law::linear(-rate, offset) },
            Parameter::Changed => {
                let far = if joint.kind == JointKind::Prismatic { joint.at } else { joint.at + joint.axis * 1e4 };
                let joint = Joint { axis: joint.axis * 3.7, at: far, ..joint };
                ChainJoint { joint, law: Law::linear(CHANGED[0] * rate, offset - CHANGED[0] * CHANGED[1] * rate) }
            }
        }
    }

    /// The joints of both sides; all on the first side for [`Parameter::Changed`].
    fn joints(self, case: &Case) -> [Vec<ChainJoint>; 2] {
        let [a, b] = case.joints.each_ref().map(|side| side.iter().map(|j| self.joint(j)).collect::<Vec<_>>());
        if self.parametrised != Parameter::Changed {
            return [a, b];
        }
        let turned_round = |j: &ChainJoint| {
            let law = Law::of_rates(j.law.rates.iter().map(|r| -r).collect(), -j.law.offset);
            ChainJoint { joint: j.joint, law }
        };
        [a.iter().cloned().chain(b.iter().rev().map(turned_round)).collect(), Vec::new()]
    }
}

/// Runs a variant of a case. Returns the answer, and the largest displacement of the parts between two values.
fn run(case: &Case, variant: Variant) -> (SweepAnswer, impl Fn([f64; 2]) -> f64) {
    let (answer, corners, chain) = with_sweep(case, variant, |sweep| {
        let corners = [sweep.a, sweep.b].map(|solid| solid.surface.vertices.clone());
        // Half of the variants with several turns repeat the answer of the first one.
        let turn = sweep.first_turn().filter(|_| variant.exchanged);
        let by_turns = turn.and_then(|turn| turn.answer().repeated(&turn, sweep));
        (by_turns.unwrap_or_else(|| sweep.answer()), corners, sweep.chain.clone())
    });
    let displacement = move |ends: [f64; 2]| {
        let [from, to] = ends.map(|q| chain.pose(&[q]));
        let of_b = corners[1].iter().map(|v| (from.point(v) - to.point(v)).norm()).fold(0.0, f64::max);
        let back = |pose: &Pose, v: &Vec3| pose.rotation.tr_mul(&(v - pose.translation));
        let of_a = corners[0].iter().map(|v| (back(&from, v) - back(&to, v)).norm()).fold(0.0, f64::max);
        of_a.min(of_b)
    };
    (answer, displacement)
}

/// Uses the sweep of a case as drawn.
pub(crate) fn with_drawn_sweep<T>(case: &Case, with: impl FnOnce(&Sweep) -> T) -> T {
    with_sweep(case, variants()[0], with)
}

/// Uses the sweep of a variant of a case.
fn with_sweep<T>(case: &Case, variant: Variant, with: impl FnOnce(&Sweep) -> T) -> T {
    let at = variant.pose();
    // A turned part has turned vertices; a far one a far placement.
    let parts: Vec<(Part, Pose)> = case
        .parts
        .iter()
        .map(|mesh| {
            let (mesh, place) = match variant.place {
                Place::Far => (mesh.clone(), at),
                Place::AsDrawn | Place::Turned => (moved(mesh, &at), Pose::identity()),
            };
            let part = part_with(&mesh, Inside::Solid);
            let drawn = Pose { translation: place.point(&part.convex.origin), ..place };
            (part, drawn)
        })
        .collect();
    let joints = variant.joints(case);
    let (first, second) = if variant.exchanged { (1, 0) } else { (0, 1) };
    let chain = Chain::new(&parts[first].1, &parts[second].1, &joints[first], &joints[second]);
    let residual = if variant.place == Place::Far { 64.0 * UNIT_ROUNDOFF * 2e6 } else { 0.0 };
    with(&Sweep {
        a: parts[first].0.body(),
        b: parts[second].0.body(),
        chain: &chain,
        range: variant.interval(case.range),
        limits: case.limits,
        quantum: 1e-12,
        residual,
        tests: DEFAULT_TESTS,
        measured: true,
        measures_clear: true,
        tells_allowed: true,
        gap_width: None,
        first_failing: false,
        confirms: None,
    })
}

/// Checks that one end of a failing part holds the true value. Returns true if it is as narrow as promised.
fn check_end(found: [f64; 2], truth: End, variant: Variant, moves: f64) -> Result<bool, String> {
    let slack = 1e-9 * (1.0 + found[0].abs());
    let holds = match truth {
        End::At(x) => {
            let x = variant.parameter(x);
            found[0] - slack <= x && x <= found[1] + slack
        }
        End::Between(low, high) => {
            let [low, high] = variant.interval([low, high]);
            low - slack <= found[0] && found[1] <= high + slack
        }
        End::Bracketed(low, high) => {
            let [low, high] = variant.interval([low, high]);
            low - slack <= found[1] && found[0] <= high + slack
        }
    };
    if holds { Ok(moves <= 0.01 * TOLERANCE * 1.01) } else { Err(format!("{found:?} misses {truth:?}")) }
}

/// Compares an answer with the truth. Returns true if a bracket is wider than promised.
fn check(case: &Case, variant: Variant, answer: &SweepAnswer, moves: impl Fn([f64; 2]) -> f64) -> Result<bool, String> {
    let truth = &case.truth;
    if answer.status != truth.status {
        return Err(format!("the status is {:?}", truth.status));
    }
    let complete = answer.failing.is_empty() && answer.proved == 1.0 && answer.open.is_empty();
    if truth.failing.is_none() && !complete {
        return Err("a passing run has a proof throughout".to_owned());
    }
    let mut is_wide = false;
    if let Some([low, high]) = truth.gap {
        let worst = answer.worst.ok_or("a measured run has a worst pose")?.gap;
        if worst.lower > high + 1e-7 || low > worst.upper + 1e-7 {
            return Err(format!("{worst:?} misses {low} to {high}"));
        }
        let wide = if low > 0.0 { 0.01 * high.max(10.0 * TOLERANCE) } else { (-0.05 * low).max(TOLERANCE) };
        is_wide = worst.width() > wide * 1.01 + 1e-6;
    }
    let Some([from, to]) = truth.failing else { return Ok(is_wide) };
    let reversed = variant.parametrised == Parameter::Reversed;
    let part = if reversed { answer.failing.last() } else { answer.failing.first() };
    let part = part.ok_or("a failing run has a failing part")?;
    let [start, end] = if reversed { [part.to, part.from] } else { [part.from, part.to] };
    let mut narrow = check_end(start, from, variant, moves(start))?;
    if part.throughout {
        narrow &= check_end(end, to, variant, moves(end))?;
    } else if let End::At(x) = to {
        // Beyond its budget of poses, a part may join later ones, and says so: it covers the first one.
        let covers = if reversed { end[0] <= variant.parameter(x) } else { end[1] >= variant.parameter(x) };
        narrow &= covers.then_some(true).ok_or("the failing part ends too early")?;
    }
    // A wider bracket is no error if the answer says so.
    if narrow || answer.wide_ends { Ok(is_wide || !narrow) } else { Err("an end is wider than promised".to_owned()) }
}

/// Counts of a family.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    variants: usize,
    wrong: Vec<String>,
    undecided: Vec<String>,
    /// Variants with a bracket wider than promised.
    wide: usize,
    most_tests: u64,
}

impl Tally {
    fn of(family: &Family, full: bool) -> Self {
        let shows = std::env::var_os("INTERFERE_SHOW").is_some();
        let cases = (family.cases)();
        let mut tally = Self { cases: cases.len(), ..Self::default() };
        let quick = if family.quick == 0 { 0 } else { cases.len() };
        let step = cases.len().div_ceil(family.quick.max(1));
        let (count, step) = if full { (cases.len(), 1) } else { (quick, step) };
        for (k, case) in cases.iter().enumerate().take(count).step_by(step) {
            let all = variants();
            let chosen = if full { all } else { vec![all[k % all.len()]] };
            for variant in chosen {
                let (answer, moves) = run(case, variant);
                let label = format!("{} {k}, {variant:?}", case.name);
                if shows {
                    let gap = answer.worst.map(|w| w.gap);
                    println!("{label}: {:?} {gap:?} {:?} {}", answer.status, answer.failing, answer.tests);
                }
                tally.variants += 1;
                tally.most_tests = tally.most_tests.max(answer.tests);
                if answer.status == SweepStatus::Undecided {
                    tally.undecided.push(format!("{label}: {answer:?}"));
                    continue;
                }
                match check(case, variant, &answer, moves) {
                    Ok(is_wide) => tally.wide += usize::from(is_wide),
                    Err(why) => tally.wrong.push(format!("{label}: {why}: {:?} {answer:?}", case.truth)),
                }
            }
        }
        tally
    }

    fn row(&self, name: &str) -> String {
        let [wrong, undecided] = [&self.wrong, &self.undecided].map(Vec::len);
        let Self { cases, variants, wide, most_tests, .. } = self;
        format!("{name:34} {cases:5} {variants:8} {wrong:5} {undecided:9} {wide:4} {most_tests:10}")
    }
}

/// Runs all variants with `INTERFERE_FULL=1`, else some of each family; `INTERFERE_FAMILY` names a single family.
#[test]
fn every_family_has_its_true_answers() {
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let only = std::env::var("INTERFERE_FAMILY").ok();
    let mut all = Tally::default();
    println!("{:34} cases variants wrong undecided wide most tests", "family");
    for family in families() {
        if only.as_ref().is_some_and(|name| name != family.name) {
            continue;
        }
        let tally = Tally::of(&family, full);
        println!("{}", tally.row(family.name));
        if tally.most_tests > family.most_tests {
            all.wrong.push(format!("{}: {} tests", family.name, tally.most_tests));
        }
        if tally.wide > 0 {
            all.wrong.push(format!("{}: {} brackets are wider than promised", family.name, tally.wide));
        }
        all.cases += tally.cases;
        all.variants += tally.variants;
        all.wide += tally.wide;
        all.most_tests = all.most_tests.max(tally.most_tests);
        all.wrong.extend(tally.wrong);
        all.undecided.extend(tally.undecided);
    }
    println!("{}", all.row("all"));
    assert!(all.variants > 0 && all.wrong.is_empty(), "{} wrong: {}", all.wrong.len(), all.wrong.join("\n"));
    assert!(all.undecided.is_empty(), "{}", all.undecided.join("\n"));
    assert!(only.is_some() || all.cases * variants().len() >= 2000, "{} cases", all.cases);
}

/// A foot pressed into a table is equally deep all along its slide.
#[test]
fn the_worst_of_equally_deep_poses_is_the_same_at_every_place() {
    let mut compared = 0;
    for case in feet().into_iter().filter(|case| case.truth.status == SweepStatus::Interference) {
        let variants = variants().into_iter().filter(|v| v.parametrised == Parameter::AsDrawn);
        let worst = |variant| with_sweep(&case, variant, |sweep| sweep.answer().worst.expect("a worst pose").at);
        let at: Vec<f64> = variants.map(worst).collect();
        compared += at.len();
        assert!(at.iter().all(|q| (q - at[0]).abs() < 1e-6), "{}: {at:?}", case.name);
    }
    assert!(compared > 6, "{compared}");
}
