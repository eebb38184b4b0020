//! The `interfere` command.
fn main() {}
