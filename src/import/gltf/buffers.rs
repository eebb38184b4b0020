//! Bytes of the buffers of a glTF file: inside the file, in a `data:` address, or in files beside it.

use crate::error::Error;
use crate::import::gltf::document::Document;
use crate::import::references::{References, decoded};
use crate::import::refusal::damaged;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::borrow::Cow;

/// Decoder that accepts text with and without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Bytes of all buffers, in their order.
pub(crate) struct Buffers<'b>(Vec<Cow<'b, [u8]>>);

impl<'b> Buffers<'b> {
    /// Reads all buffers.
    ///
    /// # Errors
    /// Returns the problems of all missing files at once; refuses a buffer shorter than its length.
    pub(crate) fn read(
        document: &Document,
        binary: Option<&'b [u8]>,
        file: &str,
        references: &References<'_>,
    ) -> Result<Self, Error> {
        let (mut buffers, mut problems) = (Vec::new(), Vec::new());
        for (k, buffer) in document.buffers.iter().enumerate() {
            let bytes: Cow<'b, [u8]> = match (&buffer.uri, binary) {
                (None, Some(binary)) if k == 0 => Cow::Borrowed(binary),
                (None, _) => return Err(damaged(file, format!("buffer {k} has neither a file nor bytes"))),
                (Some(uri), _) if uri.starts_with("data:") => {
                    Cow::Owned(data(uri).map_err(|why| damaged(file, format!("buffer {k} is no valid base64: {why}")))?)
                }
                (Some(uri), _) => match from_file(uri, references) {
                    Ok(bytes) => Cow::Owned(bytes),
                    Err(problem) => {
                        problems.push(problem);
                        continue;
                    }
                },
            };
            if (bytes.len() as u64) < buffer.byte_length {
                let what =
                    format!("buffer {k} has {} bytes, fewer than its length {}", bytes.len(), buffer.byte_length);
                return Err(damaged(file, what));
            }
            buffers.push(bytes);
        }
        if problems.is_empty() { Ok(Self(buffers)) } else { Err(Error { problems }) }
    }

    /// Bytes of a buffer, up to the length that the document states.
    pub(crate) fn get(&self, document: &Document, buffer: usize) -> Option<&[u8]> {
        self.0.get(buffer)?.get(..usize::try_from(document.buffers.get(buffer)?.byte_length).ok()?)
    }
}

fn data(uri: &str) -> Result<Vec<u8>, String> {
    let Some((_, text)) = uri.split_once(";base64,") else {
        return Err("another encoding".to_owned());
    };
    BASE64.decode(text).map_err(|e| e.to_string())
}

fn from_file(uri: &str, references: &References<'_>) -> Result<Vec<u8>, crate::error::Problem> {
    Ok(references.read(&references.find(references.folder(), &decoded(uri))?)?.0)
}
