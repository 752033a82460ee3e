//! Keeps the layers one-way, the rules pure and the files readable.
//!
//! Every file under `src/` is split into tokens (not parsed), and every path that starts at the crate root is checked
//! against [`LAYERS`]. Tokens are enough to see a path wherever it stands: in a `use`, in an expression, in a macro's
//! arguments, in a `macro_rules!` body. Doc comments and strings are single tokens, so prose may name any module.
//!
//! Not seen: a value whose type is never named.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// Each top-level module and the modules it may name, lowest first.
///
/// Invariant: a module lists only modules above it in this table, so the graph has no cycle.
const LAYERS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("when", &["domain"]),
    ("scheduler", &["domain"]),
    ("logging", &[]),
    ("clock", &["domain"]),
    ("files", &[]),
    ("config", &["domain", "files"]),
    ("process", &[]),
    ("notify", &["domain", "files", "process"]),
    ("runner", &["domain"]),
    ("store", &["domain"]),
    ("engine", &["domain", "scheduler", "clock", "store", "notify", "runner"]),
    ("protocol", &["domain"]),
    ("hooks", &["domain", "clock", "files", "process", "notify", "engine", "protocol"]),
    ("api", &["protocol", "engine", "hooks", "when", "clock", "domain"]),
    ("client", &["protocol"]),
    ("service", &[]),
    (
        "daemon",
        &[
            "domain",
            "when",
            "scheduler",
            "logging",
            "clock",
            "config",
            "process",
            "notify",
            "runner",
            "store",
            "engine",
            "protocol",
            "hooks",
            "api",
        ],
    ),
    ("cli", &["client", "service", "protocol", "when", "config", "domain", "files", "logging"]),
];

/// Files that may name one module more than their layer, each with its reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    // `keiko parse` needs no daemon, so nobody else can tell it the time.
    ("cli/commands/parse", "clock"),
    // The zone of the person's terminal is the terminal's own: the daemon cannot tell.
    ("cli/zone", "clock"),
];

/// Third-party crates that only the files under these paths may name.
const FENCES: &[(&str, &[&str])] = &[
    ("rusqlite", &["store/sqlite"]),
    ("refinery", &["store/sqlite"]),
    ("refinery_core", &["store/sqlite"]),
    ("nix", &["cli/ui/interrupt", "daemon/inherited"]),
    ("listenfd", &["daemon/handed"]),
    ("notify_rust", &["notify/desktop"]),
    ("zbus", &["notify/desktop"]),
    ("reqwest", &["notify/http", "notify/ntfy", "notify/ping", "notify/robots", "notify/telegram", "notify/webhook"]),
    ("rustls", &["notify/http", "notify/webhook"]),
    ("lettre", &["notify/mail"]),
    ("standardwebhooks", &["notify/webhook"]),
    ("hmac_sha256", &["notify/feishu", "notify/webhook"]),
    ("base64", &["notify/feishu", "notify/press", "notify/webhook", "protocol/bytes", "store/sqlite/archive"]),
    ("indicatif", &["cli/ui/progress"]),
    ("shlex", &["domain/run", "cli/ui"]),
    ("minijinja", &["notify/webhook"]),
    ("clap", &["cli", "daemon"]),
    ("anstream", &["cli"]),
    ("anstyle", &["cli"]),
    ("serde", &["store", "config", "notify", "runner", "protocol", "hooks", "cli"]),
    ("serde_json", &["store", "notify", "runner", "protocol", "hooks", "cli"]),
    ("toml", &["config"]),
    ("toml_edit", &["config/edit", "cli/sheet"]),
    ("tokio", &["clock", "process", "notify", "runner", "store", "engine", "hooks", "api", "client", "daemon", "cli"]),
    ("tracing_subscriber", &["logging"]),
    ("tracing_journald", &["logging"]),
    ("chrono_english", &["when/plain_date"]),
    ("croner", &["domain/schedule"]),
    ("rmcp", &["cli/mcp"]),
    ("rrule", &["domain/schedule"]),
    ("interprocess", &["api/listen", "client"]),
    ("directories", &["config/paths"]),
    ("iana_time_zone", &["clock/zone"]),
    (
        "rustix",
        &[
            "clock/system",
            "config/private_dir",
            "notify/changes",
            "notify/network",
            "notify/terminal",
            "runner/client",
            "runner/exit",
            "runner/identity",
            "runner/process",
            "process",
            "store/sqlite/volume",
            "api/listen",
            "client",
            "daemon",
            "cli/commands/doctor",
            "cli/service",
            "cli/start",
            "cli/ui",
        ],
    ),
];

