//! One time of a series, all from one on, or all: edit, pause and cancel.

use insta::assert_snapshot;

use super::*;
use crate::domain::schedule::{AfterDone, Cron, Every};
use crate::domain::task::{Deadline, DeadlineTime, Nag, TaskLink};

const DONE: Command = Command::Done { early: true };
const PAUSE_THIS: Command = Command::PauseThis { until: None };

fn new_time(schedule: Schedule) -> Edit {
    Edit { schedule: Some(schedule), ..Edit::default() }
}

fn this(schedule: Schedule) -> Command {
    Command::EditThis(Box::new(new_time(schedule)))
}

pub(super) fn titled(title: &str) -> Edit {
    Edit { title: Some(title.into()), ..Edit::default() }
}

const LINK: TaskLink = TaskLink { id: TaskId(Uuid::from_u128(2)), number: Number(2) };

impl Story {
    /// Changes the series from a time on; the story of the new task begins.
    pub(super) fn follow(&mut self, now: &str, edit: &Edit) -> Result<Self, Rejection> {
        let follower = Follower { link: LINK, edit, standing: None };
        let moment = moment(at(now));
        let succession = edit_following(&self.snapshot, &self.deliveries, &follower, Expected::default(), &moment)?;
        self.take(at(now), succession.ended);
        let born = succession.follower;
        let mut new = Self {
            snapshot: born.after.clone(),
            deliveries: Vec::new(),
            runs: Vec::new(),
            occurrences: Vec::new(),
            steps: Vec::new(),
            quiet_until: None,
        };
        new.take(at(now), born);
        Ok(new)
    }

    /// Tells the events from the one behind `skipped` on.
    fn told_behind(&self, skipped: usize) -> String {
        self.told().lines().skip(skipped).collect::<Vec<_>>().join("\n")
    }

    fn due(&self) -> String {
        let due = self.snapshot.occurrence.due_at().expect("it has a time");
        due.in_zone(BERLIN).format("%-d %H:%M").to_string()
    }
}

fn nine() -> Story {
    Story::new(daily(9), &[])
}

// --- edit, this time only ---

