//! The one screen of `keiko` without a command: what asks for the person first, the rest folded.

use crate::cli::render::list::{moment, numbered, stage};
use crate::cli::render::rows::{self, Heading};
use crate::cli::render::text::{BAD, DIM, DUE, HEAD, Text};
use crate::cli::render::time::Viewpoint;
use crate::protocol::objects::Row;

/// How many of each group are shown; the rest is counted. Two groups of ten and the folded lines fit in 24 rows.
const SHOWN_MAX: usize = 8;

/// The open tasks by what they ask of the person, each group in the order in which it is shown.
#[derive(Debug, Default)]
pub(crate) struct Groups<'a> {
    /// It rang, and nobody has answered.
    pub(crate) due: Vec<&'a Row>,
    /// Something failed.
    pub(crate) failing: Vec<&'a Row>,
    /// Its command runs.
    pub(crate) running: Vec<&'a Row>,
    /// It was passed over, and comes up no more.
    pub(crate) missed: Vec<&'a Row>,
    /// It will come up.
    pub(crate) next: Vec<&'a Row>,
    /// Its clock stands still.
    pub(crate) paused: Vec<&'a Row>,
    /// Seen, not done.
    pub(crate) seen: Vec<&'a Row>,
    /// Another task is to be done first.
    pub(crate) waiting: Vec<&'a Row>,
    /// It never rings.
    pub(crate) no_time: Vec<&'a Row>,
}

impl<'a> Groups<'a> {
    /// Sorts the open tasks into groups.
    pub(crate) fn of(tasks: &'a [Row]) -> Self {
        let mut groups = Self::default();
        for task in tasks {
            let group = match task.state.as_str() {
                "RUNNING" if task.stage == "running" => &mut groups.running,
                "PENDING" if task.stage == "retrying" => &mut groups.failing,
                "RUNNING" if task.seen => &mut groups.seen,
                "RUNNING" => &mut groups.due,
                "FAILED" => &mut groups.failing,
                "SUSPENDED" => &mut groups.paused,
                "CREATED" if task.blocked => &mut groups.failing,
                "CREATED" if task.waits => &mut groups.waiting,
                "CREATED" => &mut groups.no_time,
                "COMPLETED" | "CANCELLED" => continue,
                "PENDING" if task.stage == "missed" => &mut groups.missed,
                // A state of a later version is shown rather than hidden.
                _ => &mut groups.next,
            };
            group.push(task);
        }
        let shown = [
            &mut groups.due,
            &mut groups.failing,
            &mut groups.missed,
            &mut groups.running,
            &mut groups.next,
            &mut groups.paused,
        ];
        for group in shown {
            group.sort_by_key(|task| (moment(task), task.number));
        }
        groups
    }

    fn is_empty(&self) -> bool {
        let folded = [&self.paused, &self.seen, &self.waiting, &self.no_time];
        [&self.due, &self.failing, &self.missed, &self.running, &self.next]
            .iter()
            .chain(&folded)
            .all(|group| group.is_empty())
    }
}

/// Returns the screen.
pub(crate) fn overview(groups: &Groups<'_>, view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    if groups.is_empty() {
        return vec![
            Text::styled(DIM, "nothing to do"),
            Text::styled(DIM, "to be reminded, run keiko remind me in 20 minutes to stretch"),
        ];
    }
    let mut lines = Vec::new();
    let shown = [
        ("due", &groups.due),
        ("failing", &groups.failing),
        ("missed", &groups.missed),
        ("running", &groups.running),
        ("next", &groups.next),
    ];
    let mut rows = rows(&shown, view, width).into_iter();
    for (heading, tasks) in shown.into_iter().filter(|(_, tasks)| !tasks.is_empty()) {
        if !lines.is_empty() {
            lines.push(Text::default());
        }
        lines.push(Text::styled(style(heading), heading));
        lines.extend(rows.by_ref().take(tasks.len().min(SHOWN_MAX)));
        if let Some(more) = tasks.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0) {
            lines.push(Text::styled(DIM, &format!("  and {more} more: keiko list")));
        }
    }
    if groups.due.is_empty() && groups.failing.is_empty() && groups.missed.is_empty() {
        lines.insert(0, Text::styled(DIM, "nothing is due"));
        lines.insert(1, Text::default());
    }
    let folded = [
        ("paused", &groups.paused),
        ("seen, not done", &groups.seen),
        ("waiting for others", &groups.waiting),
        ("no time", &groups.no_time),
    ];
    if folded.iter().any(|(_, tasks)| !tasks.is_empty()) && lines.last().is_some_and(|line| line.width() > 0) {
        lines.push(Text::default());
    }
    lines.extend(folded.iter().filter(|(_, tasks)| !tasks.is_empty()).map(|(name, tasks)| numbered(name, tasks)));
    lines
}

/// Returns in which colour a heading stands out: that of what its tasks ask of the person.
fn style(heading: &str) -> anstyle::Style {
    match heading {
        "due" => DUE,
        "failing" | "missed" => BAD,
        _ => HEAD,
    }
}

/// How far in the rows stand below their headings.
const INDENT: usize = 2;