/// The modules that are rules: values in, values out.
const PURE: &[&str] = &["domain", "when", "scheduler"];

/// What has no place in a rule: waiting, logging, wires, clocks, chance and the outside.
const IMPURE: &[&str] = &[
    "async",
    "await",
    "tokio",
    "tracing",
    "serde",
    "Serialize",
    "Deserialize",
    "SystemTime",
    "rand",
    "println",
    "eprintln",
    "print",
    "eprint",
];

/// Modules of the standard library that touch the world.
const IMPURE_STD: &[&str] = &["env", "fs", "io", "net", "process", "thread"];

/// The longest file, its tests aside.
const FILE_LINES_MAX: usize = 600;

/// The longest binary: it only hands over.
const BIN_LINES_MAX: usize = 10;

#[test]
fn layers_point_only_downwards() {
    let mut declared = BTreeSet::new();
    for (module, allowed) in LAYERS {
        for dep in *allowed {
            assert!(declared.contains(dep), "{module} lists {dep}, which is not below it");
        }
        assert!(declared.insert(module), "{module} stands twice");
    }
}

#[test]
fn every_module_of_the_table_exists() {
    let src = source_dir();
    for (module, _) in LAYERS {
        let exists = src.join(module).join("mod.rs").is_file() || src.join(format!("{module}.rs")).is_file();
        assert!(exists, "LAYERS lists {module}, which is gone");
    }
}

