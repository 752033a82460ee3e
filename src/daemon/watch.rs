//! When does the configuration file change? Its folder is watched, so that an editor which renames a new file into place is
//! noticed, and so are the links on the way to it.
//!
//! Never reads the file: what is told is a hint to look. Where the system cannot tell, `keiko daemon reload` remains.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use tokio::time::timeout;

use crate::notify::changes::{self, Changes};

/// How long nothing must happen before the file is read: an editor may write, rename and write again.
const QUIET: Duration = Duration::from_millis(200);

/// How long is waited at most for that: a file that is written to all the time is read all the same.
const QUIET_WITHIN: Duration = Duration::from_secs(2);

/// How many links are followed, as the system does.
const LINKS_MAX: usize = 40;

/// A file that is watched by its path.
#[derive(Debug)]
pub(super) struct Watched {
    path: PathBuf,
    changes: Changes,
    /// Whether something happened that nobody has looked at.
    is_noticed: bool,
}

impl Watched {
    /// Begins to watch.
    pub(super) fn begin(path: &Path) -> Self {
        Self { path: path.to_owned(), changes: over(path), is_noticed: false }
    }

    /// Returns whether nothing has happened to the file since the last call of [`Watched::changed`], nor does for a while. Where
    /// something has, that is told by the next call too.
    pub(super) async fn is_still(&mut self) -> bool {
        let is_still = timeout(QUIET, self.changes.next()).await.is_err();
        self.is_noticed |= !is_still;
        is_still
    }

    /// Waits until something happened to the file and nothing does any more. What happens between two calls is told too.
    pub(super) async fn changed(&mut self) {
        if !std::mem::take(&mut self.is_noticed) {
            self.changes.next().await;
        }
        let settled = async {
            // Anew each time: what was a link may be a file now, and a folder that was not there may be.
            loop {
                self.changes = over(&self.path);
                if timeout(QUIET, self.changes.next()).await.is_err() {
                    return;
                }
            }
        };
        // Either is a reason to look.
        let _ = timeout(QUIET_WITHIN, settled).await;
    }
}

fn over(path: &Path) -> Changes {
    let watched: Vec<changes::Watched> = entries(path).into_iter().map(changes::Watched::Content).collect();
    Changes::over(&watched)
}

/// Returns each entry of a folder that decides what the path leads to: the file, each link on the way to it, and the first
/// folder that is not there.
fn entries(path: &Path) -> Vec<PathBuf> {
    let mut entries = Vec::new();
    let mut links = 0;
    let mut left: Vec<PathBuf> = parts(path);
    let mut reached = PathBuf::new();
    while let Some(part) = left.pop() {
        let next = reached.join(&part);
        let Ok(found) = next.symlink_metadata() else {
            entries.push(next);
            break;
        };
        if found.is_symlink() {
            entries.push(next.clone());
            links += 1;
            let Ok(target) = next.read_link() else { break };
            if links > LINKS_MAX {
                break;
            }
            left.extend(parts(&target));
        } else if left.is_empty() {
            // A device such as /dev/null never changes.
            if found.is_file() {
                entries.push(next);
            }
            break;
        } else {
            reached = next;
        }
    }
    entries
}

/// Returns the parts of a path, the last first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let parts = path.components().filter(|part| !matches!(part, Component::CurDir));
    let mut parts: Vec<PathBuf> = parts.map(|part| PathBuf::from(part.as_os_str())).collect();
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use futures_util::FutureExt as _;

    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().canonicalize().unwrap();
        (directory, path)
    }

    #[test]
    fn what_decides_where_a_path_leads_is_watched() {
        let (_directory, place) = place();
        fs::create_dir_all(place.join("dotfiles/keiko")).unwrap();
        fs::write(place.join("dotfiles/keiko/real.toml"), "").unwrap();
        symlink("dotfiles", place.join("link")).unwrap();
        symlink("real.toml", place.join("dotfiles/keiko/config.toml")).unwrap();
        let told = |path: &str| -> Vec<String> {
            let entry = |entry: PathBuf| entry.strip_prefix(&place).unwrap().display().to_string();
            entries(&place.join(path)).into_iter().map(entry).collect()
        };
        assert_eq!(told("link/keiko/config.toml"), ["link", "dotfiles/keiko/config.toml", "dotfiles/keiko/real.toml"]);
        assert_eq!(told("dotfiles/keiko/real.toml"), ["dotfiles/keiko/real.toml"]);
        assert_eq!(told("dotfiles/gone/config.toml"), ["dotfiles/gone"]);
        assert_eq!(entries(Path::new("/dev/null")), [] as [PathBuf; 0]);
        symlink("loop", place.join("loop")).unwrap();
        assert!(told("loop").len() <= LINKS_MAX + 1);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn each_way_to_change_a_file_is_told() {
        let (_directory, place) = place();
        let path = place.join("keiko/config.toml");
        let mut watched = Watched::begin(&path);
        fs::create_dir(place.join("keiko")).unwrap();
        watched.changed().await;
        fs::write(&path, "a").unwrap();
        watched.changed().await;
        fs::write(place.join("keiko/neighbour"), "a").unwrap();
        assert!(watched.changes.next().now_or_never().is_none(), "a neighbour is none of ours");
        fs::rename(place.join("keiko/neighbour"), &path).unwrap();
        watched.changed().await;
        fs::remove_file(&path).unwrap();
        fs::write(place.join("dotfile"), "b").unwrap();
        symlink("../dotfile", &path).unwrap();
        watched.changed().await;
        fs::write(place.join("dotfile"), "c").unwrap();
        watched.changed().await;
        fs::rename(place.join("keiko"), place.join("other")).unwrap();
        watched.changed().await;
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn what_is_read_while_somebody_writes_is_not_believed_and_looked_at_again() {
        let (_directory, place) = place();
        let path = place.join("config.toml");
        fs::write(&path, "a").unwrap();
        let mut watched = Watched::begin(&path);
        assert!(watched.is_still().await);
        fs::write(&path, "").unwrap();
        assert!(!watched.is_still().await);
        // Though nothing more happens.
        watched.changed().await;
        assert!(watched.is_still().await);
    }
}
