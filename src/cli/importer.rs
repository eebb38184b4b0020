//! Runs the program that reads STEP, IGES and BREP (docs/reference/import-protocol.md): without a shell, in an empty
//! folder, with limits. Its folder is untrusted input.

use crate::cli::importer_folder::{read_folder, verified};
use crate::error::{Error, Location, Problem, Warning, WarningCode};
use crate::import::ImportOptions;
use crate::import::folder::Folder;
use crate::import::refusal::{Refusal, refuse};
use crate::json::wording::one_line_of;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Name of the program on `PATH`.
const PROGRAM: &str = "interfere-cad";

/// Variable with the path of another program of the same protocol.
const VARIABLE: &str = "INTERFERE_CAD";

/// Largest address space of the program (bytes), where `prlimit` is present.
const MEMORY: u64 = 8 << 30;

/// Longest output of the program that is read (bytes).
const MAX_OUTPUT: u64 = 1 << 20;

/// Longest wait between two looks at the program.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Variables that the program gets.
const ENVIRONMENT: [&str; 6] = ["PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT", "USERPROFILE"];

/// A program with the protocol, and its settings.
#[derive(Debug, Clone)]
pub(crate) struct Importer {
    program: PathBuf,
    /// Flags of protocol 1 before INPUT and OUTDIR.
    flags: Vec<OsString>,
    timeout: Duration,
}

/// Settings of the program beside [`ImportOptions`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImporterSettings {
    /// True to take surfaces without a volume as parts.
    pub(crate) open_shells: bool,
    pub(crate) timeout: Duration,
}

impl Default for ImporterSettings {
    fn default() -> Self {
        Self { open_shells: false, timeout: Duration::from_secs(600) }
    }
}

impl Importer {
    /// Finds the program: the one that `INTERFERE_CAD` names, else `interfere-cad` on `PATH`.
    ///
    /// # Errors
    /// Refuses an import without a program.
    pub(crate) fn find(file: &str, options: &ImportOptions, settings: ImporterSettings) -> Result<Self, Error> {
        let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
        let program = match &named {
            Some(name) if Path::new(name).is_absolute() => Some(PathBuf::from(name)).filter(|p| p.is_file()),
            Some(name) => on_path(name),
            None => on_path(OsStr::new(PROGRAM)),
        };
        let Some(program) = program else {
            let what = match named {
                Some(name) => {
                    format!("no program {} ({VARIABLE})", crate::json::wording::quoted(&name.to_string_lossy()))
                }
                None => format!("no program `{PROGRAM}`, which reads this format"),
            };
            let fix = "install it from the sources of interfere: pipx install './python[occt]'";
            return Err(refuse(file, Refusal::ImporterMissing, what, fix));
        };
        let mut flags: Vec<OsString> = ["--protocol", "1", "--deflection"].map(OsString::from).to_vec();
        flags.push(options.deflection.to_string().into());
        flags.extend(["--angle".into(), options.angle.to_string().into()]);
        if settings.open_shells {
            flags.push("--open-shells".into());
        }
        Ok(Self { program, flags, timeout: settings.timeout })
    }

    /// Key of an import: equal keys give equal folders.
    ///
    /// # Errors
    /// Returns the errors of the program.
    pub(crate) fn key(&self, input: &Path, shown: &str) -> Result<String, Error> {
        let room = Room::new(shown)?;
        let mut flags = self.flags.clone();
        flags.push("--key".into());
        let ran = self.run(&flags, &[input.as_os_str()], &room, shown)?;
        let key = ran.stdout.trim().to_owned();
        let is_key = key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit());
        if is_key { Ok(key) } else { Err(failed(shown, "the program printed no key")) }
    }

    /// Imports a file.
    ///
    /// # Errors
    /// Returns the errors of the program, its limits, and every fault of the folder that it wrote.
    pub(crate) fn import(&self, input: &Path, shown: &str) -> Result<Folder, Error> {
        let room = Room::new(shown)?;
        let out = room.0.join("out");
        let ran = self.run(&self.flags, &[input.as_os_str(), out.as_os_str()], &room, shown)?;
        let files = read_folder(&out).map_err(|why| failed(shown, why))?;
        let mut folder = verified(files, shown)?;
        folder.warnings.extend(ran.warnings);
        Ok(folder)
    }

    /// Runs the program to its end.
    fn run(&self, flags: &[OsString], paths: &[&OsStr], room: &Room, shown: &str) -> Result<Ran, Error> {
        let start = |e: std::io::Error| failed(shown, format!("cannot start {}: {e}", self.program.display()));
        let work = room.0.join("work");
        fs::create_dir_all(&work).map_err(start)?;
        let (stdout, stderr) = (room.0.join("stdout"), room.0.join("stderr"));
        let mut command = self.limited();
        command.args(flags).args(paths).current_dir(&work).env_clear().stdin(Stdio::null());
        command.envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        // Files instead of pipes: a child of the program may keep a pipe open after its end.
        in_own_group(&mut command);
        command.stdout(File::create(&stdout).map_err(start)?).stderr(File::create(&stderr).map_err(start)?);
        let mut child = command.spawn().map_err(start)?;
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if begun.elapsed() < self.timeout => {}
                Ok(None) | Err(_) => {
                    kill_all(&mut child);
                    let what = format!("the program took longer than {} s", self.timeout.as_secs());
                    let fix = "give it more time: --import-timeout SECONDS";
                    return Err(refuse(shown, Refusal::ImporterLimit, what, fix));
                }
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        };
        let (stdout, stderr) = (text(&stdout), text(&stderr));
        if status.success() {
            let warnings = stderr.lines().filter_map(|line| line.strip_prefix("warning: ")).map(|t| warning(t, shown));
            return Ok(Ran { stdout, warnings: warnings.collect() });
        }
        Err(error_of(&stderr, status, shown))
    }

    /// The program with a limit of its memory, where the system has `prlimit`.
    fn limited(&self) -> Command {
        match on_path(OsStr::new("prlimit")).filter(|_| cfg!(target_os = "linux")) {
            Some(prlimit) => {
                let mut command = Command::new(prlimit);
                command.arg(format!("--as={MEMORY}")).arg("--").arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        }
    }
}

