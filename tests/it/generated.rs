//! The completions and manual pages that are checked in are those that the arguments describe.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use keiko::cli::generate::{Daemon, files};

/// Set, the files are written anew rather than compared.
const REGENERATE: &str = "KEIKO_REGENERATE";

#[test]
fn completions_and_manual_pages_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_regenerating = std::env::var_os(REGENERATE).is_some();
    let daemon = Daemon { arguments: keiko::daemon::command(), limits: keiko::api::limits::limits() };
    let expected = files(&daemon);
    let mut stale = Vec::new();
    for file in &expected {
        let path = root.join(&file.path);
        if fs::read(&path).is_ok_and(|content| content == file.content) {
            continue;
        }
        if is_regenerating {
            fs::create_dir_all(path.parent().expect("a generated file lies in a directory")).expect("the directory");
            fs::write(&path, &file.content).expect("a generated file can be written");
        } else {
            stale.push(file.path.clone());
        }
    }
    let wanted: BTreeSet<PathBuf> = expected.iter().map(|file| root.join(&file.path)).collect();
    for path in ["completions", "man"].iter().flat_map(|directory| entries(&root.join(directory))) {
        if wanted.contains(&path) {
            continue;
        }
        if is_regenerating {
            fs::remove_file(&path).expect("a file that is no longer generated can be removed");
        } else {
            stale.push(path);
        }
    }
    assert!(stale.is_empty(), "stale: {stale:#?}\nrun {REGENERATE}=1 cargo test --test it generated");
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).map(|entries| entries.filter_map(Result::ok).collect::<Vec<_>>());
    entries.unwrap_or_default().into_iter().map(|entry| entry.path()).collect()
}
