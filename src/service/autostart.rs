//! What does the entry say by which a desktop starts the daemon at login, where no service manager of the person runs?
//!
//! The rules are those of the Desktop Entry Specification 1.5 ("The Exec key") and of the Desktop Application Autostart
//! Specification. Nothing starts the daemon again where it fails; the next command does.

use crate::service::{File, Service, TextError, mark, text};

/// Returns the entry.
///
/// # Errors
/// A path cannot stand in it.
pub fn file(service: &Service) -> Result<File, TextError> {
    let daemon = text(&service.daemon)?;
    // A word with that sign before the program is a variable to env(1), and such a program is none to a desktop.
    if daemon.contains('=') {
        return Err(TextError::Unfit { path: service.daemon.clone(), why: "an equals sign cannot stand in a program" });
    }
    let mut words = Vec::new();
    for (name, path) in &service.variables {
        words.push(format!("{name}={}", text(path)?));
    }
    if !words.is_empty() {
        words.insert(0, "env".to_owned());
    }
    words.push(daemon.to_owned());
    let command: Vec<String> = words.iter().map(|word| argument(word)).collect();
    let rest = format!(
        "[Desktop Entry]
Type=Application
Name=Keiko
Comment=Starts keikod, the reminder daemon
Exec={}
# Without the program the entry is passed over.
TryExec={}
Terminal=false
NoDisplay=true
",
        command.join(" "),
        value(daemon),
    );
    Ok(File { name: format!("{}.desktop", service.name), text: mark("# ", &rest, "") + &rest })
}

/// Returns a word of a command line, as its value: quoted for the line, and that once more for the file.
fn argument(word: &str) -> String {
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || "/._-=+:,@".contains(c));
    let mut quoted = String::new();
    for c in word.chars() {
        if matches!(c, '"' | '`' | '$' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
        if c == '%' {
            quoted.push('%');
        }
    }
    if is_plain { word.to_owned() } else { value(&format!("\"{quoted}\"")) }
}

/// Returns a text as the value of a key.
fn value(text: &str) -> String {
    text.replace('\\', r"\\")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::tests::{odd, service};

    #[test]
    fn a_desktop_starts_the_daemon_with_what_held_at_install() {
        insta::assert_snapshot!(file(&service()).unwrap().text, @"
        # Written by keiko daemon install as beab80a4-24eb-5ecc-a2fe-19b50e108663; keiko daemon uninstall removes it unless it was changed
        [Desktop Entry]
        Type=Application
        Name=Keiko
        Comment=Starts keikod, the reminder daemon
        Exec=/home/me/.cargo/bin/keikod
        # Without the program the entry is passed over.
        TryExec=/home/me/.cargo/bin/keikod
        Terminal=false
        NoDisplay=true
        ");
        insta::assert_snapshot!(file(&odd()).unwrap().text, @r#"
        # Written by keiko daemon install as dd58af5f-532e-5bb8-acc9-3f3b29445d41; keiko daemon uninstall removes it unless it was changed
        [Desktop Entry]
        Type=Application
        Name=Keiko
        Comment=Starts keikod, the reminder daemon
        Exec=env "KEIKO_DATA_DIR=/家 \\"%%h\\" <&> \\$X \\`id\\` \\\\n/it's" "KEIKO_CONFIG=/etc/a=b; c#d" "/home/100%% \\"me\\"/it's \\$HOME \\\\bin/keikod"
        # Without the program the entry is passed over.
        TryExec=/home/100% "me"/it's $HOME \\bin/keikod
        Terminal=false
        NoDisplay=true
        "#);
    }

    #[test]
    fn a_program_that_a_desktop_cannot_start_is_refused() {
        let service = Service { daemon: "/opt/a=b/keikod".into(), ..service() };
        assert!(matches!(file(&service), Err(TextError::Unfit { .. })));
    }
}