#[test]
fn the_source_keeps_the_rules() {
    let src = source_dir();
    let mut violations = Vec::new();
    for path in rust_files(&src) {
        let relative = path.strip_prefix(&src).expect("the file lies in the directory").with_extension("");
        let name = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        violations.extend(check_file(&name, &fs::read_to_string(&path).expect("the file is text")));
    }
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn every_planted_violation_of_the_layers_is_found() {
    check("domain/x", "use crate::store::Store;", 1);
    check("domain/x", "use crate::{domain::Task, store::Store};", 1);
    check("domain/x", "use crate::{domain::{Task, State}, store::{self, Store}, clock::Clock};", 2);
    check("domain/x", "fn f() { crate::store::open(); }", 1);
    check("domain/x", "fn f() { log!(\"{}\", crate::store::open()); }", 1);
    check("domain/x", "macro_rules! m { () => { $crate::store::open() } }", 1);
    check("domain/x", "use super::super::store::Store;", 1);
    check("domain/x", "mod y { use super::super::super::store::Store; }", 1);
    check("domain", "use super::store::Store;", 1);
    check("domain/x", "use crate as root;", 1);
    check("domain/x", "use crate::{self as root};", 1);
    check("domain/x", "use crate::*;", 1);
    check("domain/x", "use crate::{domain::Task, *};", 1);
    check("domain/x", "extern crate keiko;", 1);
    check("domain/x", "use keiko::store::Store;", 1);
    check("domain/x", "#[path = \"x.rs\"] mod x;", 1);
    check("domain/x", "#[cfg_attr(unix, path = \"x.rs\")] mod x;", 1);
    check("domain/x", "include!(\"x.rs\");", 1);
    check("domain/x", "std::include!(\"x.rs\");", 1);
    check("engine/x", "pub use crate::store::Store;", 1);
    check("engine/x", "pub(crate) use crate::store::Store;", 1);
    check("engine/x", "pub(in crate::engine) use crate::store::Store;", 1);
    check("engine/x", "pub use crate::{store::Store, engine::run};", 1);
    check("stray", "", 1);
    check("api/x", "use crate::store::Store;", 1);
    check("client/x", "use crate::domain::time::Timestamp;", 1);
    check("daemon/x", "use crate::cli::main;", 1);
    check("protocol/x", "use crate::engine::Handle;", 1);
    check("cli/commands/list", "use crate::clock::Clock;", 1);
    check("cli/commands/parser", "use crate::clock::Clock;", 1);
    check("cli/commands/parse", "use crate::engine::Handle;", 1);
    check("bin/keiko", "fn main() { keiko::engine::main() }", 1);
    check("bin/keiko", "use keiko::{cli, store};", 1);
}

#[test]
fn every_planted_violation_of_the_fences_is_found() {
    check("engine/x", "use rusqlite::Connection;", 1);
    check("engine/x", "fn f() { rusqlite::open(); }", 1);
    check("engine/x", "fn f() -> ::rusqlite::Result<()> { m!(rusqlite::Error) }", 2);
    check("engine/x", "use {std::fmt, rusqlite};", 1);
    check("engine/x", "use rusqlite as db;", 1);
    check("engine/x", "extern crate rusqlite;", 1);
    check("engine/x", "#[serde(rename = \"a\")] struct A;", 1);
    check("engine/x", "#[derive(serde::Serialize)] struct A;", 1);
    check("store/sqlite_like", "use rusqlite::Connection;", 1);
    check("store/memory", "use rusqlite::Connection;", 1);
    check("notify/terminal/x", "use zbus::Connection;", 1);
    check("notify/desktop/x", "use reqwest::Client;", 1);
    check("runner/wire", "use rustix::process::Pid;", 1);
    check("config/x", "use minijinja::Environment;", 1);
    check("config/file", "use directories::ProjectDirs;", 1);
    check("daemon/x", "tracing_subscriber::fmt();", 1);
    check("protocol/x", "use tokio::sync::mpsc;", 1);
    check("when/parse", "use chrono_english::parse_date_string;", 1);
    check("domain/task", "use rrule::RRuleSet;", 1);
    check("api/dispatch", "use interprocess::local_socket;", 1);
    check("store/sqlite/x", "rustix::fs::fsync(file)", 1);
    check("cli/commands/x", "use rmcp::model::Tool;", 1);
}

#[test]
fn every_planted_impurity_is_found() {
    check("domain/x", "async fn f() {}", 1);
    check("when/x", "fn f() { g().await }", 1);
    check("scheduler/x", "fn f() { tracing::info!(\"a\"); }", 1);
    check("domain/x", "#[derive(Serialize)] struct A;", 1);
    check("domain/x", "use serde::Deserialize;", 3);
    check("domain/x", "fn f() { std::time::SystemTime::UNIX_EPOCH; }", 1);
    check("domain/x", "fn f() { std::env::var(\"TZ\"); }", 1);
    check("when/x", "use std::{fmt, fs, io::Read};", 2);
    check("scheduler/x", "fn f() { println!(\"a\"); }", 1);
    check("domain/x", "fn f() { tokio::spawn(g()); }", 2);
    check("domain/x", "mod tests { async fn f() {} }", 1);
}

#[test]
fn every_planted_fault_of_a_file_is_found() {
    check_text("engine/x", "use std::fmt;", &["starts with what question"]);
    check_text("engine/x", "// prose\n", &["starts with what question"]);
    check_text("engine/x", "", &["starts with what question"]);
    check_text("lib", "//! Prose that would stand beside the architecture.", &["starts with the architecture"]);
    let long = format!("//! x\n{}", "const X: u8 = 0;\n".repeat(FILE_LINES_MAX));
    check_text("engine/x", &long, &["has 601 lines"]);
    check_text("bin/keiko", &format!("//! x\n{}", "\n".repeat(BIN_LINES_MAX)), &["has 11 lines"]);
}

#[test]
fn allowed_code_passes() {
    check("engine/x", "use crate::{clock, domain::Task, store};", 0);
    check("engine/x", "pub use crate::engine::run;", 0);
    check("engine/x", "fn f(rusqlite: u8, directories: u8) { rusqlite + directories.len() }", 0);
    check("domain/x", "fn f() { m!(keiko, keiko.x) }", 0);
    check("engine/x", "use crate::domain::serde::X; use self::rusqlite::Y;", 0);
    check("domain/x", "pub(in crate::domain) fn f() {}", 0);
    check("domain/x", "use super::Task; mod y { use super::super::Task; }", 0);
    check("domain", "mod tests { use super::*; }", 0);
    check("domain/x", "//! [crate::store]\n/// crate::store async serde\nfn f() { \"crate::store tokio\"; }", 0);
    check("domain/schedule/rule", "use rrule::RRuleSet;", 0);
    check("domain/schedule", "use rrule::RRuleSet;", 0);
    check("domain/x", "use std::fmt; fn f(io: u8, fs: u8) { io::<u8>; fs + 1 }", 0);
    check("notify/desktop/enabled", "use zbus::Connection;", 0);
    check("cli/commands/parse", "use crate::clock::system::SystemClock;", 0);
    check("clock/system/timerfd", "use rustix::time::timerfd_create;", 0);
    check("lib", "#![doc = include_str!(\"architecture.md\")] pub mod domain;", 0);
    check("bin/keiko", "fn main() -> std::process::ExitCode { keiko::cli::main() }", 0);
    let long = format!("//! x\nfn f() {{}}\n\n#[cfg(test)]\nmod tests {{\n{}}}\n", "\n".repeat(FILE_LINES_MAX));
    check_text("engine/x", &long, &[]);
    check_text("engine/tests", &format!("//! x\n{}", "\n".repeat(FILE_LINES_MAX)), &[]);
}

/// Checks how many violations the paths and words of `text` have; its form is not looked at.
#[track_caller]
fn check(name: &str, text: &str, expected: usize) {
    let found = check_tokens(name, text);
    assert_eq!(found.len(), expected, "in {text:?}: {found:#?}");
}

/// Checks what is wrong with the form of `text`: one part of each message.
#[track_caller]
fn check_text(name: &str, text: &str, expected: &[&str]) {
    let found = check_form(name, text);
    let is_as_expected = found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| f.contains(e));
    assert!(is_as_expected, "in {name}: {found:#?}");
}

