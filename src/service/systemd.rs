//! What do the two units of systemd say: the daemon as a service of the person, and the socket through which it is called?
//!
//! The rules of the text are those of systemd.syntax(7), systemd.service(5) and systemd.socket(5), as of version 252.

use std::fmt::Write as _;
use std::path::Path;

use crate::service::{Author, File, Service, Socket, TextError, mark, text};

/// Why each line of the service stands there, for whoever reads it.
const SERVICE: &str = "\
[Unit]
Description=Keiko, the reminder daemon
Documentation=man:keikod(8) man:keiko(1)
# The socket comes first, so that whoever calls during a start or a restart waits and is answered. It is only wanted: without
# it the daemon makes one of its own, and rings all the same.
Wants={name}.socket
After={name}.socket
# Not bound to a graphical session: without one, commands run, chats and terminals are told, and keikod itself waits until there
# is a notification server.
# What cannot come up, as with a wrong configuration, is not tried for ever. keiko daemon restart begins anew.
StartLimitIntervalSec=5min
StartLimitBurst=5

[Service]
# It says when it can be called, when it reads its configuration anew, and when it stops.
Type=notify
# Nobody else speaks for it, the commands of tasks least of all.
NotifyAccess=main
# The colon: nothing in the line is a variable.
ExecStart=:{daemon} --foreground
ExecReload=:{keiko} daemon reload
{environment}\
# Its loop shows that it goes round; a daemon that stands still is ended and started anew. Seldom, for the sake of batteries.
WatchdogSec=3min
Restart=on-failure
RestartSec=2s
# 7: the database is of a newer version. 8: another keikod serves this person. Trying again changes neither.
RestartPreventExitStatus=7 8
# A large database is looked through after a power cut.
TimeoutStartSec=2min
# What is under way is finished first, within some fifteen seconds.
TimeoutStopSec=30s
# Only the daemon ends with its service. Commands of tasks, the process that runs them, and a browser that a link opened go on;
# the next daemon takes the commands up, with their output and exit status.
KillMode=process
# A command that takes all memory ends alone.
OOMPolicy=continue
# In its memory are titles and secrets: they are not to end in a core file. Commands may raise the limit again.
LimitCORE=0:infinity
# All that the daemon starts inherits what stands here, and is to do what the person may do: sudo and ping in a command need
# what NoNewPrivileges= takes away (and with it SystemCallFilter=, RestrictAddressFamilies=, RestrictNamespaces=,
# RestrictSUIDSGID=, LockPersonality=, MemoryDenyWriteExecute=, which imply it for a person's services); commands see the whole home,
# which ProtectHome=, ProtectSystem= and PrivateUsers= hide or make foreign; windows and agents are reached in /tmp, which PrivateTmp=
# replaces. So none of them is set. The daemon itself listens only where no other user can call, asks the system who calls,
# and keeps its files to their owner.

[Install]
WantedBy=default.target
";

const SOCKET: &str = "\
[Unit]
Description=Where programs call keikod
Documentation=man:keikod(8) man:keiko(1)

[Socket]
ListenStream={socket}
# By this name keikod knows it.
FileDescriptorName=keikod
# Nobody else may call.
SocketMode=0600
DirectoryMode=0700
# Without it the daemon listens on one of its own; what nobody answers any more is in nobody's way.
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
";

/// Returns the name of the unit of the service.
#[must_use]
pub fn service_unit(name: &str) -> String {
    format!("{name}.service")
}

/// Returns the name of the unit of the socket.
#[must_use]
pub fn socket_unit(name: &str) -> String {
    format!("{name}.socket")
}

/// Returns the two units, the service first.
///
/// # Errors
/// A path cannot stand in a unit.
pub fn files(service: &Service) -> Result<Vec<File>, TextError> {
    let name = &service.name;
    let mut environment = String::new();
    for (variable, path) in &service.variables {
        // Writing to a String cannot fail.
        let _ = writeln!(environment, "Environment={}", quoted(&format!("{variable}={}", text(path)?)));
    }
    if !environment.is_empty() {
        environment.insert_str(0, "# What held when it was installed.\n");
    }
    let rest = SERVICE
        .replace("{name}", name)
        .replace("{daemon}", &program(&service.daemon)?)
        .replace("{keiko}", &program(&service.keiko)?)
        .replace("{environment}", &environment);
    let socket = match &service.socket {
        Socket::InRuntimeDir(name) => format!("%t/keiko/{name}"),
        Socket::At(path) => listened(path)?,
    };
    let files = [(service_unit(name), rest), (socket_unit(name), SOCKET.replace("{socket}", &socket))];
    Ok(files.into_iter().map(|(name, rest)| marked(service.author, name, rest)).collect())
}

fn marked(author: Author, name: String, rest: String) -> File {
    match author {
        Author::Package => File { name, text: rest },
        Author::Install => {
            let own = format!("# What you change belongs into a file of its own: systemctl --user edit {name}\n\n");
            let rest = own + &rest;
            File { name, text: mark("# ", &rest, "") + &rest }
        }
    }
}

/// Returns a program, as the beginning of a command line.
fn program(path: &Path) -> Result<String, TextError> {
    let text = text(path)?;
    // systemd takes no program whose path has quotes or backslashes, but a shell does.
    if text.contains(['"', '\'', '\\']) {
        return Ok(format!("/bin/sh -c {} {}", quoted("exec \"$0\" \"$@\""), quoted(text)));
    }
    Ok(quoted(text))
}

/// Returns a word, whatever is in it.
fn quoted(word: &str) -> String {
    let word = word.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{word}\"")
}

