//! What does the system read to keep the daemon running? Units of systemd, a property list of launchd, an entry of a desktop's
//! autostart: values in, text out.
//!
//! Never writes, runs or looks at anything. Each text bears a mark by which it is known again, and whether somebody changed it.

use std::path::{Path, PathBuf};

use uuid::Uuid;

pub mod autostart;
pub mod launchd;
pub mod systemd;

/// What stands in the line that marks a file as ours, before the name of what the rest of it says.
const MARK: &str = "Written by keiko daemon install as ";

/// A daemon that is to be kept running.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Service {
    /// What it is called: one name for each data directory.
    pub name: String,
    /// The program `keikod`.
    pub daemon: PathBuf,
    /// The program `keiko`.
    pub keiko: PathBuf,
    /// What is to be in the environment, beside what is there anyway.
    pub variables: Vec<(String, PathBuf)>,
    /// Where the service manager listens for it.
    pub socket: Socket,
    /// Where it writes what it says before its log is open.
    pub log: PathBuf,
    /// Who writes the file.
    pub author: Author,
}

/// Where a service manager listens for the daemon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Socket {
    /// In the folder `keiko` of the person's runtime directory, under this name.
    InRuntimeDir(String),
    /// There.
    At(PathBuf),
}

/// Who writes a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Author {
    /// `keiko daemon install`, which marks it.
    Install,
    /// A package of the system.
    Package,
}

/// A file, by its name alone: where it goes is up to whoever writes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// The name.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// Whose a file is that was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// `keiko daemon install` wrote it, as it is.
    Ours,
    /// `keiko daemon install` wrote it, and somebody changed it.
    Changed,
    /// Somebody else wrote it.
    Foreign,
}

/// Why a path cannot stand in a file that the system reads.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TextError {
    /// It is not text.
    #[error("cannot write the path {} into a service: it is not UTF-8 text", path.display())]
    NotText {
        /// The path.
        path: PathBuf,
    },
    /// It holds something that ends a line, or is not seen.
    #[error("cannot write the path {path:?} into a service: it holds a control character")]
    Control {
        /// The path.
        path: PathBuf,
    },
    /// It would be read as something else.
    #[error("cannot write the path {path:?} into a service: {why}")]
    Unfit {
        /// The path.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
}

/// Returns whose a text is.
#[must_use]
pub fn origin(text: &str) -> Origin {
    let Some(line) = text.lines().find(|line| line.contains(MARK)) else { return Origin::Foreign };
    let name = line.split_once(MARK).and_then(|(_, rest)| Uuid::try_parse(rest.get(..36)?).ok());
    let rest: String = text.split_inclusive('\n').filter(|other| !other.starts_with(line)).collect();
    if name == Some(name_of(&rest)) { Origin::Ours } else { Origin::Changed }
}

/// Returns the line that marks a file whose other lines are `rest`, between what begins and ends a remark.
fn mark(begin: &str, rest: &str, end: &str) -> String {
    format!("{begin}{MARK}{}; keiko daemon uninstall removes it unless it was changed{end}\n", name_of(rest))
}

fn name_of(rest: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, rest.as_bytes())
}

/// Returns a path as text in which no line ends.
fn text(path: &Path) -> Result<&str, TextError> {
    let text = path.to_str().ok_or_else(|| TextError::NotText { path: path.to_owned() })?;
    if text.chars().any(char::is_control) {
        return Err(TextError::Control { path: path.to_owned() });
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn service() -> Service {
        Service {
            name: "keikod".to_owned(),
            daemon: "/home/me/.cargo/bin/keikod".into(),
            keiko: "/home/me/.cargo/bin/keiko".into(),
            variables: Vec::new(),
            socket: Socket::InRuntimeDir("service-0123456789ab.sock".to_owned()),
            log: "/home/me/.local/state/keiko/keikod.log".into(),
            author: Author::Install,
        }
    }

    /// As bad as paths come.
    pub(super) fn odd() -> Service {
        Service {
            name: "keikod-0123456789ab".to_owned(),
            daemon: "/home/100% \"me\"/it's $HOME \\bin/keikod".into(),
            keiko: "/home/100% \"me\"/it's $HOME \\bin/keiko".into(),
            variables: vec![
                ("KEIKO_DATA_DIR".to_owned(), "/家 \"%h\" <&> $X `id` \\n/it's".into()),
                ("KEIKO_CONFIG".to_owned(), "/etc/a=b; c#d".into()),
            ],
            socket: Socket::At("/tmp/100% me/it's here".into()),
            log: "/tmp/<log>".into(),
            author: Author::Install,
        }
    }

    #[test]
    fn what_install_wrote_is_known_again_and_a_change_is_seen() {
        let files = [
            systemd::files(&odd()).unwrap(),
            vec![launchd::file(&odd()).unwrap(), autostart::file(&service()).unwrap()],
        ];
        for File { name, text } in files.concat() {
            assert_eq!(origin(&text), Origin::Ours, "{name}");
            assert_eq!(origin(&format!("{text}#\n")), Origin::Changed, "{name}");
            assert_eq!(origin(&text.replacen("eiko", "EIKO", 9)), Origin::Foreign, "{name}");
        }
        assert_eq!(origin(""), Origin::Foreign);
        assert_eq!(origin(&format!("# {MARK}nobody\n")), Origin::Changed);
        let packaged = Service { author: Author::Package, ..service() };
        assert!(systemd::files(&packaged).unwrap().iter().all(|file| origin(&file.text) == Origin::Foreign));
    }

    #[test]
    fn a_path_that_would_end_a_line_is_refused() {
        let service = Service { daemon: "/a\nExecStart=/bin/evil".into(), ..service() };
        for error in [
            systemd::files(&service).unwrap_err(),
            launchd::file(&service).unwrap_err(),
            autostart::file(&service).unwrap_err(),
        ] {
            assert!(matches!(error, TextError::Control { .. }), "{error}");
        }
    }
}
