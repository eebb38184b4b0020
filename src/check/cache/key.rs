//! Computes the names of cache entries: hashes of all inputs of their content.

use crate::geom::Mat3;

/// A BLAKE3 hash.
pub(crate) type Key = [u8; 32];

/// Version of the algorithms. Raise it if answers change for a reason outside the sources: every key already contains a
/// hash of the sources and the versions of their dependencies.
const ALGORITHM: u32 = 1;

/// Builder of a key: the bytes to hash. Every value has a fixed length or a length prefix, so two different sequences
/// never give the same bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyHasher(Vec<u8>);

impl KeyHasher {
    pub(crate) fn new(what: &str) -> Self {
        let version = concat!(env!("CARGO_PKG_VERSION"), " ", env!("INTERFERE_SOURCES"));
        Self::default().bytes(&ALGORITHM.to_le_bytes()).bytes(version.as_bytes()).bytes(what.as_bytes())
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self = self.count(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn count(mut self, n: u64) -> Self {
        self.0.extend_from_slice(&n.to_le_bytes());
        self
    }

    /// Appends the bits of a number.
    pub(crate) fn number(self, x: f64) -> Self {
        self.count(x.to_bits())
    }

    pub(crate) fn numbers<'x>(self, all: impl IntoIterator<Item = &'x f64>) -> Self {
        all.into_iter().fold(self, |keyed, x| keyed.number(*x))
    }

    pub(crate) fn optional(self, x: Option<f64>) -> Self {
        self.count(u64::from(x.is_some())).number(x.unwrap_or(0.0))
    }

    pub(crate) fn matrix(self, m: &Mat3) -> Self {
        self.numbers(m.iter())
    }

    pub(crate) fn key(self) -> Key {
        blake3::hash(&self.0).into()
    }

    /// First half of the key: long enough to distinguish the pairs of one shape.
    pub(crate) fn short(self) -> [u8; 16] {
        let mut out = [0; 16];
        out.copy_from_slice(&self.key()[..16]);
        out
    }
}
