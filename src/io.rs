//! The library's only access to files.

use std::io;
use std::path::{Path, PathBuf};

/// Where files come from. The library reads through this alone, so that tests and other tools can hand in files of
/// their own.
pub trait Loader: Sync {
    /// The whole content of a file.
    ///
    /// # Errors
    /// As the operating system says.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The absolute path with symbolic links resolved.
    ///
    /// # Errors
    /// As the operating system says, when the file does not exist among others.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// Whether a file or folder of that path exists.
    fn exists(&self, path: &Path) -> bool;
}

/// The file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct FsLoader;

impl Loader for FsLoader {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }
}
