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
    insta::assert_snapshot!(home.transcript(&["import crontab table", "import crontab table --quiet", "list"]), @r#"
    $ keiko import crontab table
    added 1  nightly backup  Thu 14 May 2026 03:00 EDT (in 11h)
      repeats Thu 14 May 03:00, Fri 15 May 03:00, Sat 16 May 03:00
      runs tar czf backup.tgz .
    added 2  check --all | logger  Wed 13 May 2026 16:05 EDT (in 5m)
      repeats Wed 13 May 16:05, Wed 13 May 16:10, Wed 13 May 16:15
    added 3  mail -s hi joe  Fri 15 May 2026 09:00 EDT (in 1d 17h)
      repeats Fri 15 May 09:00, Fri 22 May 09:00, Fri 29 May 09:00
      runs printf '%s\n' 'Hello …
    added 4  report  Thu 14 May 2026 11:00 EDT (in 19h; Fri 00:00 in Asia/Tokyo)
      repeats Thu 14 May 11:00, Fri 15 May 11:00, Sat 16 May 11:00
      runs /bin/bash -c report
    added 5  tar czf backup.tgz .  Thu 14 May 2026 14:00 EDT (in 22h; Fri 03:00 in Asia/Tokyo)
      repeats Thu 14 May 14:00, Fri 15 May 14:00, Sat 16 May 14:00
      runs /bin/bash -c 'tar czf backup.tgz .'
    ! error: line 11: @reboot cannot be kept: Keiko knows times, not starts of the machine; a systemd user unit does that
    ! error: line 12: cannot read "61" in a rule: expected minutes of 0 to 59
    ! hint: a rule that can be read is `0 9 * * MON-FRI`
    ! warning: line 10: cron takes the day of the month or the weekday, either is enough
    ! hint: nothing is mailed: keiko show N --output shows what a command said, and you are told where one fails
    ! hint: a time at which one still runs is passed over; keiko edit N --overlap allow runs both, as cron does
    ! warning: the lines are in table still, so both run: remove them there
    [exit 1]
    $ keiko import crontab table --quiet
    ! error: line 11: @reboot cannot be kept: Keiko knows times, not starts of the machine; a systemd user unit does that
    ! error: line 12: cannot read "61" in a rule: expected minutes of 0 to 59
    ! hint: a rule that can be read is `0 9 * * MON-FRI`
    [exit 1]
    $ keiko list
    #  WHEN                      STAGE      TITLE
    2  today      16:05  in 5m   scheduled  check --all | logger (repeats)
    1  tomorrow   03:00  in 11h  scheduled  nightly backup (repeats)
    4  tomorrow   11:00  in 19h  scheduled  report (repeats)
    5  tomorrow   14:00  in 22h  scheduled  tar czf backup.tgz . (repeats)
    3  Fri 15 May 09:00  in 2d   scheduled  mail -s hi joe (repeats)
    "#);
    let command = &home.keiko("show 1 --json").json()["task"]["command"];
    assert_eq!(command["shell"], "tar czf backup.tgz .");
    assert_eq!(command["env"], json!(["HOME", "MAILTO", "PATH", "SHELL"]));
    assert_eq!(command["directory"], json!(home.path()));
}

#[test]
fn a_crontab_goes_with_one_undo() {
    let home = Home::with_daemon();
    let table = "0 3 * * * one\n0 4 * * * two\n0 5 * * * three\n";
    let added = home.keiko_with("import crontab - --json", table, |_| {}).json();
    let ops: Vec<_> = added["results"].as_array().expect("a list").iter().map(|each| each["op_id"].clone()).collect();
    let again = home.keiko_with("import crontab - --json", table, |_| {}).json();
    let known: Vec<_> = again["results"].as_array().expect("a list").iter().map(|each| each["op_id"].clone()).collect();
    assert_eq!(ops, known, "both answers name the same events");
    let undone = home.keiko("undo");
    assert!(undone.stdout.starts_with("taken back: add 3 tasks: 1, 2, 3\n"), "{undone:?}");
    assert_eq!(home.keiko("list --json").json()["tasks"], json!([]));
}