/// Returns the rows of all groups in one table, so that they line up; each shows what its heading does not say.
fn rows(groups: &[(&str, &Vec<&Row>)], view: Viewpoint, width: Option<usize>) -> Vec<Text> {
    let tasks: Vec<&Row> = groups.iter().flat_map(|(_, tasks)| tasks.iter().take(SHOWN_MAX).copied()).collect();
    let is_said = |word: &str| ["scheduled", "due", "running", "missed"].contains(&word);
    let own = |task: &Row| {
        let stage = stage(task);
        if is_said(&task.stage) && stage.width() == task.stage.len() { Text::default() } else { stage }
    };
    let width = width.map(|width| width.saturating_sub(INDENT));
    // The groups have headings of their own.
    let rows = rows::rows(&tasks, view, width, Heading::None, own, |_| None).into_iter();
    rows.map(|row| {
        let mut line = Text::plain(&" ".repeat(INDENT));
        line.append(row);
        line
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::fixture::{here, rows, shown};

    #[test]
    fn the_screen_shows_what_asks_for_the_person_and_folds_the_rest() {
        let tasks = rows();
        insta::assert_snapshot!(shown(&overview(&Groups::of(&tasks), here(), Some(40))), @"
        due
            3       15:00  late  étude
            4       15:59  a plain title that i…

        failing
          176           –  blocked  cook

        running
          177       15:20  running 40 %  🏳️‍🌈 and…

        next
          175      12 May  喝水，提醒我每半小时…
          170       16:10  snoozed  snoozed one
          173       18:00  ! اجتماع الفريق
          171   Thu 09:30  standup
            1   Thu 15:00  交房租
          172   Fri 10:00  פגישה עם דנה +עבודה
          174   Sun 14:00  a very long title th…
            2  2 Jan 2027  👨‍👩‍👧 party

        paused: 14
        seen, not done: 16
        no time: 15
        ");
        insta::assert_snapshot!(shown(&overview(&Groups::of(&tasks), here(), Some(200))), @"
        due
            3  today          15:00  1h ago   late                   étude
            4  today          15:59  10s ago                         a plain title that is longer than a narrow terminal is wide +home

        failing
          176  –                              blocked: 24 cancelled  cook

        running
          177  today          15:20  40m ago  running 40 %           🏳️‍🌈 and 🇫🇷 and ❤️

        next
          175  yesterday      09:00  1d ago                          喝水，提醒我每半小时站起来走一走，看看窗外，休息一下眼睛
          170  today          16:10  in 10m   snoozed                snoozed one
          173  today          18:00  in 2h                           ! اجتماع الفريق
          171  tomorrow       09:30  in 18h                          standup
            1  tomorrow       15:00  in 23h                          交房租
          172  Fri 15 May     10:00  in 2d                           פגישה עם דנה +עבודה
          174  Sun 17 May     14:00  in 4d                           a very long title that goes on and on about the many things that one should really not put into a title, such as the whole agenda of the m…
            2  Sat 2 Jan 2027 09:00  in 33w                          👨‍👩‍👧 party

        paused: 14
        seen, not done: 16
        no time: 15
        ");
        insta::assert_snapshot!(shown(&overview(&Groups::of(&tasks), here(), Some(80))), @"
        due
            3  today          15:00  1h ago   late          étude
            4  today          15:59  10s ago                a plain title that is longe…

        failing
          176  –                              blocked       cook

        running
          177  today          15:20  40m ago  running 40 %  🏳️‍🌈 and 🇫🇷 and ❤️

        next
          175  yesterday      09:00  1d ago                 喝水，提醒我每半小时站起来…
          170  today          16:10  in 10m   snoozed       snoozed one
          173  today          18:00  in 2h                  ! اجتماع الفريق
          171  tomorrow       09:30  in 18h                 standup
            1  tomorrow       15:00  in 23h                 交房租
          172  Fri 15 May     10:00  in 2d                  פגישה עם דנה +עבודה
          174  Sun 17 May     14:00  in 4d                  a very long title that goes…
            2  Sat 2 Jan 2027 09:00  in 33w                 👨‍👩‍👧 party

        paused: 14
        seen, not done: 16
        no time: 15
        ");
    }

    #[test]
    fn the_screen_says_so_when_nothing_is_due() {
        let tasks: Vec<_> = rows().into_iter().filter(|task| task.state == "PENDING").collect();
        insta::assert_snapshot!(shown(&overview(&Groups::of(&tasks), here(), Some(80))), @"
        nothing is due

        next
          175  yesterday      09:00  1d ago           喝水，提醒我每半小时站起来走一走…
          170  today          16:10  in 10m  snoozed  snoozed one
          173  today          18:00  in 2h            ! اجتماع الفريق
          171  tomorrow       09:30  in 18h           standup
            1  tomorrow       15:00  in 23h           交房租
          172  Fri 15 May     10:00  in 2d            פגישה עם דנה +עבודה
          174  Sun 17 May     14:00  in 4d            a very long title that goes on an…
            2  Sat 2 Jan 2027 09:00  in 33w           👨‍👩‍👧 party
        ");
        insta::assert_snapshot!(shown(&overview(&Groups::default(), here(), Some(80))), @"
        nothing to do
        to be reminded, run keiko remind me in 20 minutes to stretch
        ");
    }
}