#[test]
fn one_time_is_moved_and_the_next_is_on_the_rule_again() {
    let mut story = nine();
    let before = story.snapshot.clone();
    story.ask("4 08:10", &this(once("4 16:00"))).expect("before the next");
    let occurrence = &story.snapshot.occurrence;
    assert_eq!((occurrence.key, occurrence.generation), (before.occurrence.key, before.occurrence.generation));
    assert_eq!(story.snapshot.task.schedule, before.task.schedule);
    assert_eq!(story.snapshot.task.cursor, before.task.cursor);
    assert_eq!(occurrence.moved_from, before.occurrence.due);
    story.run("5 09:00");
    assert_snapshot!(story.told_behind(2), @"
    4 08:10 May 04     PENDING   → PENDING   moved
    4 16:00 May 04     PENDING   → RUNNING   fired 0
    5 09:00 May 04     RUNNING   → FAILED    failed
    5 09:00 May 04     FAILED    → CANCELLED cancelled
    5 09:00 May 05     -         → CREATED   opened
    5 09:00 May 05     CREATED   → PENDING   armed
    5 09:00 May 05     PENDING   → RUNNING   fired 0
    ");
    assert_eq!(story.snapshot.occurrence.moved_from, None);
}

#[test]
fn one_time_moved_forward_does_not_come_again_when_the_rule_says_it() {
    let mut story = nine();
    story.run("4 09:00");
    story.ask("4 09:30", &DONE).expect("due");
    story.ask("4 10:00", &this(once("4 17:00"))).expect("ahead");
    story.run("4 17:00");
    story.ask("4 17:05", &DONE).expect("due");
    assert_eq!(story.due(), "6 09:00", "the one of the 5th was the one at 17:00 of the 4th");
}

#[test]
fn a_time_that_rang_already_can_be_moved_and_rings_again() {
    let mut story = nine();
    story.run("4 09:00");
    story.ask("4 09:05", &this(countdown("4 11:00"))).expect("before the next");
    story.run("5 09:00");
    assert_snapshot!(story.told_behind(2), @"
    4 09:00 May 04     PENDING   → RUNNING   fired 0
    4 09:05 May 04     RUNNING   → SUSPENDED suspended
    4 09:05 May 04     SUSPENDED → SUSPENDED moved
    4 09:05 May 04     SUSPENDED → PENDING   resumed
    4 11:00 May 04     PENDING   → RUNNING   fired 0
    5 09:00 May 04     RUNNING   → FAILED    failed
    5 09:00 May 04     FAILED    → CANCELLED cancelled
    5 09:00 May 05     -         → CREATED   opened
    5 09:00 May 05     CREATED   → PENDING   armed
    5 09:00 May 05     PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn alerts_and_a_deadline_move_with_the_one_time() {
    let mut story = Story::with(daily(9), &[-30, 0], |new| {
        new.deadline =
            Some(Deadline { time: DeadlineTime::AfterDue(Span::from_minutes(60)), alerts: vec![Span::ZERO] });
    });
    story.ask("4 08:10", &this(once("4 16:00"))).expect("before the next");
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 15:30")));
    assert_eq!(story.snapshot.deadline_ahead(), Some(at("4 17:00")));
}

#[test]
fn what_one_time_alone_cannot_have_is_refused_in_words() {
    let mut refused = Vec::new();
    let mut ask = |mut story: Story, command: &Command| {
        let before = story.snapshot.clone();
        refused.push(story.ask("4 08:10", command).expect_err("refused").to_string());
        assert_eq!(story.snapshot, before);
    };
    ask(nine(), &Command::EditThis(Box::new(titled("coffee"))));
    ask(nine(), &this(daily(10)));
    ask(nine(), &this(once("5 09:00")));
    ask(nine(), &this(once("4 08:00")));
    assert_snapshot!(refused.join("\n"), @"
    cannot edit this time only of task 1: expected another time for it and nothing else
    cannot edit this time only of task 1: expected another time for it and nothing else
    cannot edit this time only of task 1: 2026-05-05T07:00:00Z is not before its next time, 2026-05-05T07:00:00Z
    cannot edit task 1: 2026-05-04T06:00:00Z has passed
    ");
}

#[test]
fn a_moved_time_that_is_paused_keeps_its_pause() {
    let mut story = nine();
    story.ask("4 08:10", &Command::Pause { until: None }).expect("ahead");
    story.ask("4 08:20", &this(once("4 16:00"))).expect("before the next");
    story.ask("4 15:00", &Command::Resume { shift: false }).expect("paused");
    story.run("4 16:00");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
}

#[test]
fn a_moved_time_follows_the_zone_and_so_does_its_successor() {
    let mut story = nine();
    story.ask("4 08:10", &this(once("4 16:00"))).expect("before the next");
    let mut tokyo = moment(at("4 08:20"));
    tokyo.zone = Tz::Asia__Tokyo;
    let moved = transition(&story.snapshot, &[], &Command::Rezone, Expected::default(), &tokyo).expect("never refused");
    let occurrence = moved.after.occurrence;
    let hours = |hours: i64| Span::from_minutes(hours * 60);
    assert_eq!(occurrence.due_at(), Some(at("4 16:00").saturating_add(hours(-7))));
    assert_eq!(occurrence.successor_at, Some(at("5 09:00").saturating_add(hours(-7))));
    assert_eq!(occurrence.moved_from.map(|due| due.at), Some(at("4 09:00").saturating_add(hours(-7))));
}

#[test]
fn this_means_the_same_as_all_for_what_comes_up_once() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.ask("4 08:10", &this(once("9 09:00"))).expect("a plain edit");
    assert_eq!((story.due().as_str(), story.snapshot.occurrence.moved_from), ("9 09:00", None));
    story.ask("4 08:20", &PAUSE_THIS).expect("a plain pause");
    story.run("20 09:00");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Suspended);
    story.ask("4 08:30", &Command::CancelThis).expect("a plain cancel");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Cancelled);
}

// --- pause and cancel, this time only ---

#[test]
fn one_time_that_is_paused_does_not_ring_and_the_next_does() {
    let mut story = nine();
    story.ask("4 08:10", &PAUSE_THIS).expect("ahead");
    assert_eq!(story.snapshot.next_wake(), Some(at("5 09:00")));
    story.run("5 09:00");
    assert_snapshot!(story.told_behind(2), @"
    4 08:10 May 04     PENDING   → SUSPENDED suspended
    5 09:00 May 04     SUSPENDED → PENDING   resumed
    5 09:00 May 04     PENDING   → PENDING   passed_over
    5 09:00 May 04     PENDING   → -         withdrawn
    5 09:00 May 05     -         → CREATED   opened
    5 09:00 May 05     CREATED   → PENDING   armed
    5 09:00 May 05     PENDING   → RUNNING   fired 0
    ");
    let reason = |name: &str| story.steps.iter().find(|(_, _, step)| step.operation.name() == name).unwrap().2.reason;
    assert_eq!(reason("passed_over"), "it was paused");
}

#[test]
fn one_time_that_rang_and_is_paused_is_closed_by_the_next() {
    let mut story = nine();
    story.run("4 09:00");
    story.deliver("4 09:00");
    story.ask("4 09:05", &PAUSE_THIS).expect("due");
    story.run("5 09:00");
    assert_snapshot!(story.told_behind(3), @"
    4 09:05 May 04     RUNNING   → SUSPENDED suspended
    5 09:00 May 04     SUSPENDED → PENDING   resumed
    5 09:00 May 04     PENDING   → RUNNING   started
    5 09:00 May 04     RUNNING   → COMPLETED completed
    5 09:00 May 05     -         → CREATED   opened
    5 09:00 May 05     CREATED   → PENDING   armed
    5 09:00 May 05     PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_pause_of_one_time_loses_no_later_one_while_the_machine_is_off() {
    let mut story = nine();
    story.ask("4 08:10", &PAUSE_THIS).expect("ahead");
    story.ask("7 12:00", &Command::Wake).expect("never refused");
    assert_snapshot!(story.told_behind(3), @"
    7 12:00 May 04     SUSPENDED → PENDING   resumed
    7 12:00 May 04     PENDING   → PENDING   passed_over
    7 12:00 May 04     PENDING   → PENDING   passed_over
    7 12:00 May 04     PENDING   → -         withdrawn
    7 12:00 May 07     -         → CREATED   opened
    7 12:00 May 07     CREATED   → PENDING   armed
    7 12:00 May 07     PENDING   → RUNNING   fired 0 late
    ");
    // So it is for who resumes it before the clock has woken it.
    let mut story = nine();
    story.ask("4 08:10", &PAUSE_THIS).expect("ahead");
    story.ask("5 09:00", &Command::Resume { shift: false }).expect("paused");
    assert_eq!((story.due().as_str(), story.snapshot.occurrence.state.name()), ("5 09:00", StateName::Running));
}

#[test]
fn a_pause_of_one_time_ends_sooner_where_that_is_said_and_is_none_of_another_rule() {
    let mut story = nine();
    story.ask("4 08:10", &Command::PauseThis { until: Some(at("4 08:30")) }).expect("ahead");
    story.run("4 09:00");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);

    let mut story = nine();
    story.ask("4 08:10", &PAUSE_THIS).expect("ahead");
    story.ask("4 08:20", &Command::Edit(Box::new(new_time(interval(60, None))))).expect("a rule");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Pending, "another time is not paused");
}

#[test]
fn where_no_next_time_comes_by_itself_a_pause_of_this_one_is_a_pause() {
    let mut story = Story::new(after_done(3), &[]);
    story.ask("4 08:10", &PAUSE_THIS).expect("ahead");
    story.run("30 09:00");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Suspended);
}

fn after_done(days: u32) -> Schedule {
    let from = Nominal::Local(at("4 09:00").local(BERLIN));
    schedule(Rule::AfterDone(AfterDone { every: Every::Days(days), at: None, from, count: Some(3), until: None }))
}

#[test]
fn one_time_that_is_cancelled_is_skipped_also_while_it_is_ahead() {
    let mut story = nine();
    story.ask("4 08:10", &Command::CancelThis).expect("ahead");
    story.run("5 09:00");
    story.ask("5 09:05", &Command::CancelThis).expect("due");
    assert_snapshot!(story.told_behind(2), @"
    4 08:10 May 04     PENDING   → -         withdrawn
    4 08:10 May 05     -         → CREATED   opened
    4 08:10 May 05     CREATED   → PENDING   armed
    5 09:00 May 05     PENDING   → RUNNING   fired 0
    5 09:05 May 05     RUNNING   → SUSPENDED suspended
    5 09:05 May 05     SUSPENDED → CANCELLED cancelled
    5 09:05 May 06     -         → CREATED   opened
    5 09:05 May 06     CREATED   → PENDING   armed
    ");
    assert_eq!(story.due(), "6 09:00");
    story.ask("5 09:10", &Command::Pause { until: None }).expect("ahead");
    let refused = story.ask("5 09:20", &Command::CancelThis).expect_err("paused");
    assert_eq!(refused.to_string(), "cannot skip task 1: it is paused");
}

// --- edit, this time and those behind it ---

#[test]
fn a_series_is_changed_from_its_open_time_on() {
    let mut old = nine();
    old.run("4 09:00");
    old.ask("4 09:30", &DONE).expect("due");
    let mut new = old.follow("4 10:00", &titled("coffee")).expect("a series");
    assert_snapshot!(old.told_behind(6), @"
    4 10:00 May 05     PENDING   → PENDING   followed
    4 10:00 May 05     PENDING   → CANCELLED cancelled
    ");
    assert_eq!(old.snapshot.task.details.title, "tea");
    assert_eq!(old.snapshot.task.followed_by, Some(LINK));
    assert_eq!(old.snapshot.next_wake(), None);
    assert_eq!(new.snapshot.task.follows, Some(TaskLink { id: TaskId(Uuid::from_u128(1)), number: Number(1) }));
    assert_eq!(new.snapshot.task.details.title, "coffee");
    new.run("6 09:00");
    assert_snapshot!(new.told(), @"
    4 10:00 May 05     -         → CREATED   added
    4 10:00 May 05     CREATED   → PENDING   armed
    5 09:00 May 05     PENDING   → RUNNING   fired 0
    6 09:00 May 05     RUNNING   → FAILED    failed
    6 09:00 May 05     FAILED    → CANCELLED cancelled
    6 09:00 May 06     -         → CREATED   opened
    6 09:00 May 06     CREATED   → PENDING   armed
    6 09:00 May 06     PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn what_rang_stays_open_as_the_last_of_the_old_task() {
    let mut old = nine();
    old.run("4 09:00");
    let new = old.follow("4 09:30", &new_time(daily(10))).expect("a series");
    assert_eq!(old.snapshot.occurrence.state.name(), StateName::Running);
    assert_eq!(new.due(), "5 10:00");
    old.run("30 09:00");
    assert_eq!(old.snapshot.occurrence.state.name(), StateName::Running, "no successor closes it");
    old.ask("7 09:30", &DONE).expect("due");
    assert_eq!(old.snapshot.occurrence.state.name(), StateName::Completed);
    assert_eq!(old.snapshot.next_wake(), None);
}

#[test]
fn what_is_due_at_that_very_moment_rings_with_the_old_task() {
    let mut old = nine();
    let new = old.follow("4 09:00", &titled("coffee")).expect("a series");
    assert_eq!(old.snapshot.occurrence.state.name(), StateName::Running);
    assert_eq!(new.due(), "5 09:00");
}

#[test]
fn an_early_alert_is_not_said_twice() {
    let mut old = Story::new(daily(9), &[-30, 0]);
    old.run("4 08:30");
    let mut new = old.follow("4 08:40", &titled("coffee")).expect("a series");
    assert_eq!(old.snapshot.occurrence.state.name(), StateName::Cancelled);
    new.run("4 09:00");
    assert_snapshot!(new.told(), @"
    4 08:40 May 04     -         → CREATED   added
    4 08:40 May 04     CREATED   → PENDING   armed
    4 09:00 May 04     PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_snooze_of_what_rang_stays_with_the_old_task() {
    let mut old = nine();
    old.run("4 09:00");
    old.ask("4 09:01", &Command::Snooze { until: at("4 09:20"), is_duration: false, early: false }).expect("due");
    old.follow("4 09:05", &titled("coffee")).expect("a series");
    old.run("4 09:20");
    assert_eq!(old.snapshot.occurrence.state.name(), StateName::Running);
}

#[test]
fn a_pause_goes_on_in_the_new_task() {
    let mut old = nine();
    old.ask("4 08:10", &Command::Pause { until: Some(at("6 12:00")) }).expect("ahead");
    let mut new = old.follow("4 08:20", &titled("coffee")).expect("a series");
    assert_eq!(new.snapshot.occurrence.state.name(), StateName::Suspended);
    new.run("6 12:00");
    assert_eq!(new.due(), "7 09:00");
}

#[test]
fn a_time_moved_alone_is_back_on_the_rule_in_the_new_task() {
    let mut old = nine();
    old.ask("4 08:10", &this(once("4 16:00"))).expect("before the next");
    let new = old.follow("4 08:20", &titled("coffee")).expect("a series");
    assert_eq!((new.due().as_str(), new.snapshot.occurrence.moved_from), ("4 09:00", None));
}

/// Returns how many times come up in the new task, where the old one was done twice.
fn left(schedule: Schedule, edit: &Edit) -> usize {
    let mut old = Story::new(schedule, &[]);
    for _ in 0..2 {
        let due = old.snapshot.occurrence.due_at().expect("it has a time");
        old.wake(due);
        old.ask_at(due, &DONE).expect("due");
    }
    let now = old.snapshot.task.updated_at.in_zone(BERLIN).format("%-d %H:%M").to_string();
    let mut new = old.follow(&now, edit).expect("a series");
    let mut times = 0;
    while !new.snapshot.occurrence.has_ended() {
        let due = new.snapshot.occurrence.due_at().expect("it has a time");
        new.wake(due);
        new.ask_at(due, &DONE).expect("due");
        times += 1;
    }
    times
}

fn counted(count: u32) -> Schedule {
    let mut schedule = daily(9);
    if let Rule::Calendar(calendar) = &mut schedule.rule {
        calendar.count = Some(count);
    }
    schedule
}

fn cron(count: u32) -> Schedule {
    let from = at("4 08:00").local(BERLIN);
    schedule(Rule::Cron(Cron { expression: "0 9 * * *".into(), from, count: Some(count), until: None }))
}

#[test]
fn what_is_left_of_a_count_goes_to_the_new_task() {
    let title = titled("coffee");
    let (hourly, daily) = (new_time(interval(90, None)), new_time(daily(10)));
    assert_eq!(left(counted(5), &title), 3);
    assert_eq!(left(counted(5), &daily), 3);
    assert_eq!(left(counted(5), &hourly), 3);
    assert_eq!(left(cron(5), &title), 3);
    assert_eq!(left(interval(60, Some(7)), &title), 5);
    assert_eq!(left(interval(60, Some(7)), &daily), 5);
    assert_eq!(left(after_done(1), &title), 1);
    assert_eq!(left(counted(5), &new_time(interval(30, Some(60)))), 10, "its own count, from its own start");
}

#[test]
fn an_end_goes_with_it_and_a_new_rule_may_have_its_own() {
    let mut rule = daily(9);
    if let Rule::Calendar(calendar) = &mut rule.rule {
        calendar.until = Some(at("8 09:00").local(BERLIN));
    }
    let mut old = Story::new(rule, &[]);
    let mut new = old.follow("4 08:10", &new_time(interval(60 * 24, None))).expect("a series");
    new.run("20 09:00");
    assert!(new.snapshot.occurrence.due_at() <= Some(at("8 09:00")), "{}", new.due());
}

/// Makes the alerts these.
fn alerts(minutes: &[i64]) -> Command {
    let alerts = minutes.iter().map(|minutes| Span::from_minutes(*minutes)).collect();
    Command::Edit(Box::new(Edit { alerts: Some(alerts), ..Edit::default() }))
}

#[test]
fn an_early_alert_that_is_added_is_said_for_the_very_next_time() {
    for (edited, rung) in [("4 08:30", "4 09:00"), ("4 10:00", "4 09:00")] {
        let mut story = Story::new(daily(9), &[0]);
        story.run(if edited < rung { "4 08:10" } else { rung });
        story.ask(edited, &alerts(&[-60, 0])).expect("open");
        story.run("5 08:00");
        let told = story.told();
        assert_eq!(told.lines().last(), Some("5 08:00 May 05     PENDING   → PENDING   spoke -1h"), "edited {edited}");
    }
}

#[test]
fn an_early_alert_that_is_taken_away_closes_nothing_early() {
    let mut story = Story::new(daily(9), &[-60, 0]);
    story.run("4 09:00");
    story.ask("4 10:00", &alerts(&[0])).expect("open");
    story.run("5 08:59");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
    story.run("5 09:00");
    assert_eq!(story.told().lines().last(), Some("5 09:00 May 05     PENDING   → RUNNING   fired 0"));
}

#[test]
fn an_early_alert_whose_time_has_passed_takes_nothing_over() {
    let mut story = Story::new(daily(9), &[0]);
    story.run("4 09:00");
    story.ask("5 08:30", &alerts(&[-60, 0])).expect("open");
    story.run("5 08:59");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
}

#[test]
fn a_rule_of_every_31st_keeps_its_day() {
    let rrule = "FREQ=MONTHLY".to_owned();
    let from = at("31 09:00").local(BERLIN);
    let monthly = schedule(Rule::Calendar(Calendar { rrule, from, count: Some(4), until: None }));
    let mut old = Story::new(monthly, &[]);
    old.run("31 09:00");
    let new = old.follow("31 10:00", &titled("coffee")).expect("a series");
    assert_eq!(new.snapshot.occurrence.key.to_string(), "2026-07-31");
}

#[test]
fn what_cannot_go_on_is_refused_in_words() {
    let mut refused = Vec::new();
    let mut follow = |mut story: Story, now: &str, edit: &Edit| {
        let before = story.snapshot.clone();
        refused.push(story.follow(now, edit).expect_err("refused").to_string());
        assert_eq!(story.snapshot, before);
    };
    follow(Story::new(once("4 09:00"), &[]), "4 08:10", &titled("coffee"));
    follow(nine(), "4 08:10", &new_time(once("5 09:00")));
    follow(nine(), "4 08:10", &titled(" "));
    let mut last = Story::new(counted(1), &[]);
    last.run("4 09:00");
    follow(last.clone(), "4 09:10", &titled("coffee"));
    last.ask("4 09:20", &DONE).expect("due");
    follow(last, "4 09:30", &titled("coffee"));
    assert_snapshot!(refused.join("\n"), @"
    cannot edit task 1: it does not repeat
    cannot edit the following times of task 1: expected a repetition, found one time
    cannot edit task 1: expected a title, found nothing
    cannot edit task 1: the schedule has no time ahead
    cannot edit task 1: it is already done
    ");
}

#[test]
fn both_tasks_are_rebuilt_from_their_events() {
    let mut old = nine();
    old.run("4 09:00");
    let mut new = old.follow("4 09:30", &new_time(daily(10))).expect("a series");
    new.ask("4 10:00", &this(once("5 12:00"))).expect("ahead");
    new.ask("4 10:10", &PAUSE_THIS).expect("ahead");
    for story in [old, new] {
        let mut rebuilt = None;
        for (now, version, step) in &story.steps {
            rebuilt = apply(rebuilt.as_ref(), &step.operation, *now, *version);
        }
        assert_eq!(rebuilt.as_ref(), Some(&story.snapshot));
    }
}

// --- a nag, told late ---

#[test]
fn a_nag_that_is_told_late_counts_from_then() {
    let mut story = Story::new(once("4 09:00"), &[]);
    story.run("4 09:00");
    let every = |minutes| {
        let nag = Some(Some(Nag { every: Span::from_minutes(minutes), max: 3 }));
        Command::Edit(Box::new(Edit { nag, ..Edit::default() }))
    };
    story.ask("4 11:00", &every(10)).expect("due");
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 11:10")));
    story.run("4 11:10");
    story.ask("4 11:15", &every(10)).expect("due");
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 11:20")), "the same again changes nothing");
}

#[test]
fn a_snooze_of_a_deadline_ends_with_it() {
    let mut story = Story::with(Schedule::none(), &[], |new| {
        let time = DeadlineTime::At(Nominal::Local(at("4 09:00").local(BERLIN)));
        new.deadline = Some(Deadline { time, alerts: vec![Span::ZERO] });
    });
    story.run("4 09:00");
    story
        .ask("4 09:01", &Command::Snooze { until: at("4 09:20"), is_duration: false, early: false })
        .expect("it spoke");
    let edit = Edit { deadline: Some(None), ..Edit::default() };
    story.ask("4 09:05", &Command::Edit(Box::new(edit))).expect("open");
    assert_eq!((story.snapshot.next_wake(), story.snapshot.speaks_at()), (None, None));
}
