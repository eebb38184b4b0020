//! One binary for all tests that look at the crate from outside.

mod oracle;
mod support;
