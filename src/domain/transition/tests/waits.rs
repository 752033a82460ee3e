//! Tasks that wait for others: when they are set free, what blocks them, and what they do meanwhile.

use super::*;
use crate::domain::command::StandingPause;
use crate::domain::message::Reason;
use crate::domain::occurrence::{OccurrenceKey, OccurrenceName};
use crate::domain::stage::stage;
use crate::domain::task::{Deadline, DeadlineTime, Missed};
use crate::domain::waiting::{Failure, HowFailed, Met, OnParentFail, Parent, ParentEnd, Search, Wait, find_cycle};

fn id(number: u64) -> TaskId {
    TaskId(Uuid::from_u128(1000 + u128::from(number)))
}

fn waits_for(parents: &[u64]) -> SetWaits {
    let parents = parents.iter().map(|number| Parent::new(id(*number), Number(*number))).collect();
    SetWaits { parents: Some(parents), ..SetWaits::default() }
}

fn waiting(schedule: Schedule, waits: SetWaits) -> Story {
    Story::with(schedule, &[], |new| new.waits = waits)
}

fn met(text: &str, is_last: bool) -> Wait {
    let occurrence = OccurrenceName { key: OccurrenceKey::Once, generation: 1 };
    Wait::Met(Met { occurrence, at: at(text), is_last })
}

fn cancelled(text: &str) -> Wait {
    Wait::Failed(Failure { how: HowFailed::Cancelled, at: at(text) })
}

/// Some parent came to something, at some time that counts for nothing.
pub(super) fn any_parent_end() -> impl Strategy<Value = ParentEnd> {
    let wait = prop_oneof![
        2 => any::<bool>().prop_map(|is_last| met("4 08:00", is_last)),
        1 => Just(cancelled("4 08:00")),
    ];
    (7_u64..9, wait).prop_map(|(number, wait)| ParentEnd { parent: id(number), wait })
}

/// It is to wait for one of two, for both, or for none.
pub(super) fn any_set() -> impl Strategy<Value = SetWaits> {
    let parents = prop::sample::select(vec![vec![], vec![7], vec![7, 8], vec![8]]);
    let delay = prop::option::of(prop::option::of((0_i64..2000).prop_map(Span::from_minutes)));
    let rules = vec![None, Some(OnParentFail::Hold), Some(OnParentFail::Run), Some(OnParentFail::Cancel)];
    (parents, delay, prop::sample::select(rules)).prop_map(|(parents, delay, on_fail)| SetWaits {
        delay,
        on_fail,
        ..waits_for(&parents)
    })
}

impl Story {
    fn parent(&mut self, now: &str, number: u64, wait: Wait) {
        let end = ParentEnd { parent: id(number), wait };
        self.ask(now, &Command::ParentEnded(end)).expect("what became of a parent is never refused");
    }

    /// The parent is done for ever.
    fn parent_done(&mut self, now: &str, number: u64) {
        self.parent(now, number, met(now, true));
    }

    /// A time of the parent is done, and it goes on.
    fn parent_done_once(&mut self, now: &str, number: u64) {
        self.parent(now, number, met(now, false));
    }

    fn stage(&self, now: &str) -> String {
        stage(&self.snapshot, at(now), chrono_tz::UTC).into_owned()
    }

    fn notices(&self) -> Vec<&Delivery> {
        self.deliveries.iter().filter(|delivery| delivery.occasion.reason == Reason::Blocked).collect()
    }

    /// Tells the events from the one of `first` on.
    fn told_from(&self, first: usize) -> String {
        Self { steps: self.steps[first..].to_vec(), ..self.clone() }.told()
    }
}

