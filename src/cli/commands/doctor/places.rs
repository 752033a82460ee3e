//! Are the files as they must be: the configuration, the database, the disk, and who may read them?

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use crate::cli::commands::doctor::Known;
use crate::cli::commands::doctor::finding::Finding;
use crate::config::Config;
use crate::config::edit::SECRETS;
use crate::config::paths::Paths;
use crate::domain::run::quoted;
use crate::protocol::examination::{DatabaseFound, Examination};

/// Below this much free space firings soon live from the reserve.
const SPACE_BYTES_MIN: u64 = 64 << 20;

/// Below this much it is worth a word.
const SPACE_BYTES_FEW: u64 = 1 << 30;

/// The bits of a mode that let others do something, and let them write.
const OTHERS: u32 = 0o077;
const OTHERS_WRITE: u32 = 0o022;

/// Looks whether the configuration can be used.
pub(super) fn configuration(paths: &Paths, found: &mut Vec<Finding>) {
    let area = "configuration";
    let file = paths.config_file();
    match Config::load(file, paths.config_origin()) {
        Ok((_, warnings)) => {
            if warnings.is_empty() {
                let is_there = file.exists();
                let text = if is_there {
                    file.display().to_string()
                } else {
                    format!("the defaults: there is no {}", file.display())
                };
                found.push(Finding::fine(area, &text));
            }
            let mend = || Some(format!("mend {}, then keiko daemon reload", file.display()));
            found.extend(warnings.iter().map(|warning| Finding::note(area, &warning.to_string(), mend())));
        }
        Err(error) => {
            let mend = format!("mend {}, then keiko daemon reload", file.display());
            found.push(Finding::wrong(area, &error.to_string(), Some(mend)));
        }
    }
}

/// Looks whether the database is whole.
pub(super) fn database(known: &Known, examination: Option<&Examination>, found: &mut Vec<Finding>) {
    let area = "database";
    let Some(examination) = examination else { return };
    found.push(match &examination.database {
        DatabaseFound::Absent => Finding::fine(area, "none yet: the first task makes it"),
        DatabaseFound::Fine { schema, bytes } => {
            Finding::fine(area, &format!("whole, {} kB, schema {schema}", bytes.div_ceil(1000)))
        }
        DatabaseFound::SetAside { reason, mend } => Finding::wrong(area, reason, Some(mend.clone())),
        DatabaseFound::Wrong { damaged, reason } => {
            let mend = match (damaged, known) {
                // A daemon that reads it anew sets it aside, and says what there is to go on with.
                (true, Known::Answers { .. } | Known::Unasked { .. }) => "keiko daemon restart",
                (true, Known::Absent) => "keiko daemon start",
                (false, _) => "keiko daemon logs",
            };
            Finding::wrong(area, reason, Some(mend.to_owned()))
        }
    });
}

/// Looks whether the data directory is one, or can become one; returns that.
pub(super) fn data(paths: &Paths, found: &mut Vec<Finding>) -> bool {
    let area = "data";
    // The nearest that is there, even a link that leads nowhere.
    let Some(nearest) = paths.data_dir().ancestors().find(|path| path.symlink_metadata().is_ok()) else { return true };
    let data = paths.data_dir().display();
    let why = if !nearest.is_dir() {
        format!("{} is no directory", nearest.display())
    } else if rustix::fs::access(nearest, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        format!("{} cannot be written to", nearest.display())
    } else {
        return true;
    };
    let text = if nearest == paths.data_dir() { why } else { format!("{data} cannot be made: {why}") };
    found.push(Finding::wrong(area, &text, Some("KEIKO_DATA_DIR names another folder for the tasks".to_owned())));
    false
}

/// Looks whether there is room for what is to be written, and what takes room for nothing.
pub(super) fn disk(paths: &Paths, found: &mut Vec<Finding>) {
    let area = "disk";
    // Before the first start the directory is not there; its nearest is on the same disk.
    let Some(folder) = paths.data_dir().ancestors().find(|folder| folder.is_dir()) else { return };
    let Ok(volume) = rustix::fs::statvfs(folder) else { return };
    // Some file systems know no size.
    if volume.f_blocks == 0 {
        return;
    }
    let free = volume.f_bavail.saturating_mul(volume.f_frsize);
    let text = format!("{} MB free at {}", free / 1_000_000, folder.display());
    let mend = || Some(format!("free some space at {}", folder.display()));
    found.push(match free {
        free if free < SPACE_BYTES_MIN => Finding::wrong(area, &text, mend()),
        free if free < SPACE_BYTES_FEW => Finding::note(area, &text, mend()),
        _ => Finding::fine(area, &text),
    });
    for (file, bytes) in set_aside(paths) {
        let text =
            format!("{} is a database that was damaged and set aside ({} kB)", file.display(), bytes.div_ceil(1000));
        let mend = format!("rm {}*, once you need it no more", quoted(&[file.display().to_string()]));
        found.push(Finding::note(area, &text, Some(mend)));
    }
}