/// Returns a path to listen on, which systemd takes as it stands but for its `%`.
fn listened(path: &Path) -> Result<String, TextError> {
    let text = text(path)?;
    // The end of a line is trimmed, and a backslash there joins it with the next.
    if text.ends_with([' ', '\\']) {
        return Err(TextError::Unfit { path: path.to_owned(), why: "it ends with a space or a backslash" });
    }
    Ok(text.replace('%', "%%"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::tests::{odd, service};

    #[test]
    fn each_choice_of_the_service_is_explained() {
        let [unit, socket] = &files(&service()).unwrap()[..] else { panic!("two units") };
        assert_eq!([unit.name.as_str(), socket.name.as_str()], ["keikod.service", "keikod.socket"]);
        insta::assert_snapshot!(unit.text, @r#"
        # Written by keiko daemon install as 2215ab76-bfda-5677-8830-93cc76a1cb8f; keiko daemon uninstall removes it unless it was changed
        # What you change belongs into a file of its own: systemctl --user edit keikod.service

        [Unit]
        Description=Keiko, the reminder daemon
        Documentation=man:keikod(8) man:keiko(1)
        # The socket comes first, so that whoever calls during a start or a restart waits and is answered. It is only wanted: without
        # it the daemon makes one of its own, and rings all the same.
        Wants=keikod.socket
        After=keikod.socket
        # Not bound to a graphical session: without one, commands run, chats and terminals are told, and keikod itself waits until there
        # is a notification server.
        # What cannot come up, as with a wrong configuration, is not tried for ever. keiko daemon restart begins anew.
        StartLimitIntervalSec=5min
        StartLimitBurst=5

        [Service]
        # It says when it can be called, when it reads its configuration anew, and when it stops.
        Type=notify
        # Nobody else speaks for it, the commands of tasks least of all.
        NotifyAccess=main
        # The colon: nothing in the line is a variable.
        ExecStart=:"/home/me/.cargo/bin/keikod" --foreground
        ExecReload=:"/home/me/.cargo/bin/keiko" daemon reload
        # Its loop shows that it goes round; a daemon that stands still is ended and started anew. Seldom, for the sake of batteries.
        WatchdogSec=3min
        Restart=on-failure
        RestartSec=2s
        # 7: the database is of a newer version. 8: another keikod serves this person. Trying again changes neither.
        RestartPreventExitStatus=7 8
        # A large database is looked through after a power cut.
        TimeoutStartSec=2min
        # What is under way is finished first, within some fifteen seconds.
        TimeoutStopSec=30s
        # Only the daemon ends with its service. Commands of tasks, the process that runs them, and a browser that a link opened go on;
        # the next daemon takes the commands up, with their output and exit status.
        KillMode=process
        # A command that takes all memory ends alone.
        OOMPolicy=continue
        # In its memory are titles and secrets: they are not to end in a core file. Commands may raise the limit again.
        LimitCORE=0:infinity
        # All that the daemon starts inherits what stands here, and is to do what the person may do: sudo and ping in a command need
        # what NoNewPrivileges= takes away (and with it SystemCallFilter=, RestrictAddressFamilies=, RestrictNamespaces=,
        # RestrictSUIDSGID=, LockPersonality=, MemoryDenyWriteExecute=, which imply it for a person's services); commands see the whole home,
        # which ProtectHome=, ProtectSystem= and PrivateUsers= hide or make foreign; windows and agents are reached in /tmp, which PrivateTmp=
        # replaces. So none of them is set. The daemon itself listens only where no other user can call, asks the system who calls,
        # and keeps its files to their owner.

        [Install]
        WantedBy=default.target
        "#);
        insta::assert_snapshot!(socket.text, @"
        # Written by keiko daemon install as e84f9927-7b10-537e-a667-22e0b3cdd6b0; keiko daemon uninstall removes it unless it was changed
        # What you change belongs into a file of its own: systemctl --user edit keikod.socket

        [Unit]
        Description=Where programs call keikod
        Documentation=man:keikod(8) man:keiko(1)

        [Socket]
        ListenStream=%t/keiko/service-0123456789ab.sock
        # By this name keikod knows it.
        FileDescriptorName=keikod
        # Nobody else may call.
        SocketMode=0600
        DirectoryMode=0700
        # Without it the daemon listens on one of its own; what nobody answers any more is in nobody's way.
        RemoveOnStop=yes

        [Install]
        WantedBy=sockets.target
        ");
    }

    #[test]
    fn odd_paths_and_what_held_at_install_are_kept() {
        let [unit, socket] = &files(&odd()).unwrap()[..] else { panic!("two units") };
        let lines = |text: &str, keys: &[&str]| {
            let lines = text.lines().filter(|line| keys.iter().any(|key| line.starts_with(key)));
            lines.map(str::to_owned).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(lines(&unit.text, &["Exec", "Env", "Wants"]), @r#"
        Wants=keikod-0123456789ab.socket
        ExecStart=:/bin/sh -c "exec \"$0\" \"$@\"" "/home/100%% \"me\"/it's $HOME \\bin/keikod" --foreground
        ExecReload=:/bin/sh -c "exec \"$0\" \"$@\"" "/home/100%% \"me\"/it's $HOME \\bin/keiko" daemon reload
        Environment="KEIKO_DATA_DIR=/家 \"%%h\" <&> $X `id` \\n/it's"
        Environment="KEIKO_CONFIG=/etc/a=b; c#d"
        "#);
        insta::assert_snapshot!(lines(&socket.text, &["Listen"]), @"ListenStream=/tmp/100%% me/it's here");
    }

    #[test]
    fn a_place_that_a_line_cannot_hold_is_refused() {
        for path in ["/tmp/a ", "/tmp/a\\"] {
            assert!(matches!(listened(Path::new(path)), Err(TextError::Unfit { .. })), "{path:?}");
        }
    }
}
