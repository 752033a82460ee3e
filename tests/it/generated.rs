//! The completions, manual pages and units that are checked in are those that the program describes, and a package brings them all.

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
    for path in
        ["completions", "man", "src/service/package"].iter().flat_map(|directory| entries(&root.join(directory)))
    {
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

/// What `cargo deb` packs: where it is found, and where it goes.
fn assets() -> Vec<(String, String)> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).expect("it is there");
    let manifest: toml::Table = text.parse().expect("cargo reads it too");
    let assets = manifest["package"]["metadata"]["deb"]["assets"].as_array().expect("a list");
    let word = |asset: &toml::Value, index: usize| asset[index].as_str().expect("text").to_owned();
    assets.iter().map(|asset| (word(asset, 0), word(asset, 1))).collect()
}

#[test]
fn a_package_brings_every_generated_file_and_names_none_that_is_not_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let assets = assets();
    let fits = |pattern: &str, path: &str| match pattern.split_once('*') {
        Some((begin, end)) => path.starts_with(begin) && path.ends_with(end),
        None => pattern == path,
    };
    for file in files(keiko::daemon::command()) {
        let path = file.path.display().to_string();
        // Shells that Debian has no place for bring their own.
        let has_place =
            !path.starts_with("completions/") || ["bash", "_keiko", "fish"].iter().any(|end| path.ends_with(end));
        assert!(!has_place || assets.iter().any(|(pattern, _)| fits(pattern, &path)), "{path} is in no package");
    }
    for (pattern, _) in assets {
        let is_there = match pattern.split_once('*') {
            Some((begin, end)) => {
                entries(&root.join(begin)).iter().any(|path| path.display().to_string().ends_with(end))
            }
            None => pattern.starts_with("target/release/") || root.join(&pattern).is_file(),
        };
        assert!(is_there, "there is no {pattern}");
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).map(|entries| entries.filter_map(Result::ok).collect::<Vec<_>>());
    entries.unwrap_or_default().into_iter().map(|entry| entry.path()).collect()
}
