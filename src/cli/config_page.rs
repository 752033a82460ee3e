//! What is every key of the configuration? The manual page keiko.toml(5), made from the table of keys.
//!
//! So it knows every key that the readers know. Adds nothing but its form.

use std::fmt::Write as _;

use crate::cli::roff::escaped;
use crate::config::keys::{Hides, Key, SECTIONS, Section, Tables};
use crate::config::literal::Literal;

/// Returns the page as roff.
pub(super) fn page(version: &str) -> String {
    let mut page = format!(
        ".TH keiko.toml 5 \"\" \"keiko {version}\" Keiko\n.SH NAME\nkeiko.toml \\- the configuration of Keiko\n.SH SYNOPSIS\n\
         .I ~/.config/keiko/config.toml\n.br\nor the file that\n.B KEIKO_CONFIG\nnames\n.SH DESCRIPTION\n"
    );
    for paragraph in [
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
    ] {
        let _ = write!(page, ".PP\n{}\n", escaped(paragraph));
    }
    for section in SECTIONS {
        of_section(&mut page, section);
    }
    page.push_str(
        ".SH FILES\n.TP\n.I ~/.config/keiko/config.toml\nThe file, unless\n.B KEIKO_CONFIG\nnames another.\n.TP\n\
         .I ~/.config/keiko/secrets/\nSecrets that keiko channel add kept, for you alone.\n.SH SEE ALSO\n\
         .BR keiko\\-config (1),\n.BR keiko\\-channel (1),\n.BR keikod (8)\n",
    );
    page
}

fn of_section(page: &mut String, section: &Section) {
    let heading = match section.tables {
        Tables::One if section.name.is_empty() => "THE TOP OF THE FILE".to_owned(),
        Tables::One | Tables::Named => format!("[{}]", section.name),
        Tables::Listed => format!("[[{}]]", section.name),
    };
    // Writing to a String cannot fail.
    let _ = writeln!(page, ".SH {heading}");
    if !section.about.is_empty() {
        let _ = writeln!(page, "{}", escaped(section.about));
    }
    for key in section.keys {
        of_key(page, key);
    }
}

fn of_key(page: &mut String, key: &Key) {
    let _ = write!(page, ".TP\n\\fB{}\\fR\n{}\n", escaped(key.name), escaped(key.about));
    let mut told = format!("Expected: {}.", key.takes);
    if let Some(default) = Literal::parse(key.default) {
        let _ = write!(told, " Default: {default}.");
    } else if key.is_required {
        told.push_str(" Required.");
    }
    if key.hides == Hides::Secret {
        told.push_str(" A secret.");
    }
    if key.at_next_start {
        told.push_str(" Holds from the daemon's next start on.");
    }
    let example = Literal::parse(key.example).map_or_else(String::new, |example| example.to_string());
    let _ = write!(page, ".br\n{}\n.br\n{}\n", escaped(&told), escaped(&format!("{} = {example}", key.name)));
}
