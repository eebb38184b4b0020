//! Access to input files.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Source of input files. The library reads assemblies and meshes only through this trait, so tests and other tools can
/// supply their own files.
pub trait Loader: Sync {
    /// Reads the whole content of a file.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Opens a file for reading it piece by piece. `None` means: call [`Loader::read`], for the content or the error.
    fn open(&self, path: &Path) -> Option<OpenFile> {
        let _ = path;
        None
    }

    /// Returns the absolute path with symbolic links resolved.
    ///
    /// # Errors
    /// Returns the error of the operating system, also for a missing file.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// True if a file or folder of this path exists.
    fn exists(&self, path: &Path) -> bool;

    /// Assembly file to read for a resolved path that stands for an assembly: the path itself, unless the loader makes
    /// assembly files from files of other programs.
    ///
    /// # Errors
    /// Returns the problem of a file that cannot become an assembly.
    fn assembly_file(&self, path: PathBuf) -> io::Result<PathBuf> {
        Ok(path)
    }

    /// Target of a symbolic link, as it is written in the link. A loader without links returns an error for each path.
    ///
    /// # Errors
    /// Returns the error of the operating system, also for a path that is no link.
    fn link(&self, path: &Path) -> io::Result<PathBuf> {
        let _ = path;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Names of the files and folders in a folder, for suggestions about a misspelt path. A loader without listings
    /// returns none.
    fn names(&self, folder: &Path) -> Vec<String> {
        let _ = folder;
        Vec::new()
    }
}

/// File opened by a [`Loader`].
pub struct OpenFile {
    /// Content from the start.
    pub content: Box<dyn Read>,
    /// Length of the content (bytes).
    pub length: u64,
}

/// True for a device, such as `/dev/zero`, whose content may have no end.
fn is_device(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = std::fs::metadata(path).map(|m| m.file_type());
        kind.is_ok_and(|kind| kind.is_char_device() || kind.is_block_device())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Loader for the file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct FsLoader;

impl Loader for FsLoader {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if is_device(path) {
            return Err(io::Error::other("it is a device, not a file"));
        }
        std::fs::read(path)
    }

    fn open(&self, path: &Path) -> Option<OpenFile> {
        // Opening a pipe for a second time would lose its content.
        let length = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
        Some(OpenFile { content: Box::new(std::fs::File::open(path).ok()?), length })
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn link(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::read_link(path)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn devices_are_not_read() {
        let error = FsLoader.read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.to_string(), "it is a device, not a file");
    }
}
