//! Frames an entry's bytes: magic, key, length, content, and a hash of all four at the end.

use crate::check::cache::Key;

const MAGIC: &[u8; 8] = b"ifcache1";

const HASH: usize = 32;

const HEAD: usize = MAGIC.len() + HASH + 8;

/// Name of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name {
    pub kind: &'static str,
    pub key: Key,
}

impl Name {
    /// Path in the store: the kind, a slash and the key in hexadecimal digits.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.kind, blake3::Hash::from(self.key).to_hex())
    }
}

/// Adds head and hash to the content.
pub(crate) fn framed(content: &[u8], name: &Name) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD + content.len() + HASH);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&name.key);
    out.extend_from_slice(&(content.len() as u64).to_le_bytes());
    out.extend_from_slice(content);
    let hash = blake3::hash(&out);
    out.extend_from_slice(hash.as_bytes());
    out
}

/// Content of an entry; `None` for damaged bytes or another key.
pub(crate) fn content<'b>(bytes: &'b [u8], name: &Name) -> Option<&'b [u8]> {
    let (rest, hash) = bytes.split_last_chunk::<HASH>()?;
    let (head, content) = rest.split_at_checked(HEAD)?;
    let (head, length) = head.split_last_chunk::<8>()?;
    let whole = head.starts_with(MAGIC)
        && head[MAGIC.len()..] == name.key
        && u64::from_le_bytes(*length) == content.len() as u64
        && blake3::hash(rest) == blake3::Hash::from(*hash);
    whole.then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_missing_or_added_bytes_are_rejected() {
        let name = Name { kind: "pairs", key: [7; 32] };
        let bytes = framed(b"an answer", &name);
        assert_eq!(content(&bytes, &name), Some(&b"an answer"[..]));
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                assert_eq!(content(&other, &name), None, "{at}");
            }
            assert_eq!(content(&bytes[..at], &name), None, "{at}");
        }
        let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
        assert_eq!(content(&longer, &name), None);
        assert_eq!(content(&bytes, &Name { key: [8; 32], ..name }), None);
    }
}
