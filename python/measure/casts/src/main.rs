//! Casts a moving mesh against a resting one with `cast_shapes_nonlinear` of parry.
//!
//! Arguments: SHAPE RESTING MOVING AXIS AT TURN SLIDE END. SHAPE is `mesh` or `hull`. RESTING and MOVING are OBJ files
//! with triangles. AXIS is a unit vector and AT a point of the axis, each three numbers. The mesh MOVING turns by TURN
//! radians and slides by SLIDE along the axis for each unit of the parameter, from 0 to END. Prints the parameter of the
//! first contact or `none`, the state of the search, and the elapsed time of the cast (s).

use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use parry3d_f64::shape::{ConvexPolyhedron, Shape, TriMesh};
use std::error::Error;
use std::time::Instant;

fn shape(kind: &str, file: &str) -> Result<Box<dyn Shape>, Box<dyn Error>> {
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(file)?.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["v", x, y, z] => points.push(Vector::new(x.parse()?, y.parse()?, z.parse()?)),
            ["f", a, b, c] => faces.push([a.parse::<u32>()? - 1, b.parse::<u32>()? - 1, c.parse::<u32>()? - 1]),
            _ => return Err(format!("{file}: {line}").into()),
        }
    }
    match kind {
        "mesh" => Ok(Box::new(TriMesh::new(points, faces).map_err(|e| format!("{e:?}"))?)),
        "hull" => Ok(Box::new(ConvexPolyhedron::from_convex_hull(&points).ok_or("no hull")?)),
        _ => Err(format!("no shape {kind}").into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, resting, moving, numbers @ ..] = &arguments[..] else { return Err("too few arguments".into()) };
    let numbers = numbers.iter().map(|n| n.parse()).collect::<Result<Vec<f64>, _>>()?;
    let [ax, ay, az, px, py, pz, turn, slide, end] = numbers[..] else { return Err("nine numbers".into()) };
    let (axis, at) = (Vector::new(ax, ay, az), Vector::new(px, py, pz));
    let (resting, moving) = (shape(kind, resting)?, shape(kind, moving)?);
    let rest = NonlinearRigidMotion::constant_position(Pose::IDENTITY);
    let motion = NonlinearRigidMotion::new(Pose::IDENTITY, at, axis * slide, axis * turn);
    let start = Instant::now();
    let hit =
        cast_shapes_nonlinear(&rest, &*resting, &motion, &*moving, 0.0, end, true).map_err(|e| format!("{e:?}"))?;
    let elapsed = start.elapsed().as_secs_f64();
    match hit {
        Some(hit) => println!("{} {:?} {elapsed}", hit.time_of_impact, hit.status),
        None => println!("none - {elapsed}"),
    }
    Ok(())
}
