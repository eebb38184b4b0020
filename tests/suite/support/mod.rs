//! Helpers of the suite: the random numbers and solids of the library's test kit, the built program, assertions that
//! hold for any report.

pub mod actions;
pub mod brute;
pub mod command;
pub mod crowd;
pub mod report;
pub mod scratch;
pub mod solids;
pub mod soup;
pub mod tessellate;
pub mod two;

pub use interfere::testkit::rng::Rng;

/// Multiplies a count of random cases by 20 if `INTERFERE_FULL` is set.
pub fn times(count: usize) -> usize {
    if std::env::var_os("INTERFERE_FULL").is_some() { 20 * count } else { count }
}

/// Reports a skipped test with its reason, past the capture of the test runner; `.ci/run` counts these lines.
pub fn skipped(why: &str) {
    let thread = std::thread::current();
    let line = format!("skipped: {}: {why}\n", thread.name().unwrap_or("a test"));
    // A closed stderr loses the line only.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
}