/// Puts the program and its children into a process group of their own.
fn in_own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Ends the program, and on Unix every process of its group. Failures are ignored: a program may have ended by itself.
fn kill_all(child: &mut Child) {
    // The standard library has no call for a group; `kill` of the shell has. The group is named by a number.
    if cfg!(unix) {
        let group = format!("kill -9 -{}", child.id());
        let mut shell = Command::new("/bin/sh");
        let _ = shell.arg("-c").arg(group).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Result of a program that ended well.
struct Ran {
    stdout: String,
    warnings: Vec<Warning>,
}

/// A new folder for one run, removed afterwards.
struct Room(PathBuf);

impl Room {
    fn new(shown: &str) -> Result<Self, Error> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let folder = std::env::temp_dir().join(format!("interfere-import-{}-{now:x}", std::process::id()));
        fs::create_dir(&folder).map_err(|e| failed(shown, format!("cannot create {}: {e}", folder.display())))?;
        Ok(Self(folder))
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // A leftover in the folder for temporary files is harmless.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Finds a program in the absolute folders of `PATH`: a relative one could be a folder of the checked repository.
fn on_path(name: &OsStr) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let endings: &[&str] = if cfg!(windows) { &[".exe"] } else { &[""] };
    let named = |folder: PathBuf| {
        endings.iter().map(move |ending| {
            let mut name = name.to_owned();
            name.push(ending);
            folder.join(name)
        })
    };
    std::env::split_paths(&folders).filter(|f| f.is_absolute()).flat_map(named).find(|path| path.is_file())
}

/// Error of the program, or of its folder.
pub(crate) fn failed(shown: &str, what: impl AsRef<str>) -> Error {
    refuse(shown, Refusal::ImporterFailed, one_line_of(what.as_ref(), 400), "run the program by hand to see more")
}

fn text(path: &Path) -> String {
    let mut bytes = Vec::new();
    // A missing file counts as empty.
    let _ = File::open(path).and_then(|file| file.take(MAX_OUTPUT).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Warning from `CODE: TEXT`.
fn warning(line: &str, shown: &str) -> Warning {
    let (code, text) = line.split_once(": ").unwrap_or(("", line));
    let (code, text) = match WarningCode::from_name(code) {
        Some(code) => (code, text),
        None => (WarningCode::ImporterMessage, line),
    };
    Warning { at: Some(Location::file(shown)), ..Warning::new(code, one_line_of(text, 400)) }
}

/// Error from the lines `error: CODE: TEXT`, or from the end of the program.
fn error_of(stderr: &str, status: ExitStatus, shown: &str) -> Error {
    let problem = |line: &str| {
        let (code, text) = line.split_once(": ").unwrap_or((Refusal::ImporterFailed.name(), line));
        let is_code = code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        let (code, text) = if is_code { (code, text) } else { (Refusal::ImporterFailed.name(), line) };
        let code = if text.contains("MemoryError") { Refusal::ImporterLimit.name() } else { code };
        Problem::new(Location::file(shown), format!("{} [{code}]", one_line_of(text, 400)), "")
    };
    let problems: Vec<Problem> =
        stderr.lines().filter_map(|line| line.strip_prefix("error: ")).take(100).map(problem).collect();
    if !problems.is_empty() && status.code() == Some(2) {
        return Error { problems };
    }
    if stderr.contains("MemoryError") || stderr.contains("bad_alloc") {
        let what = format!("the program needs more than {} GiB of memory", MEMORY >> 30);
        return refuse(shown, Refusal::ImporterLimit, what, "split the assembly");
    }
    let how = match status.code() {
        Some(code) => format!("the program ended with exit code {code}"),
        None => "the program crashed".to_owned(),
    };
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).map(|line| format!(": {line}"));
    failed(shown, format!("{how}{}", last.unwrap_or_default()))
}