/// Returns one line per violation, as `src/<name>.rs:<line>: error: <what>, <what to do>`.
///
/// `name` is the path below `src/` without `.rs`, such as `store/sqlite/mod`.
fn check_file(name: &str, text: &str) -> Vec<String> {
    let mut violations = check_form(name, text);
    violations.extend(check_tokens(name, text));
    violations
}

/// Checks what a reader meets first: that the file says what it is for, and is not too long.
fn check_form(name: &str, text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    let mut emit = |what: String| violations.push(format!("src/{name}.rs:1: error: {what}"));
    if name == "lib" {
        if !text.starts_with("#![doc = include_str!(\"architecture.md\")]") {
            emit("the crate's page starts with the architecture, include it".to_owned());
        }
    } else if !text.starts_with("//! ") {
        emit("a file starts with what question it answers, write it after `//!`".to_owned());
    }
    let (lines, max) = (lines_without_tests(name, text), lines_max(name));
    if lines > max {
        emit(format!("the file has {lines} lines without tests, at most {max} are readable: split it by question"));
    }
    violations
}

fn lines_max(name: &str) -> usize {
    if name.starts_with("bin/") { BIN_LINES_MAX } else { FILE_LINES_MAX }
}

/// Counts the lines before the module of tests, which stands last; a file of tests alone has none.
fn lines_without_tests(name: &str, text: &str) -> usize {
    if name.split('/').any(|part| part == "tests" || part.ends_with("_tests")) {
        return 0;
    }
    let lines: Vec<&str> = text.lines().collect();
    let is_tests = |at: &usize| {
        lines[*at] == "#[cfg(test)]" && lines[*at..].iter().find(|line| !line.starts_with('#')) == Some(&"mod tests {")
    };
    (0..lines.len()).find(is_tests).unwrap_or(lines.len())
}

/// Checks which modules, crates and words the file names.
fn check_tokens(name: &str, text: &str) -> Vec<String> {
    let mut segments: Vec<&str> = name.split('/').collect();
    if segments.last() == Some(&"mod") {
        segments.pop();
    }
    // The crate is named from outside by a binary, and from the root by the library's list of modules.
    let (module, allowed): (&str, &[&str]) = match segments[0] {
        "lib" => return Vec::new(),
        "bin" => ("bin", &["cli", "daemon"]),
        first => match LAYERS.iter().find(|(module, _)| *module == first) {
            Some((module, allowed)) => (module, allowed),
            None => return vec![format!("src/{name}.rs:1: error: `{first}` is not in LAYERS, add it")],
        },
    };
    let mut scan = Scan { name, module, allowed, violations: Vec::new() };
    scan.tokens(text.parse().expect("source is valid Rust"), segments.len(), Place::Code);
    scan.violations
}

/// Calls `found` with the name of each module that is declared in `stream`, nested ones too.
pub(crate) fn for_each_module(stream: TokenStream, found: &mut impl FnMut(String)) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => for_each_module(group.stream(), found),
            TokenTree::Ident(ident) if i > 0 && is_ident(&tokens, i - 1, "mod") => found(ident.to_string()),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => (),
        }
    }
}

