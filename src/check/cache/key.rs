//! Names of entries: hashes of everything that their content follows from.

use crate::geom::Mat3;

/// A hash.
pub(crate) type Key = [u8; 32];

/// To be raised when an answer may change for a reason that is not in the sources of this crate: those, and the versions of the
/// crates it is built with, are in every key of themselves.
const ALGORITHM: u32 = 1;

/// A key in the making: the bytes that will be hashed. Every value has a fixed length or its length in front, so that no two sequences
/// are one.
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

    /// To the bit.
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

    /// Half of it: enough to tell the pairs of one part from each other.
    pub(crate) fn short(self) -> [u8; 16] {
        let mut out = [0; 16];
        out.copy_from_slice(&self.key()[..16]);
        out
    }
}
