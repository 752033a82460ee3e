//! What is given to the system to start? The program that the kept `PATH` names, with nothing but what it is to get.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::runner::process::limits::Limiter;
use crate::runner::wire::StartLine;

/// Where programs are looked for when nothing was kept, as the system's own default (`confstr(_CS_PATH)`) and local ones.
const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";

/// How much of a first line the system reads (Linux, `BINPRM_BUF_SIZE`).
const FIRST_LINE_BYTES_MAX: u64 = 256;

/// A program with its arguments.
pub(super) struct Argv {
    /// The file.
    pub(super) program: PathBuf,
    /// The name that it is called by.
    pub(super) name: String,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
}

/// Returns the command of an order.
///
/// # Errors
/// In words, why it cannot be started.
pub(super) async fn of(order: &StartLine, limiter: &Limiter) -> Result<Command, String> {
    let [name, arguments @ ..] = &order.arguments[..] else { return Err("cannot start nothing".to_owned()) };
    let directory = directory(order)?;
    let program = find(name, &directory, path_of(order))
        .ok_or_else(|| format!("cannot start {name}: {}", why_not(name, &directory)))?;
    let argv = Argv { program, name: name.clone(), arguments: arguments.to_vec() };
    let argv = limiter.limited(argv, order).await;
    let mut command = Command::new(argv.program);
    command.arg0(argv.name).args(argv.arguments).current_dir(directory).env_clear().envs(&order.environment);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    Ok(command)
}

/// Returns what the program of an order is called.
pub(super) fn name(order: &StartLine) -> &str {
    order.arguments.first().map_or("nothing", String::as_str)
}

/// Returns the file of the program of an order, where it is found.
pub(super) fn file(order: &StartLine) -> Option<PathBuf> {
    find(order.arguments.first()?, &directory(order).ok()?, path_of(order))
}

/// Says why the system did not start a file that may be executed, in words that say what to do where the system's do not.
pub(super) fn why_not_run(file: &Path, error: &io::Error) -> String {
    let is = |known: rustix::io::Errno| error.raw_os_error() == Some(known.raw_os_error());
    if is(rustix::io::Errno::NOEXEC) {
        return format!(
            "it is no program for this system, and a script begins with a line such as #!/bin/sh ({error})"
        );
    }
    if !is(rustix::io::Errno::NOENT) || !file.exists() {
        return error.to_string();
    }
    match first_line(file) {
        Some(line) => format!("its first line asks for {line}, which is not there"),
        None => "what it is to be loaded by is not there: it may be made for another system".to_owned(),
    }
}

/// Returns what the first line of a script asks to be run by.
fn first_line(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(FIRST_LINE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).trim().to_owned())
}

/// Returns where the programs of an order are looked for.
pub(super) fn path_of(order: &StartLine) -> &str {
    order.environment.get("PATH").map_or(PATH_DEFAULT, String::as_str)
}

fn directory(order: &StartLine) -> Result<PathBuf, String> {
    let home = || order.environment.get("HOME").map_or("/", String::as_str);
    let directory = PathBuf::from(if order.directory.is_empty() { home() } else { &order.directory });
    match directory.metadata() {
        Ok(found) if found.is_dir() => Ok(directory),
        Ok(_) => Err(format!("cannot run in {}: it is no directory", directory.display())),
        Err(error) => Err(format!("cannot run in {}: {error}", directory.display())),
    }
}

/// Returns the file of a program, as `execvp(3)` finds it.
pub(super) fn find(name: &str, directory: &Path, path: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(directory.join(name)).filter(|file| is_program(file));
    }
    // An empty part is the present directory.
    path.split(':').map(|part| directory.join(part).join(name)).find(|file| !name.is_empty() && is_program(file))
}

fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn why_not(name: &str, directory: &Path) -> String {
    if !name.contains('/') {
        return "no directory of the PATH that was kept has such a program".to_owned();
    }
    match directory.join(name).metadata() {
        Ok(found) if found.is_dir() => "it is a directory".to_owned(),
        Ok(_) => "it may not be executed".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn program(path: &Path) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_owned()
    }

    #[test]
    fn the_first_program_of_the_kept_path_is_found() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let (first, second) = (program(&root.join("a/tool")), program(&root.join("b/tool")));
        let here = program(&root.join("tool"));
        let path = format!("{0}/absent:{0}/a:{0}/b", root.display());
        assert_eq!(find("tool", root, &path), Some(first.clone()));
        fs::set_permissions(&first, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(find("tool", root, &path), Some(second));
        assert_eq!(find("tool", root, "").as_deref(), Some(here.as_path()), "an empty part is the directory");
        assert_eq!(find("./tool", root, "/absent"), Some(root.join("./tool")));
        assert_eq!(find("", root, &path), None);
        assert_eq!(find("other", root, &path), None);
    }

    #[test]
    fn it_is_said_why_a_program_cannot_be_found() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("text"), "").unwrap();
        fs::create_dir(root.path().join("folder")).unwrap();
        assert_eq!(why_not("./text", root.path()), "it may not be executed");
        assert_eq!(why_not("./folder", root.path()), "it is a directory");
        assert_eq!(why_not("./absent", root.path()), "No such file or directory (os error 2)");
        assert_eq!(why_not("absent", root.path()), "no directory of the PATH that was kept has such a program");
    }
}