/// Returns the databases that were set aside, with their lengths.
fn set_aside(paths: &Paths) -> Vec<(PathBuf, u64)> {
    let database = paths.database();
    let name = database.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Ok(files) = fs::read_dir(paths.data_dir()) else { return Vec::new() };
    let is_one = |path: &PathBuf| {
        let own = path.file_name().unwrap_or_default().to_string_lossy();
        own.starts_with(&format!("{name}.corrupt-")) && !own.ends_with("-wal") && !own.ends_with("-shm")
    };
    let mut files: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).filter(is_one).collect();
    files.sort();
    files
        .into_iter()
        .filter_map(|path| Some((path.metadata().ok()?.len(), path)))
        .map(|(len, path)| (path, len))
        .collect()
}

/// Looks whether anybody else may read or write what is the person's own.
pub(super) fn rights(paths: &Paths, found: &mut Vec<Finding>) {
    let before = found.len();
    let data = paths.data_dir();
    closed(data, OTHERS, "700", found);
    closed(&paths.database(), OTHERS, "600", found);
    closed(&paths.log_file(), OTHERS, "600", found);
    closed(paths.config_file(), OTHERS_WRITE, "go-w", found);
    if let Some(folder) = paths.config_file().parent() {
        closed(&folder.join(SECRETS), OTHERS, "700", found);
        for file in fs::read_dir(folder.join(SECRETS)).into_iter().flatten().filter_map(Result::ok) {
            closed(&file.path(), OTHERS, "600", found);
        }
    }
    match paths.find_socket() {
        Ok(socket) => {
            closed(&socket, OTHERS, "600", found);
            if let Some(folder) = socket.parent() {
                closed(folder, OTHERS, "700", found);
            }
        }
        // Where others could listen in the daemon's place.
        Err(error) => found.push(Finding::wrong("rights", &error.to_string(), error.hint())),
    }
    if found.len() == before {
        found.push(Finding::fine("rights", "nobody else can read the tasks, or call the daemon"));
    }
}

/// Looks whether others are kept out of a file, where there is one.
fn closed(path: &Path, bits: u32, mode: &str, found: &mut Vec<Finding>) {
    let Ok(file) = path.metadata() else { return };
    let own = rustix::process::geteuid().as_raw();
    let word = quoted(&[path.display().to_string()]);
    // Devices such as /dev/null are everybody's.
    if !file.is_file() && !file.is_dir() && !is_socket(&file) {
        return;
    }
    if file.uid() != own {
        let text = format!("{} belongs to user {}, expected user {own}", path.display(), file.uid());
        found.push(Finding::wrong("rights", &text, Some(format!("chown {own} {word}"))));
    } else if file.mode() & bits != 0 {
        let who = if bits == OTHERS_WRITE { "others may write to it" } else { "others may reach it" };
        let text = format!("{}: {who} (mode {:04o})", path.display(), file.mode() & 0o7777);
        found.push(Finding::wrong("rights", &text, Some(format!("chmod {mode} {word}"))));
    }
}

fn is_socket(file: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&file.file_type())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::cli::commands::doctor::finding::Level;
    use crate::config::paths::Environment;

    #[test]
    fn a_data_directory_that_cannot_be_is_named_with_what_is_in_its_way() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        std::os::unix::fs::symlink("nowhere", root.path().join("link")).unwrap();
        let look = |name: &str| {
            let keiko_data_dir = Some(root.path().join(name).into_os_string());
            let keiko_config = Some(root.path().join("config.toml").into_os_string());
            let paths = Paths::of(&Environment { keiko_config, keiko_data_dir, ..Environment::default() }).unwrap();
            let mut found = Vec::new();
            assert_eq!(data(&paths, &mut found), found.is_empty());
            found.pop().map(|finding| finding.text.replace(&format!("{}/", root.path().display()), ""))
        };
        assert_eq!(look("file/x").as_deref(), Some("file/x cannot be made: file is no directory"));
        assert_eq!(look("file").as_deref(), Some("file is no directory"));
        assert_eq!(look("link/x/y").as_deref(), Some("link/x/y cannot be made: link is no directory"));
        assert_eq!(look("new/x"), None);
    }

    #[test]
    fn a_file_that_others_may_reach_is_named_with_what_closes_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("it's a file");
        fs::write(&path, "").unwrap();
        let look = |mode: u32, bits| {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let mut found = Vec::new();
            closed(&path, bits, "600", &mut found);
            found.pop().map(|finding| (finding.level, finding.mend.unwrap_or_default()))
        };
        assert_eq!(look(0o600, OTHERS), None);
        assert_eq!(look(0o644, OTHERS_WRITE), None);
        let (level, mend) = look(0o644, OTHERS).unwrap();
        assert_eq!(level, Level::Wrong);
        assert!(mend.starts_with("chmod 600 ") && mend.ends_with("it's a file\""), "{mend}");
        let mut found = Vec::new();
        closed(Path::new("/dev/null"), OTHERS, "600", &mut found);
        closed(Path::new("/absent"), OTHERS, "600", &mut found);
        assert_eq!(found, []);
    }
}
