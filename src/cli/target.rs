//! Writes outputs to files or stdout. A file appears complete or not at all: a temporary file beside it is written and
//! then renamed.

use crate::cli::exit::Failure;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Destination of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Target {
    /// Target of `--output`; `-` is stdout.
    pub fn of_argument(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Self::Stdout } else { Self::File(path) }
    }

    /// Obstacle to writing the file and its cure, if visible without a trial: a folder at the path, or a missing parent
    /// folder.
    pub fn obstacle(path: &Path) -> Option<(&'static str, &'static str)> {
        if path.is_dir() {
            Some(("the path is a folder", "name a file in it"))
        } else if path.file_name().is_none() || !folder(path).is_dir() {
            Some(("its folder does not exist", "create the folder, or name another one"))
        } else {
            None
        }
    }

    /// Returns true if both targets are the same file or stream.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stdout, Self::Stdout) => true,
            (Self::File(a), Self::File(b)) => {
                a == b || matches!((resolved(a), resolved(b)), (Some(a), Some(b)) if a == b)
            }
            _ => false,
        }
    }

    /// Creates and removes the temporary file as a trial. Skips devices and pipes.
    ///
    /// # Errors
    /// Returns the error of the trial.
    pub fn try_out(&self) -> io::Result<()> {
        let Self::File(path) = self else { return Ok(()) };
        let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match fs::metadata(path) {
            Ok(there) if !there.is_file() => Ok(()),
            _ => TempFile::create(path).map(drop),
        }
    }

    /// Writes the output of `render`.
    ///
    /// # Errors
    /// Returns the error of a failed write; an existing file then stays as it was.
    pub fn write(
        &self,
        stdout: &mut dyn Write,
        render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        match self {
            Self::Stdout => match render(stdout).and_then(|()| stdout.flush()) {
                // The reader has closed the pipe on purpose: the verdict stands.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                result => result.map_err(|source| Failure::Output { file: "stdout".to_owned(), source }),
            },
            Self::File(path) => {
                write_file(path, render).map_err(|source| Failure::Output { file: path.display().to_string(), source })
            }
        }
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Canonical path, also of a future file.
fn resolved(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| Some(folder(path).canonicalize().ok()?.join(path.file_name()?)))
}

fn write_file(path: &Path, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // Follows a symbolic link; the rename would replace the link.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(path).ok();
    if before.as_ref().is_some_and(|m| !m.is_file()) {
        // Writes directly to a pipe or a device such as /dev/stdout.
        let mut file = OpenOptions::new().write(true).open(path)?;
        return render(&mut file);
    }
    let mut beside = TempFile::create(path)?;
    render(&mut beside.file)?;
    if let Some(before) = before {
        beside.file.set_permissions(before.permissions())?;
    }
    beside.rename_to(path)
}

/// Temporary file, removed on drop unless renamed.
struct TempFile {
    file: File,
    path: PathBuf,
    renamed: bool,
}

impl TempFile {
    fn create(path: &Path) -> io::Result<Self> {
        let mut name = OsString::from(".");
        name.push(path.file_name().ok_or(io::ErrorKind::InvalidInput)?);
        name.push(format!(".{}.tmp", std::process::id()));
        let path = folder(path).join(name);
        // Refuses an existing file or link, instead of following a foreign link.
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Self { file, path, renamed: false })
    }

    fn rename_to(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if !self.renamed {
            // Ignores a failed removal; the error before it is reported.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Temporary folder, removed on drop.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("interfere-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let mut names: Vec<_> =
                fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn write(path: &Path, text: &str) -> Result<(), Failure> {
        Target::File(path.to_owned()).write(&mut io::sink(), |out| out.write_all(text.as_bytes()))
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = Folder::new("replaced");
        let path = folder.0.join("r.json");
        write(&path, "a long first text").unwrap();
        write(&path, "second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(folder.names(), ["r.json"]);
    }

    #[test]
    fn failed_write_keeps_only_the_old_file() {
        let folder = Folder::new("failure");
        let path = folder.0.join("r.json");
        write(&path, "first").unwrap();
        let failed = Target::File(path.clone()).write(&mut io::sink(), |out| {
            out.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(matches!(failed, Err(Failure::Output { file, .. }) if file.ends_with("r.json")));
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(folder.names(), ["r.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_are_written_to() {
        let folder = Folder::new("links");
        let (path, link) = (folder.0.join("r.json"), folder.0.join("latest"));
        write(&path, "first").unwrap();
        std::os::unix::fs::symlink("r.json", &link).unwrap();
        write(&link, "second").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        write(Path::new("/dev/null"), "gone").unwrap();
    }

    #[test]
    fn closed_pipe_succeeds_and_full_disk_fails() {
        struct Broken(io::ErrorKind);
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let write = |kind| Target::Stdout.write(&mut Broken(kind), |out| out.write_all(b"x"));
        assert!(write(io::ErrorKind::BrokenPipe).is_ok());
        assert!(matches!(write(io::ErrorKind::StorageFull), Err(Failure::Output { file, .. }) if file == "stdout"));
    }
}
