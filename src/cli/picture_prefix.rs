//! Finds the path or address of the pictures from the place of a report.

use crate::cli::drawing_flags::DrawingSettings;
use crate::cli::report_flags::{OutputFormat, Report};
use crate::cli::target::Target;
use crate::report::{Format, location};
use std::path::{Component, Path, PathBuf};

/// Text before the file name of each picture in a report; `None` for a report without links. Call it after the folder
/// of the pictures is made.
///
/// Markdown takes the address of `--picture-url`, else the path from the report's own folder; `JUnit` and SARIF take
/// the path from the working folder.
pub(crate) fn link_prefix(report: &Report, settings: &DrawingSettings) -> Option<String> {
    let folder = settings.pictures.as_ref()?;
    let OutputFormat::Report(format) = report.format else { return None };
    match format {
        Format::Markdown => match (&settings.picture_url, &report.target) {
            (Some(url), _) => Some(url.clone()),
            (None, Target::File(file)) => relative(file, folder.path()),
            (None, Target::Stdout) => None,
        },
        Format::Junit | Format::Sarif => Some(folder.prefix()),
        Format::Table | Format::Json | Format::Github | Format::Csv => None,
    }
}

/// Relative address of a folder, seen from a file; `None` for folders on two drives.
fn relative(file: &Path, folder: &Path) -> Option<String> {
    let parent = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let path = between(&parent.canonicalize().ok()?, &folder.canonicalize().ok()?)?;
    let parts: Vec<String> = path.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    let (uri, _) = location::uri(&parts.join("/"));
    Some(if uri.is_empty() { uri } else { format!("{uri}/") })
}

/// Relative path between two absolute folders.
fn between(from: &Path, to: &Path) -> Option<PathBuf> {
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return None;
    }
    let up = from[common..].iter().map(|_| Component::ParentDir);
    Some(up.chain(to[common..].iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_have_a_relative_path() {
        let between = |from: &str, to: &str| between(Path::new(from), Path::new(to)).map(|p| p.display().to_string());
        assert_eq!(between("/a/b", "/a/b/c").as_deref(), Some("c"));
        assert_eq!(between("/a/b", "/a/c/d").as_deref(), Some("../c/d"));
        assert_eq!(between("/a", "/a").as_deref(), Some(""));
    }
}