#[test]
fn what_would_be_added_is_said_and_nothing_is_added() {
    let home = Home::with_daemon();
    fs::write(home.path().join("table"), TABLE).expect("a file of the test's own");
    insta::assert_snapshot!(home.transcript(&["import crontab --dry-run table", "list"]), @r#"
    $ keiko import crontab --dry-run table
    would add line 6  nightly backup  next Thu 14 May 2026 03:00 EDT (in 11h)
      0 3 * * *  runs tar czf backup.tgz .
    would add line 8  check --all | logger  next Wed 13 May 2026 16:05 EDT (in 5m)
      */5 * * * mon-fri  runs check --all | logger
    would add line 10  mail -s hi joe  next Fri 15 May 2026 09:00 EDT (in 1d 17h)
      0 9 13 * fri  runs mail -s hi joe
    would add line 14  report  next Thu 14 May 2026 11:00 EDT (in 19h)
      0 0 * * *  runs report
    would add line 15  tar czf backup.tgz .  next Thu 14 May 2026 14:00 EDT (in 22h)
      0 3 * * *  runs tar czf backup.tgz .
    ! error: line 11: @reboot cannot be kept: Keiko knows times, not starts of the machine; a systemd user unit does that
    ! error: line 12: cannot read "61" in a rule: expected minutes of 0 to 59
    ! hint: a rule that can be read is `0 9 * * MON-FRI`
    ! warning: line 10: cron takes the day of the month or the weekday, either is enough
    [exit 1]
    $ keiko list
    no tasks
    "#);
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

#[test]
fn lines_that_are_refused_are_told_to_programs_too_and_alike_when_it_is_only_tried() {
    let home = Home::with_daemon();
    let table = "@reboot start\n61 * * * * never\nKEIKO_X=1\n0 3 * * * x\n";
    let tried = home.keiko_with("import crontab - --dry-run --json", table, |_| {});
    let done = home.keiko_with("import crontab - --json", table, |_| {});
    assert_eq!((tried.code, done.code), (Some(1), Some(1)), "{tried:?} {done:?}");
    let (tried, done) = (tried.json(), done.json());
    assert_eq!(tried["would_add"], json!([]));
    let lines = |refused: &serde_json::Value| -> Vec<serde_json::Value> {
        refused.as_array().expect("a list").iter().map(|each| each["error"]["message"].clone()).collect()
    };
    assert_eq!(lines(&tried["refused"]), lines(&done["results"]));
    assert_eq!(lines(&tried["refused"]).len(), 3);
    assert_eq!(
        (&tried["refused"][2]["line"], &done["results"][2]["name"]),
        (&json!(4), &json!("line 4")),
        "variables that no command may have"
    );
    for each in ["@reboot start\n", "61 * * * * never\n", "0 3 * *\n", "CRON_TZ=Nowhere\n0 3 * * * x\n"] {
        for line in ["import crontab -", "import crontab - --dry-run"] {
            assert_eq!(home.keiko_with(line, each, |_| {}).code, Some(1), "{line} {each}");
        }
    }
}

#[test]
fn variables_that_have_changed_since_are_taken_over_and_what_is_known_is_not_explained_again() {
    let home = Home::with_daemon();
    let import = |table: &str, line: &str| home.keiko_with(line, table, |_| {});
    let first = import("GREETING=hello\n0 3 * * * echo $GREETING\n", "import crontab -");
    assert!(first.stdout.starts_with("added 1") && first.stderr.contains("so both run"), "{first:?}");
    let again = import("GREETING=hello\n0 3 * * * echo $GREETING\n", "import crontab -");
    assert!(again.stdout.starts_with("already added 1") && !again.stderr.contains("both run"), "{again:?}");
    assert!(!again.stderr.contains("mailed"), "{again:?}");
    assert_eq!(home.keiko("run 1").stdout, "hello\n");
    let changed = "SHELL=/bin/bash\nGREETING=bonjour\n0 3 * * * echo $GREETING\n";
    let tried = import(changed, "import crontab - --dry-run");
    assert!(tried.stdout.starts_with("would change line 3 as 1  echo $GREETING"), "{tried:?}");
    let ran = import(changed, "import crontab -");
    assert!(ran.stdout.starts_with("changed 1"), "{ran:?}");
    assert_eq!(home.keiko("run 1").stdout, "bonjour\n");
    // What the person runs in its place stays, and is given the variables.
    home.keiko("edit 1 --sh 'echo own $GREETING'");
    import("GREETING=ciao\n0 3 * * * echo $GREETING\n", "import crontab -");
    assert_eq!(home.keiko("run 1").stdout, "own ciao\n");
}
