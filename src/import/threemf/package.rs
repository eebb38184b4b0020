//! Entries of a 3MF archive. Names are compared without case. Sizes are counted while inflating.

use crate::error::Error;
use crate::import::refusal::{Refusal, damaged, refuse};
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use zip::{CompressionMethod, ZipArchive};

/// Largest number of entries.
const MAX_ENTRIES: usize = 100_000;

/// Largest length of an inflated entry (bytes).
const MAX_ENTRY: u64 = 2 << 30;

/// Largest length of all inflated entries (bytes).
const MAX_TOTAL: u64 = 4 << 30;

/// Largest ratio of inflated to packed length, for entries above [`SMALL_ENTRY`]. Models of real files pack by 5 to 20;
/// deflate reaches 1032.
const MAX_RATIO: u64 = 100;

/// Length of an entry without a limit of its ratio (bytes).
const SMALL_ENTRY: u64 = 64 << 20;

const RELATIONS: &str = "_rels/.rels";

/// An opened archive.
pub(crate) struct Package<'b> {
    archive: ZipArchive<Cursor<&'b [u8]>>,
    /// Index of each entry by its name in lower case, without a leading `/`.
    entries: BTreeMap<String, usize>,
    file: &'b str,
    inflated: u64,
}

impl<'b> Package<'b> {
    /// Reads the directory of the archive.
    ///
    /// # Errors
    /// Refuses a damaged directory, too many entries, and entries that overlap.
    pub(crate) fn open(bytes: &'b [u8], file: &'b str) -> Result<Self, Error> {
        let broken = |e: zip::result::ZipError| damaged(file, format!("not a valid zip archive: {e}"));
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
        if archive.len() > MAX_ENTRIES {
            let what = format!("{} entries in the archive, more than {MAX_ENTRIES}", archive.len());
            return Err(refuse(file, Refusal::TooLarge, what, "save it with fewer entries"));
        }
        let mut entries = BTreeMap::new();
        let mut ranges = Vec::with_capacity(archive.len());
        for k in 0..archive.len() {
            let entry = archive.by_index_raw(k).map_err(broken)?;
            let start = entry.header_start();
            let end = entry.data_start().and_then(|data| data.checked_add(entry.compressed_size()));
            let Some(end) = end else { return Err(damaged(file, "an entry of the archive passes its end")) };
            ranges.push((start, end));
            let name = entry.name().map_err(broken)?;
            entries.insert(name.trim_start_matches('/').to_lowercase(), k);
        }
        ranges.sort_unstable();
        if ranges.windows(2).any(|w| w[1].0 < w[0].1) {
            return Err(damaged(file, "entries of the archive overlap"));
        }
        Ok(Self { archive, entries, file, inflated: 0 })
    }

    /// Path of the root model: the target of the relation to a 3D model, else the only model.
    pub(crate) fn root_model(&mut self) -> Result<String, Error> {
        if self.entries.contains_key(RELATIONS) {
            let bytes = self.read(RELATIONS)?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some(target) = target_of_model(&text) {
                return Ok(target);
            }
        }
        let mut models = self.entries.keys().filter(|name| name.rsplit('.').next() == Some("model"));
        match (models.next(), models.next()) {
            (Some(one), None) => Ok(one.clone()),
            _ => Err(damaged(self.file, "a 3MF archive without a relation to its model")),
        }
    }

    /// Inflates an entry.
    ///
    /// # Errors
    /// Refuses a missing or encrypted entry, another compression, and sizes beyond the limits.
    pub(crate) fn read(&mut self, path: &str) -> Result<Vec<u8>, Error> {
        let name = path.trim_start_matches('/').to_lowercase();
        let shown = crate::json::wording::quoted(path);
        let Some(index) = self.entries.get(&name) else {
            let what = format!("no entry {shown} in the archive");
            return Err(refuse(self.file, Refusal::ReferenceMissing, what, "save the file again"));
        };
        let raw = self.archive.by_index_raw(*index).map_err(|e| damaged(self.file, format!("{shown}: {e}")))?;
        if raw.encrypted() {
            return Err(refuse(self.file, Refusal::Unsupported, "an encrypted archive", "save it without a password"));
        }
        if !matches!(raw.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            let what = format!("{shown} is compressed by {}", raw.compression());
            return Err(refuse(self.file, Refusal::Unsupported, what, "save it again, with deflate"));
        }
        let (packed, stated) = (raw.compressed_size(), raw.size());
        drop(raw);
        let by_ratio = packed.saturating_mul(MAX_RATIO).max(SMALL_ENTRY);
        let limit = MAX_ENTRY.min(by_ratio).min(MAX_TOTAL - self.inflated.min(MAX_TOTAL));
        if stated > limit {
            return Err(self.too_large(&shown, packed, limit));
        }
        let entry = self.archive.by_index(*index).map_err(|e| damaged(self.file, format!("{shown}: {e}")))?;
        // The stated size is a limit, too: no entry takes more memory than it states.
        let limit = limit.min(stated);
        let mut out = Vec::new();
        entry
            .take(limit + 1)
            .read_to_end(&mut out)
            .map_err(|e| damaged(self.file, format!("{shown}: cannot inflate: {e}")))?;
        if out.len() as u64 > limit {
            return Err(self.too_large(&shown, packed, limit));
        }
        self.inflated += out.len() as u64;
        Ok(out)
    }
}

impl Package<'_> {
    fn too_large(&self, shown: &str, packed: u64, limit: u64) -> Error {
        let what = format!("{shown} inflates from {packed} bytes to more than {limit}");
        refuse(self.file, Refusal::TooLarge, what, "check the source of the file")
    }
}

/// Target of the relation to a 3D model.
fn target_of_model(relations: &str) -> Option<String> {
    let document = crate::import::xml::parse(relations, RELATIONS).ok()?;
    let is_model = |n: &roxmltree::Node<'_, '_>| n.attribute("Type").is_some_and(|t| t.ends_with("/3dmodel"));
    let relation = document.descendants().find(is_model)?;
    relation.attribute("Target").map(|t| t.trim_start_matches('/').to_lowercase())
}
