//! What is every key of the configuration? The manual page keiko.toml(5), made from the table of keys.
//!
//! So it knows every key that the readers know. Adds nothing but its form.

use crate::cli::roff::{Page, bold, escaped, italic};
use crate::config::keys::{Hides, Key, SECTIONS, Section, Tables};
use crate::config::literal::Literal;

const ABOUT: [&str; 3] = [
    "The file is TOML, and need not be there: every key has a default. keiko config show tells what holds and where it comes \
     from, keiko config set changes one key and leaves comments and order as they are, keiko config check says all that is \
     wrong with the file at once, and keiko config default prints a whole file to begin with.",
    "The daemon reads the file when it starts and whenever it changes, also where an editor renames a new one into its place \
     or it is a link. A file that is wrong, or half written, is passed over: what held before holds, and keiko status says \
     so. A key that nobody knows is passed over with a warning that names the nearest one. keiko daemon reload and SIGHUP \
     let it be read at once.",
    "A value that is secret may stand elsewhere: NAME_file is a file, NAME_env a variable of the daemon's environment, and \
     NAME_command a program with its arguments that prints it. Relative paths are meant from where the file lies. No secret is \
     shown by any command.",
];

/// Returns the page as roff.
pub(super) fn page(version: &str) -> String {
    let mut page = Page::new("keiko.toml", '5', version, "the configuration of Keiko");
    page.section("SYNOPSIS");
    page.request(&italic("~/.config/keiko/config.toml"));
    page.section("DESCRIPTION");
    for paragraph in ABOUT {
        page.paragraph(paragraph);
    }
    page.section("KEYS");
    for section in SECTIONS {
        of_section(&mut page, section);
    }
    page.section("FILES");
    page.tagged(&italic("~/.config/keiko/config.toml"), "The file, unless KEIKO_CONFIG names another.");
    page.tagged(&italic("~/.config/keiko/secrets/"), "Secrets that keiko channel add kept, for you alone.");
    page.see_also(&["keiko-config(1)", "keiko-channel(1)", "keikod(8)"]);
    page.finish()
}

fn of_section(page: &mut Page, section: &Section) {
    let heading = match section.tables {
        Tables::One if section.name.is_empty() => "At the top of the file".to_owned(),
        Tables::One | Tables::Named => format!("[{}]", section.name),
        Tables::Listed => format!("[[{}]]", section.name),
    };
    page.part(&heading);
    if !section.about.is_empty() {
        page.paragraph(section.about);
    }
    for key in section.keys {
        of_key(page, key);
    }
}

fn of_key(page: &mut Page, key: &Key) {
    page.tagged(&bold(key.name), key.about);
    let mut told = format!("Expected: {}.", key.takes);
    if let Some(default) = Literal::parse(key.default) {
        told = format!("{told} Default: {default}.");
    } else if key.is_required {
        told.push_str(" Required.");
    }
    if key.hides == Hides::Secret {
        told.push_str(" A secret.");
    }
    if key.at_next_start {
        told.push_str(" Holds from the daemon's next start on.");
    }
    page.line(&told);
    page.request(".br");
    let example = Literal::parse(key.example).map_or_else(String::new, |example| example.to_string());
    page.request(&escaped(&format!("{} = {example}", key.name)));
}
