//! Thread pool of a run.

use crate::cli::exit::Failure;

/// Builds the thread pool of a run; 0 means one thread per core.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| Failure::Threads(e.to_string()))
}
