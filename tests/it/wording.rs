//! Keeps what people read in few places, so that it sounds alike, can be looked over, and can be put into another language.
//!
//! Of the command line, `ui` alone writes to the two streams, and takes nothing but [`Text`](src/cli/render/text.rs), JSON and
//! whole pages. What is said stands in `render`, in `sheet`, in the errors (their `#[error]`, and `CliError::usage` where an
//! argument is refused) and, as help, in the comments of the arguments. Anywhere else a text of two words or more is one too
//! many. Checked token by token, as `architecture.rs` does.

use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Where words for people stand, below `src/cli`.
const WORDED: &[&str] = &[
    "render",
    "sheet",
    "error",
    "usage",
    // Pages of help and of the manual.
    "help",
    "manual",
    "reference",
    "roff",
    "rpc_page",
    "config_page",
    "time_page",
    "week_page",
    "generate",
];

/// Files whose words belong to a table, or to a grammar of their own, beside which they stand; each with its reason.
const BESIDE: &[&str] = &[
    // What each key of a target is, for help and for questions alike.
    "commands/channel",
    // What of a crontab cannot be taken over, line by line.
    "commands/import",
    // What an option expects, as clap says it, and under which heading it stands.
    "args",
    "commands/add",
    // What of a file of others cannot be taken over, line by line, and what putting back a backup means.
    "exchange",
    "commands/backup",
    "commands/export",
    "commands/restore",
    // What is wrong with a setting, what a recipe or a tool is for, and why a daemon that was started is of no use.
    "commands/config",
    "commands/mcp",
    "commands/prompt",
    "mcp",
    "start",
    // Which page is meant that there is not.
    "commands/help",
    // What was found and what mends it, check by check; and what of a service was written.
    "commands/doctor",
    "commands/daemon",
    "service",
    "upgrade",
    "commands/parse",
    // Why a command cannot be kept, put into a refusal.
    "commands/program",
    // Why what was typed cannot be read, as the operating system says such things.
    "ui/hidden",
];

/// What takes a refusal, or says what can never be.
const REFUSALS: [&str; 5] = ["usage", "expect", "unreachable", "assert", "debug_assert"];

/// Macros that write past `ui`.
const MACROS: [&str; 4] = ["print", "println", "eprint", "eprintln"];

/// What gives a stream to write to.
const STREAMS: [&str; 2] = ["stdout", "stderr"];

#[test]
fn people_read_what_stands_in_few_places() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli");
    let mut found = Vec::new();
    for path in files(&root) {
        let name = path.strip_prefix(&root).expect("it lies there").with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).expect("the file is text");
        found.extend(check(&name, &text));
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn what_is_said_elsewhere_is_found() {
    let count = |name: &str, text: &str| check(name, text).len();
    assert_eq!(count("commands/x", "fn f() { ui.hint(\"two words\"); }"), 1);
    assert_eq!(count("commands/x", "fn f() { ui.hint(&format!(\"{n} is due\")); }"), 1);
    assert_eq!(count("commands/x", "const X: &str = \"two words\";"), 1);
    assert_eq!(count("commands/x", "fn f() { println!(\"x\"); std::io::stdout(); }"), 2);
    assert_eq!(count("ui", "fn f() { std::io::stdout(); }"), 0);
    assert_eq!(count("commands/x", "fn f() { CliError::usage(format!(\"cannot do {x}\"), \"do that\"); }"), 0);
    assert_eq!(count("commands/x", "/// Two words\n#[command(about = \"two words\")] struct X;"), 0);
    assert_eq!(count("commands/x", "fn f() { x.expect(\"one of them\"); \"one\"; \"--a --b\"; }"), 0);
    assert_eq!(count("commands/x", "mod tests { fn f() { \"two words\"; } }"), 0);
    assert_eq!(count("render/x", "fn f() { \"two words\"; }"), 0);
    assert_eq!(count("render/x", "fn f() { print!(\"two words\"); }"), 1);
}

/// Returns a line for each text that stands in the wrong place, and for each way past `ui`.
fn check(name: &str, text: &str) -> Vec<String> {
    let is_among = |places: &[&str]| {
        places.iter().any(|place| name.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    let rules = Rules { name, may_say: is_among(WORDED) || is_among(BESIDE), may_write: is_among(&["ui"]) };
    let mut found = Vec::new();
    rules.look(text.parse().expect("source is valid Rust"), &mut found);
    found
}

struct Rules<'a> {
    name: &'a str,
    may_say: bool,
    may_write: bool,
}

impl Rules<'_> {
    fn look(&self, stream: TokenStream, found: &mut Vec<String>) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let ident = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
            Some(TokenTree::Ident(ident)) => ident.to_string(),
            _ => String::new(),
        };
        let punct = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
            Some(TokenTree::Punct(punct)) => punct.as_char(),
            _ => ' ',
        };
        for (i, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let before = ident(i.checked_sub(if punct(i.checked_sub(1)) == '!' { 2 } else { 1 }));
                    let is_attribute = group.delimiter() == Delimiter::Bracket
                        && (punct(i.checked_sub(1)) == '#' || before.is_empty() && punct(i.checked_sub(2)) == '#');
                    let is_tests = before == "tests" && ident(i.checked_sub(2)) == "mod";
                    if !is_attribute && !is_tests && !REFUSALS.contains(&before.as_str()) {
                        self.look(group.stream(), found);
                    }
                }
                TokenTree::Ident(name) => {
                    // A variable, or a method, of that name writes nothing.
                    let is_macro = punct(Some(i + 1)) == '!' && MACROS.contains(&name.to_string().as_str());
                    let is_call = matches!(tokens.get(i + 1), Some(TokenTree::Group(_)));
                    let is_stream = punct(i.checked_sub(1)) != '.' && STREAMS.contains(&name.to_string().as_str());
                    if !self.may_write && (is_macro || is_call && is_stream) {
                        self.emit(name.span().start().line, &format!("`{name}` writes past `ui`, use a `Ui`"), found);
                    }
                }
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    if !self.may_say && text.contains('"') && is_said(&text) {
                        let what = format!("{text} is read by people, say it in `render`");
                        self.emit(literal.span().start().line, &what, found);
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
    }

    fn emit(&self, line: usize, what: &str, found: &mut Vec<String>) {
        found.push(format!("src/cli/{}.rs:{line}: error: {what}", self.name));
    }
}

/// Returns whether a text has two words side by side.
fn is_said(text: &str) -> bool {
    // Neither an option nor what is put in later.
    let is_word = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_punctuation());
        word.len() > 1 && word.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '-') && !word.starts_with('-')
    };
    let words: Vec<bool> = text.trim_matches('"').split(' ').map(is_word).collect();
    words.windows(2).any(|pair| pair == [true, true])
}

fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory can be read");
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.expect("the directory can be read").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}