/// What a sequence of tokens stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Code,
    /// The brackets of an attribute, where a crate is named by its bare name.
    Attribute,
    /// The braces of a `use`, where each name that starts an entry is a path's beginning.
    UseTree,
}

struct Scan<'a> {
    name: &'a str,
    /// Top-level module that owns the file.
    module: &'a str,
    allowed: &'a [&'a str],
    violations: Vec<String>,
}

impl Scan<'_> {
    /// Checks one token sequence; `depth` counts the module path segments below the crate root.
    fn tokens(&mut self, stream: TokenStream, depth: usize, place: Place) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        for (i, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let is_inline_mod = group.delimiter() == Delimiter::Brace
                        && i.checked_sub(2).is_some_and(|at| is_ident(&tokens, at, "mod"));
                    self.tokens(group.stream(), depth + usize::from(is_inline_mod), inner_place(&tokens, i, place));
                }
                TokenTree::Ident(ident) => {
                    let ident = ident.to_string();
                    self.path(&tokens, i, &ident, depth);
                    self.fence(&tokens, i, &ident, place);
                    self.purity(&tokens, i, &ident);
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => (),
            }
        }
    }

    fn path(&mut self, tokens: &[TokenTree], i: usize, ident: &str, depth: usize) {
        let span = tokens[i].span();
        match ident {
            "crate" if is_path_sep(tokens, i + 1) => self.head(tokens, i + 3),
            "crate" if is_ident(tokens, i + 1, "as") => self.emit_renamed(span),
            "keiko" if self.module == "bin" && is_path_sep(tokens, i + 1) => self.head(tokens, i + 3),
            // Its own crate by name is a second way to the root.
            "keiko" if self.module != "bin" && is_crate_name(tokens, i, Place::Code) => self.emit_renamed(span),
            "super" if !(i >= 3 && is_ident(tokens, i - 3, "super")) => {
                let mut end = i + 1;
                let mut climbed = 1;
                while is_path_sep(tokens, end) && is_ident(tokens, end + 2, "super") {
                    end += 3;
                    climbed += 1;
                }
                if climbed >= depth {
                    self.head(tokens, end + 2);
                }
            }
            "pub" => self.reexport(tokens, i),
            "include" if is_punct(tokens, i + 1, '!') => {
                self.emit(span, "`include!` hides code from this test, use a module");
            }
            "path" if is_punct(tokens, i + 1, '=') && matches!(tokens.get(i + 2), Some(TokenTree::Literal(_))) => {
                self.emit(span, "`#[path]` hides a module's place, move the file");
            }
            _ => (),
        }
    }

    /// Checks what follows the crate root: a name, a `{…}` list, or `*`.
    fn head(&mut self, tokens: &[TokenTree], at: usize) {
        match tokens.get(at) {
            Some(TokenTree::Group(group)) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for i in 0..inner.len() {
                    if i == 0 || is_punct(&inner, i - 1, ',') {
                        self.head(&inner, i);
                    }
                }
            }
            Some(TokenTree::Ident(ident)) if *ident == "self" => self.emit_renamed(ident.span()),
            Some(TokenTree::Ident(ident)) => self.target(&ident.to_string(), ident.span()),
            Some(TokenTree::Punct(star)) if star.as_char() == '*' => {
                self.emit(star.span(), "glob of the crate root, name what you need");
            }
            Some(TokenTree::Punct(_) | TokenTree::Literal(_)) | None => (),
        }
    }

    fn target(&mut self, target: &str, span: Span) {
        let is_excepted = EXCEPTIONS.iter().any(|(file, module)| is_under(self.name, file) && *module == target);
        if target != self.module && !self.allowed.contains(&target) && !is_excepted {
            let what = format!(
                "`{}` may not name `{target}` (only {:?}), move the shared type down or pass the value in",
                self.module, self.allowed
            );
            self.emit(span, &what);
        }
    }

    /// A re-export would let a module reach, through one it may name, one that it may not.
    fn reexport(&mut self, tokens: &[TokenTree], i: usize) {
        let is_restricted = matches!(tokens.get(i + 1), Some(TokenTree::Group(_)));
        let at = i + 1 + usize::from(is_restricted);
        let is_own = is_ident(tokens, at + 4, self.module);
        if is_ident(tokens, at, "use") && is_ident(tokens, at + 1, "crate") && !is_own {
            let what = "re-export of another module opens a way around LAYERS, import at the user";
            self.emit(tokens[i].span(), what);
        }
    }

    fn fence(&mut self, tokens: &[TokenTree], i: usize, ident: &str, place: Place) {
        let Some((_, inside)) = FENCES.iter().find(|(krate, _)| *krate == ident) else { return };
        if is_crate_name(tokens, i, place) && !inside.iter().any(|path| is_under(self.name, path)) {
            self.emit(tokens[i].span(), &format!("`{ident}` may be named only under {inside:?}"));
        }
    }

    fn purity(&mut self, tokens: &[TokenTree], i: usize, ident: &str) {
        if !PURE.contains(&self.module) {
            return;
        }
        let span = tokens[i].span();
        if IMPURE.contains(&ident) {
            self.emit(span, &format!("`{ident}` has no place in a rule, move it to an edge"));
        }
        if ident == "std" && is_path_sep(tokens, i + 1) {
            for (part, span) in path_heads(tokens, i + 3) {
                if IMPURE_STD.contains(&part.as_str()) {
                    self.emit(span, &format!("`std::{part}` has no place in a rule, move it to an edge"));
                }
            }
        }
    }

    fn emit_renamed(&mut self, span: Span) {
        self.emit(span, "the crate root is renamed, write `crate::` in full");
    }

    fn emit(&mut self, span: Span, what: &str) {
        let line = span.start().line;
        self.violations.push(format!("src/{}.rs:{line}: error: {what}", self.name));
    }
}

