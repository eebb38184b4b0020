//! Opens the cache folder of `--cache`.

use crate::check::Options;
use crate::check::cache::store::{Cache, FsStore};
use std::path::Path;
use std::sync::Arc;

/// Opens the cache folder of `--cache` for a run. Sweep the returned store after the run.
pub(crate) fn open_cache(folder: Option<&Path>, options: &mut Options) -> Option<Arc<FsStore>> {
    let store = folder.map(|folder| Arc::new(FsStore::new(folder)));
    options.cache = store.clone().map(|store| Cache::new(store));
    store
}
