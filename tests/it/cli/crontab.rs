//! `keiko import crontab`: coming from cron.

use std::fs;

use serde_json::json;

use crate::cli::Home;

const TABLE: &str = "# Edit this file to introduce tasks to be run by cron.\n# m h  dom mon dow   command\n\
MAILTO=me@example.org\nPATH=/opt/bin:/usr/bin:/bin\n\
# nightly backup\n0 3 * * * tar czf backup.tgz .\n\n*/5 * * * mon-fri check --all | logger\n\
SHELL=/bin/bash\n0 9 13 * fri mail -s hi joe%Hello%Joe, 5\\% off%\n@reboot start-me\n61 * * * * never\n\
CRON_TZ=Asia/Tokyo\n@daily report\n0 3 * * * tar czf backup.tgz .\n";

#[test]
fn each_line_becomes_a_task_and_what_cannot_be_kept_is_said() {
    let home = Home::with_daemon();
    fs::write(home.path().join("table"), TABLE).expect("a file of the test's own");
    insta::assert_snapshot!(home.transcript(&["import crontab table", "import crontab table --quiet", "list"]), @"");
    let command = &home.keiko("show 1 --json").json()["task"]["command"];
    assert_eq!(command["shell"], "tar czf backup.tgz .");
    assert_eq!(command["env"], json!(["HOME", "MAILTO", "PATH", "SHELL"]));
    assert_eq!(command["directory"], json!(home.path()));
}

#[test]
fn what_would_be_added_is_said_and_nothing_is_added() {
    let home = Home::with_daemon();
    fs::write(home.path().join("table"), TABLE).expect("a file of the test's own");
    insta::assert_snapshot!(home.transcript(&["import crontab --dry-run table", "list"]), @"");
    let told = home.keiko("import crontab --dry-run table --json").json();
    assert_eq!(told["would_add"][0]["next"], "2026-05-14T03:00:00-04:00");
}

#[test]
fn a_system_table_is_read_for_its_own_user_only() {
    let home = Home::with_daemon();
    let user = String::from_utf8(std::process::Command::new("id").arg("-un").output().expect("coreutils").stdout);
    let user = user.expect("a name").trim().to_owned();
    let table = format!("0 3 * * * {user} backup now\n0 4 * * * nobody sweep up\n");
    let asked = home.keiko_with("import crontab -", &format!("0 3 * * * {user} backup now\n"), |_| {});
    assert_eq!((asked.code, asked.stderr.contains("--system reads it so")), (Some(2), true), "{asked:?}");
    let ran = home.keiko_with("import crontab --system -", &table, |_| {});
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.starts_with("added 1  backup now  Thu 14 May 2026 03:00 EDT"), "{ran:?}");
    assert!(ran.stderr.contains("line 2: it is run as nobody"), "{ran:?}");
}

#[test]
fn without_a_crontab_it_says_how_to_name_a_file() {
    let home = Home::with_daemon();
    let ran = home.keiko_with("import crontab", "", |command| {
        command.env("PATH", home.path());
    });
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("hint: name a file, or - for standard input"), "{ran:?}");
    let nothing = home.keiko("import crontab nowhere");
    assert_eq!(nothing.code, Some(2), "{nothing:?}");
}

#[test]
fn what_a_line_reads_stands_behind_its_percent_sign() {
    let home = Home::with_daemon();
    let table = "0 3 * * * tr a-z A-Z%hello%it's 5\\%%\nSHELL=/bin/bash\n0 4 * * * cat <(echo \"$0 $PATH\")\n";
    let ran = home.keiko_with("import crontab -", table, |_| {});
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(home.keiko("run 1").stdout, "HELLO\nIT'S 5%\n");
    assert_eq!(home.keiko("run 2").stdout, "/bin/bash /usr/bin:/bin\n");
}
