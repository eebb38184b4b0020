//! Motions of joints: axes, limits, and joints that follow others.

use crate::error::Problem;
use crate::geom::Vec3;
use crate::import::element::Element;
use crate::import::robot::model::Motion;
use crate::import::sdf::frames::is_true;
use crate::json::wording::quoted;

/// Motion of a joint as written.
#[derive(Debug)]
pub(crate) struct Written<'a> {
    pub(crate) motion: Motion,
    /// Direction of the axis, and the frame that it is expressed in; `None` for the frame of the joint.
    pub(crate) axis: Vec3,
    pub(crate) expressed_in: Option<&'a str>,
    pub(crate) limits: Option<[f64; 2]>,
    /// Joint that leads this one, with a factor and an offset.
    pub(crate) mimic: Option<(&'a str, f64, f64)>,
    /// True for a motion without a single value.
    pub(crate) is_drawn: bool,
}

/// Reads the motion of a joint; `version` is that of its file.
///
/// # Errors
/// Refuses an unknown type, an axis of length zero, and numbers that are none.
pub(crate) fn read(joint: &Element, version: (u32, u32)) -> Result<Written<'_>, Problem> {
    let kind = joint.attribute("type").unwrap_or_default();
    let motion = match kind {
        "revolute" | "continuous" => Motion::Turn,
        "prismatic" => Motion::Slide,
        "screw" => Motion::Screw(lead(joint)?),
        "fixed" | "ball" | "universal" | "revolute2" | "gearbox" => Motion::None,
        other => return Err(joint.bad(format!("unknown type of a joint: {}", quoted(other)))),
    };
    let axis = joint.child("axis").filter(|_| motion != Motion::None);
    let xyz = axis.and_then(|a| a.child("xyz"));
    let direction = xyz.map(|e| e.exactly::<3>("xyz", &e.text)).transpose()?.unwrap_or([0.0, 0.0, 1.0]);
    let direction = crate::assembly::file::rotation::unit_vector(&Vec3::from(direction));
    let direction = direction.ok_or_else(|| joint.bad("an axis of length zero"))?;
    let by_model = axis.and_then(|a| a.child("use_parent_model_frame"));
    let by_model = by_model.map_or(version < (1, 5), |e| is_true(&e.text));
    let expressed_in = xyz.and_then(|e| e.attribute("expressed_in")).filter(|name| !name.is_empty());
    let expressed_in = expressed_in.or((by_model && version < (1, 7)).then_some("__model__"));
    let limit = axis.and_then(|a| a.child("limit")).filter(|_| kind != "continuous");
    let bound = |name: &str| limit.and_then(|l| l.child(name)).map(|e| e.exactly::<1>(name, &e.text)).transpose();
    let limits = match (bound("lower")?, bound("upper")?) {
        (Some([low]), Some([high])) if low <= high => Some([low, high]),
        _ => None,
    };
    let mimic = axis.and_then(|a| a.child("mimic")).map(mimic).transpose()?;
    let is_drawn = motion == Motion::None && kind != "fixed";
    Ok(Written { motion, axis: direction, expressed_in, limits, mimic, is_drawn })
}

/// Travel of a screw for one turn (m). Older files write an angle for one metre, with the other sign.
fn lead(joint: &Element) -> Result<f64, Problem> {
    let number = |name: &str| joint.child(name).map(|e| e.exactly::<1>(name, &e.text)).transpose();
    if let Some([pitch]) = number("screw_thread_pitch")? {
        return Ok(pitch);
    }
    let [pitch] = number("thread_pitch")?.unwrap_or([1.0]);
    if pitch == 0.0 { Err(joint.bad("a `thread_pitch` of 0")) } else { Ok(-std::f64::consts::TAU / pitch) }
}

/// Reads `mimic`: factor · (leader − reference) + offset.
fn mimic(element: &Element) -> Result<(&str, f64, f64), Problem> {
    let number = |name: &str, otherwise: f64| -> Result<f64, Problem> {
        let found = element.child(name).map(|e| e.exactly::<1>(name, &e.text)).transpose()?;
        Ok(found.map_or(otherwise, |[x]| x))
    };
    let (factor, reference) = (number("multiplier", 1.0)?, number("reference", 0.0)?);
    Ok((element.attribute("joint").unwrap_or_default(), factor, number("offset", 0.0)? - factor * reference))
}
