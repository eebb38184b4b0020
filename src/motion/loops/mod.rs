//! Loops: joints that close a ring, with two values that the others determine.
//!
//! - `ball`: arithmetic with error bounds, of numbers and of vectors in a plane
//! - `closure`: one loop in its plane: its gap, its derivatives, its solution over a cell
//! - `table`: the solved joints of all loops over the parameters of a run
//! - `law`: the value of a joint that depends on solved ones

pub(crate) mod ball;
pub(crate) mod closure;
pub mod law;
pub mod table;
#[cfg(test)]
mod tests;
