//! Loops: rings of joints. A pin closes each ring, and determines two values.
//!
//! - `ball`: arithmetic with error bounds, of numbers and of vectors in a plane
//! - `closure`: one loop in its plane: its gap, its derivatives, its solution over a cell
//! - `solution`: the solved joints of all loops over one cell
//! - `table`: the same over the parameters of a run
//! - `law`: the value of a joint that depends on solved ones

pub(crate) mod ball;
pub(crate) mod closure;
pub mod law;
pub(crate) mod solution;
pub mod table;
#[cfg(test)]
mod tests;