fn inner_place(tokens: &[TokenTree], i: usize, place: Place) -> Place {
    let TokenTree::Group(group) = &tokens[i] else { return place };
    let is_attribute = i > 0
        && group.delimiter() == Delimiter::Bracket
        && (is_punct(tokens, i - 1, '#') || (i > 1 && is_punct(tokens, i - 1, '!') && is_punct(tokens, i - 2, '#')));
    let is_use = i > 0 && group.delimiter() == Delimiter::Brace && is_ident(tokens, i - 1, "use");
    if is_attribute {
        Place::Attribute
    } else if is_use {
        Place::UseTree
    } else {
        Place::Code
    }
}

/// Returns whether the name at `i` stands for a crate: it begins a path or an import, and is no variable or field.
fn is_crate_name(tokens: &[TokenTree], i: usize, place: Place) -> bool {
    let is_after_sep = i >= 2 && is_path_sep(tokens, i - 2);
    if is_after_sep && i >= 3 && matches!(tokens[i - 3], TokenTree::Ident(_)) {
        return false;
    }
    let begins_entry = i == 0 || is_punct(tokens, i - 1, ',');
    match place {
        Place::UseTree if begins_entry => true,
        Place::Attribute if i == 0 => true,
        Place::UseTree | Place::Attribute | Place::Code => {
            is_path_sep(tokens, i + 1)
                || (i > 0 && (is_ident(tokens, i - 1, "use") || is_ident(tokens, i - 1, "crate")))
                || (is_after_sep && i >= 3 && is_ident(tokens, i - 3, "use"))
        }
    }
}

/// Returns the names that may stand at `at`: one, or the beginnings of a `{…}` list.
fn path_heads(tokens: &[TokenTree], at: usize) -> Vec<(String, Span)> {
    match tokens.get(at) {
        Some(TokenTree::Ident(ident)) => vec![(ident.to_string(), ident.span())],
        Some(TokenTree::Group(group)) => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let begins = |i: &usize| *i == 0 || is_punct(&inner, i - 1, ',');
            (0..inner.len()).filter(begins).flat_map(|i| path_heads(&inner, i)).collect()
        }
        Some(TokenTree::Punct(_) | TokenTree::Literal(_)) | None => Vec::new(),
    }
}

/// Returns whether the file `name` is `path` or lies below it.
fn is_under(name: &str, path: &str) -> bool {
    name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_ident(tokens: &[TokenTree], at: usize, name: &str) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Ident(ident)) if ident == name)
}

fn is_punct(tokens: &[TokenTree], at: usize, char: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == char)
}

fn is_path_sep(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens, at, ':') && is_punct(tokens, at + 1, ':')
}

fn source_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).expect("the directory can be read") {
        let path = entry.expect("the directory can be read").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
