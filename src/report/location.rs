//! Locates instances in the assembly files, and writes paths as URIs.

use crate::assembly::InstanceIx;
use crate::check::Outcome;
use std::fmt::Write as _;

/// Line of a file, with the user's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place<'o> {
    pub file: &'o str,
    pub line: u32,
}

/// Location of an instance, if it comes from a file.
pub(crate) fn of(o: &Outcome, instance: InstanceIx) -> Option<Place<'_>> {
    let at = o.instances[instance.0 as usize].at?;
    Some(Place { file: o.files.get(at.file as usize)?, line: at.line })
}

/// Converts a path to a URI reference. The flag is true for a path relative to the working folder.
pub(crate) fn uri(path: &str) -> (String, bool) {
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes().get(2) == Some(&b'/');
    let (mut uri, path) = match path.strip_prefix('/') {
        Some(rest) => ("file:///".to_owned(), rest),
        None if drive => ("file:///".to_owned(), path),
        None => (String::new(), path.trim_start_matches("./")),
    };
    let relative = uri.is_empty();
    for b in path.bytes() {
        if b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~' | b'/') {
            uri.push(char::from(b));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(uri, "%{b:02X}");
        }
    }
    (uri, relative)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        for (path, expected, relative) in [
            ("assembly.json", "assembly.json", true),
            ("./a/b c.json", "a/b%20c.json", true),
            ("../x:y/ä%.json", "../x%3Ay/%C3%A4%25.json", true),
            ("/tmp/a#1.json", "file:///tmp/a%231.json", false),
            ("C:/models/a.json", "file:///C%3A/models/a.json", false),
            ("//host/a.json", "file:////host/a.json", false),
        ] {
            assert_eq!(uri(path), (expected.to_owned(), relative), "{path}");
        }
    }
}