#[test]
fn it_is_scheduled_once_all_are_done_and_not_before() {
    let mut story = waiting(once("4 10:00"), waits_for(&[7, 8]));
    assert_eq!((story.snapshot.next_wake(), story.stage("4 08:00").as_str()), (None, "waiting for 7, 8"));
    story.parent_done("4 09:00", 7);
    assert_eq!((story.snapshot.next_wake(), story.stage("4 09:00").as_str()), (None, "waiting for 8"));
    story.parent_done("4 09:10", 8);
    assert_eq!(story.stage("4 09:10"), "scheduled");
    story.run("4 12:00");
    assert_snapshot!(story.told(), @"
    4 08:00 once       -         → CREATED   added
    4 09:00 once       CREATED   → CREATED   parent_done
    4 09:10 once       CREATED   → CREATED   parent_done
    4 09:10 once       CREATED   → PENDING   freed
    4 10:00 once       PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn a_time_that_passed_while_it_waited_is_due_at_once_and_on_time() {
    // Neither rule for what was missed applies: the machine missed nothing.
    let policy = Policy { missed: Missed::Skip, ..Policy::default() };
    let mut story = Story::with(once("4 10:00"), &[], |new| {
        new.waits = waits_for(&[7]);
        new.policy = policy;
        new.details.max_late = Some(Span::from_minutes(5));
    });
    story.parent_done("4 15:00", 7);
    assert_snapshot!(story.told_from(1), @"
    4 15:00 once       CREATED   → CREATED   parent_done
    4 15:00 once       CREATED   → PENDING   freed
    4 15:00 once       PENDING   → RUNNING   fired 0
    ");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("4 15:00")));
}

#[track_caller]
fn check_delay(schedule: Schedule, done_at: &str, expected: &str) {
    let delay = Some(Some(Span::from_minutes(30)));
    let mut story = waiting(schedule, SetWaits { delay, ..waits_for(&[7]) });
    story.parent_done(done_at, 7);
    assert_eq!(story.snapshot.speaks_at(), Some(at(expected)));
}

#[test]
fn a_delay_counts_from_the_completion_and_the_later_time_holds() {
    check_delay(Schedule::none(), "4 10:05", "4 10:35");
    check_delay(once("4 12:00"), "4 10:05", "4 12:00");
    check_delay(once("4 10:20"), "4 10:05", "4 10:35");
    check_delay(countdown("4 09:00"), "4 10:05", "4 10:35");
    check_delay(daily(9), "4 08:10", "4 09:00");
    check_delay(daily(9), "4 08:50", "4 09:20");
    // 9 o'clock of the next day comes before the delay is over: that is the one that comes up.
    check_delay(daily(9), "5 08:50", "5 09:20");
}

#[test]
fn without_time_and_delay_it_rings_when_it_is_set_free() {
    let mut story = waiting(Schedule::none(), waits_for(&[7]));
    story.parent_done("4 10:05", 7);
    assert_eq!(story.stage("4 10:05"), "due");
    assert_eq!(story.deliveries.len(), 1);
    // It is nothing that ends once it is seen.
    story.ask("4 10:06", &Command::Ack { early: false, is_dismissal: false }).expect("it rang");
    assert_eq!(story.snapshot.occurrence.state.name(), StateName::Running);
}

#[test]
fn what_a_delay_leaves_over_goes_on_after_a_pause() {
    let mut story =
        waiting(Schedule::none(), SetWaits { delay: Some(Some(Span::from_minutes(30))), ..waits_for(&[7]) });
    story.parent_done("4 10:00", 7);
    story.ask("4 10:10", &Command::Pause { until: None }).expect("it is armed");
    story.ask("4 12:00", &Command::Resume { shift: false }).expect("it is paused");
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 12:20")));
}

#[test]
fn one_that_is_done_already_counts_and_its_delay_counts_from_then() {
    let done = |text| {
        let mut waits = waits_for(&[7]);
        waits.parents.as_mut().unwrap()[0].wait = met(text, true);
        waits
    };
    let story = waiting(once("4 10:00"), done("4 07:00"));
    assert_eq!(story.stage("4 08:00"), "scheduled");
    assert_eq!(waiting(Schedule::none(), done("4 07:00")).stage("4 08:00"), "due");
    let delay = Some(Some(Span::from_minutes(90)));
    let story = waiting(Schedule::none(), SetWaits { delay, ..done("4 07:00") });
    assert_eq!(story.snapshot.speaks_at(), Some(at("4 08:30")));
}

fn failing(on_fail: OnParentFail) -> Story {
    let mut story = waiting(once("4 14:00"), SetWaits { on_fail: Some(on_fail), ..waits_for(&[7, 8]) });
    story.parent("4 10:40", 7, cancelled("4 10:40"));
    story
}

#[test]
fn a_parent_that_fails_blocks_and_is_told_once() {
    let mut story = failing(OnParentFail::Hold);
    assert_eq!(story.stage("4 10:40"), "blocked: 7 cancelled");
    story.parent("4 10:50", 8, Wait::Failed(Failure { how: HowFailed::RetriesExhausted, at: at("4 10:50") }));
    assert_eq!(story.stage("4 10:50"), "blocked: 7 cancelled, 8 failed");
    let notices = story.notices();
    assert_eq!(notices.len(), 1);
    assert_snapshot!(format!("{}\n{}", notices[0].message.title, notices[0].message.body), @"
    blocked: tea
    7, which it waits for, was cancelled
    `keiko unblock 1` lets it go on without, `keiko cancel 1` ends it
    ");
    story.run("5 14:00");
    assert_eq!(story.snapshot.occurrence.state, State::Created);
    story.ask("5 15:00", &Command::Unblock).expect("it is blocked");
    assert_eq!(story.stage("5 15:00"), "due");
    assert!(story.snapshot.task.waits.is_none());
}

#[test]
fn a_parent_that_fails_counts_as_done_or_ends_the_task_where_that_is_the_rule() {
    let mut story = failing(OnParentFail::Run);
    assert_eq!((story.stage("4 10:40").as_str(), story.notices().len()), ("waiting for 8", 0));
    story.parent_done("4 11:00", 8);
    assert_eq!(story.stage("4 11:00"), "scheduled");

    let story = failing(OnParentFail::Cancel);
    assert_snapshot!(story.told_from(1), @"
    4 10:40 once       CREATED   → CREATED   parent_failed
    4 10:40 once       CREATED   → CANCELLED cancelled
    ");
}

#[test]
fn a_rule_that_changes_later_holds_at_once() {
    let edit = |waits| Command::Edit(Box::new(Edit { waits, ..Edit::default() }));
    let rule = |on_fail| edit(SetWaits { on_fail: Some(on_fail), ..SetWaits::default() });
    let mut story = failing(OnParentFail::Hold);
    story.parent_done("4 11:00", 8);
    let mut ends = story.clone();
    story.ask("4 12:00", &rule(OnParentFail::Run)).expect("it waits");
    assert_eq!(story.stage("4 12:00"), "scheduled");
    ends.ask("4 12:00", &rule(OnParentFail::Cancel)).expect("it waits");
    assert_eq!(ends.stage("4 12:00"), "cancelled");
    let refused = Story::new(once("4 10:00"), &[]).ask("4 09:00", &rule(OnParentFail::Run));
    assert_eq!(refused, Err(Rejection::WaitsForNone { number: Number(1) }));
}

#[test]
fn what_waits_can_be_done_cancelled_edited_and_unblocked_but_not_snoozed() {
    let waits = || waiting(once("4 10:00"), waits_for(&[7]));
    let after = |command: &Command| match waits().ask("4 09:00", command) {
        Ok(transition) => {
            let names: Vec<_> = transition.steps.iter().map(|step| step.operation.name()).collect();
            format!("{} ({})", transition.after.occurrence.state.name(), names.join(", "))
        }
        Err(rejection) => rejection.to_string(),
    };
    let table: Vec<String> =
        every_command(&waits()).iter().map(|each| format!("{:<8} {}", each.verb(), after(each))).collect();
    assert_snapshot!(table[..19].join("\n"), @"
    wake     CREATED ()
    rezone   CREATED ()
    follow the clock of CREATED ()
    edit     CREATED (edited)
    edit     CREATED (edited, moved)
    edit     CREATED (edited, moved)
    complete COMPLETED (armed, started, completed)
    ack      cannot ack task 1: it is waiting for 7
    snooze   cannot snooze task 1: it is waiting for 7
    pause    cannot pause task 1: it is waiting for 7
    pause    cannot pause task 1: it is waiting for 7
    resume   cannot resume task 1: it is waiting for 7
    skip     cannot skip task 1: it does not repeat
    cancel   CANCELLED (cancelled)
    unblock  PENDING (unblocked, freed)
    delete   CREATED (deleted)
    cancel   CANCELLED (cancelled)
    retry    cannot retry task 1: it is waiting for 7
    expire   CREATED ()
    ");
}

#[test]
fn an_armed_task_that_is_told_to_wait_is_created_anew() {
    let set = |waits| Command::Edit(Box::new(Edit { waits, ..Edit::default() }));
    let mut story = Story::new(once("4 10:00"), &[]);
    story.ask("4 09:00", &set(waits_for(&[7]))).expect("it has not rung");
    assert_snapshot!(story.told_from(2), @"
    4 09:00 once       PENDING   → PENDING   waits_set
    4 09:00 once       PENDING   → -         withdrawn
    4 09:00 once       -         → CREATED   opened
    ");
    story.ask("4 09:30", &set(waits_for(&[]))).expect("none any more");
    assert_eq!(story.stage("4 09:30"), "scheduled");

    story.run("4 10:00");
    let refused = story.ask("4 10:01", &set(waits_for(&[7])));
    assert_eq!(refused, Err(Rejection::TooLateToWait { number: Number(1), state: StateName::Running }));
    let mut snoozed = Story::new(once("4 10:00"), &[-60, 0]);
    snoozed.run("4 09:00");
    assert!(snoozed.ask("4 09:01", &set(waits_for(&[7]))).is_err(), "its early alert has spoken");
}

#[test]
fn what_is_set_free_while_many_are_paused_goes_to_sleep() {
    let mut story = waiting(once("4 10:00"), waits_for(&[7]));
    let pause = StandingPause { id: Uuid::from_u128(5), until: None };
    let now = at("4 09:00");
    let moment = Moment { standing: Some(pause), ..moment(now) };
    let end = Command::ParentEnded(ParentEnd { parent: id(7), wait: met("4 09:00", true) });
    let freed = transition(&story.snapshot, &[], &end, Expected::default(), &moment).expect("never refused");
    story.take(now, freed);
    assert_eq!(story.stage("4 09:00"), "paused");
    story.ask("4 11:00", &Command::Resume { shift: false }).expect("it sleeps");
    assert_eq!(story.stage("4 11:00"), "late");
}

#[test]
fn a_deadline_that_passed_while_it_waited_is_told_once_it_is_free() {
    let deadline = Deadline { time: DeadlineTime::At(Nominal::Instant(at("4 12:00"))), alerts: vec![Span::ZERO] };
    let mut story = Story::with(once("4 10:00"), &[], |new| {
        new.waits = waits_for(&[7]);
        new.deadline = Some(deadline);
    });
    assert_eq!((story.snapshot.next_wake(), story.stage("4 13:00").as_str()), (None, "waiting for 7"));
    story.parent_done("4 15:00", 7);
    assert_eq!(story.stage("4 15:00"), "past deadline");
}

#[test]
fn each_time_of_a_series_waits_for_another_completion() {
    let mut story = waiting(daily(9), waits_for(&[7]));
    story.parent_done_once("4 08:30", 7);
    story.run("4 09:00");
    story.ask("4 09:05", &Command::Done { early: false }).expect("it rang");
    assert_eq!(story.stage("4 09:05"), "waiting for 7");
    story.parent_done_once("5 10:00", 7);
    assert_snapshot!(story.told_from(1), @"
    4 08:30 May 04     CREATED   → CREATED   parent_done
    4 08:30 May 04     CREATED   → PENDING   freed
    4 09:00 May 04     PENDING   → RUNNING   fired 0
    4 09:05 May 04     RUNNING   → COMPLETED completed
    4 09:05 May 05     -         → CREATED   opened
    4 09:05 May 05     CREATED   → CREATED   waits_set
    5 10:00 May 05     CREATED   → CREATED   parent_done
    5 10:00 May 05     CREATED   → PENDING   freed
    5 10:00 May 05     PENDING   → RUNNING   fired 0
    ");
}

#[test]
fn what_is_done_before_the_last_time_is_closed_counts_for_the_next() {
    let mut story = waiting(daily(9), waits_for(&[7]));
    story.parent_done_once("4 08:30", 7);
    story.run("4 09:00");
    story.deliver("4 09:00");
    // The next run comes before this one is answered, and its successor closes it.
    story.parent_done_once("5 08:30", 7);
    story.run("5 09:00");
    assert_eq!((story.stage("5 09:00").as_str(), story.snapshot.task.previous), ("due", Some(Outcome::Unanswered)));
    // Without another, the next one waits, and nothing rings.
    story.run("7 09:00");
    assert_eq!(story.stage("7 09:00"), "waiting for 7");
}

#[test]
fn times_that_go_by_while_a_series_waits_are_one_event_and_the_latest_is_due_at_once() {
    let mut story = waiting(daily(9), waits_for(&[7]));
    story.run("9 12:00");
    story.parent_done_once("9 12:00", 7);
    assert_snapshot!(story.told_from(1), @"
    9 12:00 May 04     CREATED   → CREATED   parent_done
    9 12:00 May 04     CREATED   → CREATED   passed_over
    9 12:00 May 04     CREATED   → -         withdrawn
    9 12:00 May 09     -         → CREATED   opened
    9 12:00 May 09     CREATED   → PENDING   freed
    9 12:00 May 09     PENDING   → RUNNING   fired 0
    ");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("9 12:00")));
    story.deliver("9 12:00");
    story.run("10 09:00");
    assert_eq!(story.stage("10 09:00"), "waiting for 7");
}

#[test]
fn a_series_waits_once_for_what_is_done_for_ever_and_ends_or_is_blocked_with_what_is_not() {
    let mut story = waiting(daily(9), waits_for(&[7]));
    story.parent_done("4 08:30", 7);
    story.run("4 09:00");
    story.ask("4 09:05", &Command::Done { early: false }).expect("it rang");
    assert_eq!(story.stage("4 09:05"), "scheduled");

    let mut story = waiting(daily(9), waits_for(&[7]));
    story.parent_done_once("4 08:30", 7);
    story.run("4 09:00");
    story.parent("4 09:02", 7, cancelled("4 09:02"));
    assert_eq!((story.stage("4 09:02").as_str(), story.notices().len()), ("due", 0));
    story.ask("4 09:05", &Command::Done { early: false }).expect("it rang");
    assert_eq!((story.stage("4 09:05").as_str(), story.notices().len()), ("blocked: 7 cancelled", 1));
    story.ask("5 08:00", &Command::Skip).expect("a time that waits is skipped");
    assert_eq!((story.stage("5 08:00").as_str(), story.notices().len()), ("blocked: 7 cancelled", 1));
    story.ask("5 08:30", &Command::Unblock).expect("it is blocked");
    assert_eq!(story.stage("5 08:30"), "scheduled");
}

#[test]
fn what_goes_on_with_a_series_that_rang_waits_as_its_next_time_would() {
    let coffee = super::scope::titled("coffee");
    let mut story = waiting(daily(9), waits_for(&[7]));
    story.parent_done_once("4 08:30", 7);
    let new = story.clone().follow("4 08:40", &coffee).expect("a series");
    assert_eq!(new.stage("4 08:40"), "scheduled", "it is the time that was free");
    story.run("4 09:00");
    let new = story.clone().follow("4 09:05", &coffee).expect("a series");
    assert_eq!(new.stage("4 09:05"), "waiting for 7", "what was done for the time that rang is used up");
    let mut again = story.clone();
    again.parent_done_once("4 09:10", 7);
    let new = again.follow("4 09:15", &coffee).expect("a series");
    assert_eq!(new.stage("4 09:15"), "scheduled");
    story.parent("4 09:10", 7, cancelled("4 09:10"));
    let new = story.follow("4 09:15", &coffee).expect("a series");
    assert_eq!(new.stage("4 09:15"), "blocked: 7 cancelled");
}

#[test]
fn what_goes_on_with_a_paused_series_waits_first() {
    let mut story = waiting(daily(9), waits_for(&[7]));
    story.parent_done_once("4 08:30", 7);
    story.ask("4 08:35", &Command::Pause { until: None }).expect("ahead");
    story.snapshot.task.waits.parents[0].wait = Wait::Awaited;
    let mut new = story.follow("4 08:40", &super::scope::titled("coffee")).expect("a series");
    assert_eq!((new.stage("4 08:40").as_str(), new.snapshot.next_wake()), ("waiting for 7", None));
    new.parent_done_once("4 08:50", 7);
    assert_eq!(new.stage("4 08:50"), "scheduled");
}

#[test]
fn what_became_of_another_before_an_open_time_is_told_to_wait_for_it_counts_at_once() {
    let edit = |schedule| Command::Edit(Box::new(Edit { schedule: Some(schedule), ..Edit::default() }));
    let set = |waits| Command::Edit(Box::new(Edit { waits, ..Edit::default() }));
    let mut story = Story::new(interval(120, None), &[-60, 0]);
    story.run("4 09:00");
    story.ask("4 09:01", &set(waits_for(&[7]))).expect("its next time can wait");
    let mut done = story.clone();
    done.parent_done_once("4 09:02", 7);
    done.ask("4 09:03", &edit(interval(180, None))).expect("a new rule");
    assert_eq!(done.stage("4 09:03"), "scheduled");
    story.parent("4 09:02", 7, cancelled("4 09:02"));
    assert_eq!(story.stage("4 09:02"), "scheduled", "the open time is free");
    story.ask("4 09:03", &edit(interval(180, None))).expect("a new rule");
    assert_eq!((story.stage("4 09:03").as_str(), story.notices().len()), ("blocked: 7 cancelled", 1));

    let mut story = waiting(daily(9), waits_for(&[7]));
    story.parent_done_once("4 08:30", 7);
    let parent = &mut story.snapshot.task.waits.parents[0];
    (parent.wait, parent.ahead) = (Wait::Awaited, Some(cancelled("4 08:40")));
    let delay = Some(Some(Span::from_minutes(5)));
    story.ask("4 08:45", &set(SetWaits { delay, ..SetWaits::default() })).expect("it has not rung");
    assert_eq!(story.stage("4 08:45"), "blocked: 7 cancelled");
}

#[test]
fn a_waiting_time_of_a_series_is_done_early_only_when_it_is_said() {
    let mut story = waiting(daily(9), waits_for(&[7]));
    assert!(matches!(story.ask("4 08:30", &Command::Done { early: false }), Err(Rejection::Ahead { .. })));
    story.ask("4 08:30", &Command::Done { early: true }).expect("it is meant");
    assert_eq!(story.stage("4 08:30"), "waiting for 7");
    assert_eq!(story.snapshot.occurrence.due_at(), Some(at("5 09:00")));
}

#[test]
fn a_new_time_for_what_waits_does_not_set_it_free() {
    let edit = |schedule| Command::Edit(Box::new(Edit { schedule: Some(schedule), ..Edit::default() }));
    for (before, after) in [(once("4 10:00"), once("4 11:00")), (daily(9), daily(11)), (once("4 10:00"), daily(11))] {
        let mut story = waiting(before, waits_for(&[7]));
        story.ask("4 08:30", &edit(after)).expect("a new time");
        assert_eq!((story.stage("4 08:30").as_str(), story.snapshot.next_wake()), ("waiting for 7", None));
        story.parent_done("4 08:40", 7);
        assert_eq!(story.snapshot.speaks_at(), Some(at("4 11:00")));
        story.ask("4 08:50", &edit(once("4 12:00"))).ok();
    }
}

#[test]
fn a_way_back_is_found_over_many_levels_and_the_shortest_is_told() {
    let waits = |number: u64, parents: &[u64]| {
        let mut story = waiting(once("4 10:00"), waits_for(parents));
        (story.snapshot.task.id, story.snapshot.task.number) = (id(number), Number(number));
        story.snapshot
    };
    let chain: Vec<Snapshot> = (1..60).map(|number| waits(number, &[number + 1])).collect();
    let look_up = |wanted: TaskId| Ok::<_, ()>(chain.iter().find(|each| each.task.id == wanted).cloned());
    let found = |child, parents: &[u64]| {
        let parents: Vec<TaskId> = parents.iter().map(|number| id(*number)).collect();
        find_cycle(id(child), &parents, look_up).expect("it looks up")
    };
    assert_eq!(found(60, &[61]), Search::Sound);
    assert_eq!(found(3, &[3]), Search::Cycle(Vec::new()));
    assert_eq!(found(60, &[58]), Search::Cycle(vec![Number(58), Number(59)]));
    let Search::Cycle(path) = found(60, &[1]) else { panic!("there is a way back") };
    assert_eq!(path.len(), 59);
    let told = Rejection::Cycle { number: Number(60), path: vec![Number(58), Number(59)] }.to_string();
    assert_snapshot!(told, @"cannot let task 60 wait for 58: 60 waits for 58, which waits for 59, which waits for 60");
    assert_snapshot!(Rejection::Cycle { number: Number(3), path: Vec::new() }.to_string(), @"cannot let task 3 wait for 3: 3 waits for 3");
}

#[test]
fn what_ended_or_is_free_leads_back_to_nothing() {
    let mut free = waiting(once("4 10:00"), waits_for(&[1]));
    free.parent_done("4 09:00", 1);
    free.snapshot.task.id = id(2);
    let found = find_cycle(id(1), &[id(2)], |_| Ok::<_, ()>(Some(free.snapshot.clone())));
    assert_eq!(found, Ok(Search::Sound));
}
