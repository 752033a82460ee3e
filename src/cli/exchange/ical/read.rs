//! Which tasks do the to-dos and events of an iCalendar file make? What Keiko cannot keep is said of each, what it cannot be
//! is refused with its line.

use std::collections::BTreeMap;

use chrono::{Duration, NaiveDate, NaiveDateTime, NaiveTime};
use chrono_tz::Tz;
use uuid::Uuid;

use crate::cli::exchange::ical::line::{Component, Property, components, listed};
use crate::cli::exchange::ical::zone::{zone_of, zones};
use crate::cli::exchange::{Draft, Entry, Found, length};
use crate::domain::schedule::{Calendar, Rule, Schedule};
use crate::domain::time::{Span, Timestamp, resolve};
use crate::protocol::methods::Add;
use crate::protocol::objects::Priority;

/// Under which name a task keeps what it was called in a calendar.
pub(crate) const UID: &str = "ical_uid";

/// The property in which Keiko says when it speaks: who else reads the file knows alarms only.
pub(super) const ALERTS: &str = "X-KEIKO-ALERTS";

/// The longest name that is kept as it is.
const UID_BYTES_MAX: usize = 1024;

/// The namespace of names that are made.
const NAMES: Uuid = Uuid::from_u128(0x6f0c_7a51_9d4e_4b0e_8a55_2f6e_3c91_d2a7);

/// How often one alarm may speak again.
const AGAIN_MAX: i64 = 50;

/// How many alarms one thing may have.
const ALARMS_MAX: usize = 50;

/// How many times that are left out are named.
const EXCLUDED_TOLD: usize = 10;

/// How many times of a rule are counted that have passed.
const PASSED_MAX: usize = 100_000;

/// Where and when a file is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Here {
    /// Now.
    pub(crate) now: Timestamp,
    /// The person's zone, for times that name none.
    pub(crate) zone: Tz,
    /// Whether events that have no alarm are wanted too.
    pub(crate) with_silent: bool,
}

/// Reads a file.
pub(crate) fn entries(text: &str, here: Here) -> Vec<Entry> {
    let all = components(text);
    let zones = zones(&all);
    let wanted = all.iter().filter(|component| matches!(component.name.as_str(), "VTODO" | "VEVENT"));
    wanted.map(|component| Reader { component, zones: &zones, here, remarks: Vec::new() }.entry()).collect()
}

/// A time of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    /// An instant, in UTC.
    Instant(Timestamp),
    /// What clocks of a zone show; `None`: wherever one is.
    Local(NaiveDateTime, Option<Tz>),
    /// A whole day.
    Day(NaiveDate),
}

struct Reader<'a> {
    component: &'a Component,
    zones: &'a BTreeMap<String, Result<Tz, String>>,
    here: Here,
    remarks: Vec<String>,
}

impl Reader<'_> {
    fn entry(mut self) -> Entry {
        let summary = self.component.property("SUMMARY").map(Property::text).unwrap_or_default();
        let uid = self.component.property("UID").map(Property::text).unwrap_or_default();
        let named = if summary.is_empty() { &uid } else { &summary };
        let short: String = named.chars().take(60).collect();
        let place = if short.is_empty() {
            format!("line {}", self.component.line)
        } else {
            format!("line {} ({short})", self.component.line)
        };
        // One that has none is known again by all that it says.
        let uid = match uid.len() {
            0 => made_uid(&format!("{:?}", self.component.properties)),
            1..=UID_BYTES_MAX => uid,
            _ => made_uid(&uid),
        };
        let found = match self.found(&summary, &uid) {
            Ok(found) => found,
            Err(why) => Found::Refused(why),
        };
        Entry { place, uid, found }
    }

    fn found(&mut self, summary: &str, uid: &str) -> Result<Found, String> {
        let component = self.component;
        if let Some(fault) = &component.fault {
            return Err(fault.clone());
        }
        match component.property("STATUS").map(|status| status.value.trim().to_ascii_uppercase()).as_deref() {
            Some("COMPLETED") => return Ok(Found::LeftOut("done")),
            Some("CANCELLED") => return Ok(Found::LeftOut("cancelled")),
            Some(_) | None => {}
        }
        if component.property("COMPLETED").is_some() {
            return Ok(Found::LeftOut("done"));
        }
        if component.property("RECURRENCE-ID").is_some() {
            let why = "it changes one time of a series (RECURRENCE-ID); keiko edit N --this does that once the series is here";
            return Err(why.to_owned());
        }
        let is_event = component.name == "VEVENT";
        let start = self.time("DTSTART")?;
        let end = self.end(start)?;
        let alarms = self.alarms(is_event, start, end)?;
        let alarms = match alarms {
            Some(alarms) => alarms,
            None if self.here.with_silent => Vec::new(),
            None => return Ok(Found::Silent),
        };
        let mut add = self.details(summary, uid);
        // What comes up: of an event its beginning, of a to-do its end, where it has one; else the alarm itself.
        let is_series = component.property("RRULE").is_some();
        let due = if is_event || is_series { start.or(end) } else { end.or(start) };
        let own = component.property(ALERTS).map(Property::text);
        match (due, own) {
            (Some(_), Some(own)) if own == "none" => add.no_alert = true,
            (Some(_), Some(own)) => add.alerts = Some(own.split_whitespace().map(str::to_owned).collect()),
            (Some(due), None) => add.alerts = self.alerts(&alarms, due, (start, end)),
            (None, _) => {}
        }
        let alone = alarms.iter().find_map(|alarm| match alarm {
            Alarm::At(at) => Some(When::Instant(*at)),
            Alarm::FromStart(_) | Alarm::FromEnd(_) => None,
        });
        match due.or(alone) {
            Some(due) if is_series => self.repeat(&mut add, due)?,
            Some(due) => {
                if self.instant(due) <= self.here.now && !matches!(due, When::Day(day) if self.is_ahead(day)) {
                    match self.spoken_ahead(&alarms, due, (start, end)).as_slice() {
                        [first, more @ ..] => self.at_its_alarm(&mut add, (due, is_event), *first, more),
                        [] if is_event => return Ok(Found::LeftOut("over")),
                        [] => self.overdue(&mut add, due),
                    }
                } else {
                    self.once(&mut add, due);
                }
            }
            None if is_series => return Err("its rule (RRULE) has no beginning (DTSTART)".to_owned()),
            None => {}
        }
        let waits = component.all("RELATED-TO");
        let waits = waits.filter(|related| related.parameter("RELTYPE") == Some("DEPENDS-ON")).map(Property::text);
        let waits = waits.collect();
        Ok(Found::Task(Box::new(Draft { add, waits, remarks: std::mem::take(&mut self.remarks) })))
    }

    /// Returns what it says besides its times.
    fn details(&mut self, summary: &str, uid: &str) -> Add {
        let component = self.component;
        let text = |name| component.property(name).map(Property::text).filter(|text| !text.trim().is_empty());
        let title = if summary.trim().is_empty() { "untitled".to_owned() } else { summary.replace(['\n', '\r'], " ") };
        let mut notes = text("DESCRIPTION").into_iter().collect::<Vec<_>>();
        notes.extend(text("LOCATION").map(|place| format!("at {place}")));
        let tags: Vec<String> =
            component.all("CATEGORIES").flat_map(|each| listed(&each.value)).map(|tag| tag_of(&tag)).collect();
        let priority = component.property("PRIORITY").and_then(|priority| priority.value.trim().parse::<u8>().ok());
        Add {
            title: Some(title),
            notes: (!notes.is_empty()).then(|| notes.join("\n")),
            link: component.property("URL").map(|url| url.value.clone()).filter(|url| !url.trim().is_empty()),
            tags: (!tags.is_empty()).then_some(tags),
            // RFC 5545 §3.8.1.9: 1 to 4 is high, 6 to 9 low.
            priority: match priority {
                Some(1..=4) => Some(Priority::High),
                Some(6..=9) => Some(Priority::Low),
                Some(_) | None => None,
            },
            metadata: Some(BTreeMap::from([(UID.to_owned(), uid.to_owned())])),
            ..Add::default()
        }
    }

    /// Returns the time of a property, `None` where it is not there.
    fn time(&self, name: &str) -> Result<Option<When>, String> {
        self.component.property(name).map(|property| self.when(property)).transpose()
    }

    fn when(&self, property: &Property) -> Result<When, String> {
        let value = property.value.trim();
        let wrong = || format!("cannot read {} {value:?}: expected a time such as 20261213T090000", property.name);
        if property.parameter("VALUE") == Some("DATE") || value.len() == 8 {
            return NaiveDate::parse_from_str(value, "%Y%m%d").map(When::Day).map_err(|_| wrong());
        }
        let (local, is_utc) = match value.strip_suffix(['Z', 'z']) {
            Some(local) => (local, true),
            None => (value, false),
        };
        let local = NaiveDateTime::parse_from_str(local, "%Y%m%dT%H%M%S").map_err(|_| wrong())?;
        if is_utc {
            return Timestamp::from_utc(local.and_utc()).map(When::Instant).ok_or_else(wrong);
        }
        let Some(tzid) = property.parameter("TZID") else { return Ok(When::Local(local, None)) };
        let zone = self.zones.get(tzid).cloned().unwrap_or_else(|| zone_of(tzid))?;
        Ok(When::Local(local, Some(zone)))
    }

    /// Returns when it ends or is due: as it says, or so long after it begins.
    fn end(&self, start: Option<When>) -> Result<Option<When>, String> {
        for name in ["DUE", "DTEND"] {
            if let Some(end) = self.time(name)? {
                return Ok(Some(end));
            }
        }
        let Some(length) = self.component.property("DURATION") else { return Ok(None) };
        let seconds = length::seconds(length.value.trim());
        let seconds = seconds.filter(|seconds| *seconds >= 0);
        let seconds = seconds
            .ok_or_else(|| format!("cannot read DURATION {:?}: expected a length such as PT1H", length.value))?;
        Ok(start.map(|start| later(start, seconds)))
    }

    fn instant(&self, when: When) -> Timestamp {
        let resolved = |local, zone| resolve(local, zone).map_or(Timestamp::MAX, |(at, _)| at);
        match when {
            When::Instant(at) => at,
            When::Local(local, zone) => resolved(local, zone.unwrap_or(self.here.zone)),
            When::Day(day) => resolved(day.and_time(NaiveTime::MIN), self.here.zone),
        }
    }

    /// Returns whether a day has not passed: it comes up within the day, Keiko says when.
    fn is_ahead(&self, day: NaiveDate) -> bool {
        day > self.here.now.local(self.here.zone).date()
    }

    fn once(&self, add: &mut Add, due: When) {
        let (phrase, zone) = self.phrase(due);
        add.at = Some(phrase);
        self.put_zone(add, zone);
    }

    /// It was due before: no time of it is left, but it is not done.
    fn overdue(&mut self, add: &mut Add, due: When) {
        let (phrase, _) = self.phrase(due);
        (add.alerts, add.no_alert) = (None, false);
        note(add, &format!("was due {phrase}"));
        self.remarks.push(format!("it was due {phrase}, which has passed"));
    }

    /// Its own time has passed, but not all of its alarms: it is due when the first of those speaks.
    fn at_its_alarm(&mut self, add: &mut Add, (due, is_event): (When, bool), first: Timestamp, more: &[Timestamp]) {
        let (phrase, _) = self.phrase(due);
        let after = |at: &Timestamp| length::alert(at.since(first).as_millis() / 1000);
        add.alerts = (!more.is_empty()).then(|| std::iter::once(&first).chain(more).map(after).collect());
        add.no_alert = false;
        let (began, now) = if is_event { ("began", "it is under way") } else { ("was due", "that has passed") };
        note(add, &format!("{began} {phrase}"));
        self.remarks.push(format!("it {began} {phrase}; {now}, and its alarm yet to come is kept"));
        self.once(add, When::Instant(first));
    }

    fn put_zone(&self, add: &mut Add, zone: Option<Tz>) {
        add.zone = Some(zone.unwrap_or(self.here.zone).name().to_owned());
        add.fixed_zone = zone.is_some_and(|zone| zone != self.here.zone);
    }

    /// Returns a time as Keiko reads it, and the zone that it belongs to. An instant is what clocks here show then.
    fn phrase(&self, when: When) -> (String, Option<Tz>) {
        match when {
            When::Instant(at) => (at.in_zone(self.here.zone).format("%Y-%m-%dT%H:%M:%S%:z").to_string(), None),
            When::Local(local, zone) => (local.format("%Y-%m-%dT%H:%M:%S").to_string(), zone),
            When::Day(day) => (day.format("%Y-%m-%d").to_string(), None),
        }
    }

    /// Says how it repeats, from the next time on that lies ahead.
    fn repeat(&mut self, add: &mut Add, start: When) -> Result<(), String> {
        let rules: Vec<&Property> = self.component.all("RRULE").collect();
        let [rule] = rules.as_slice() else { return Err("it has several rules (RRULE): a task has one".to_owned()) };
        for name in ["RDATE", "EXRULE"] {
            if self.component.property(name).is_some() {
                return Err(format!("it names times besides its rule ({name}), which a series of Keiko cannot"));
            }
        }
        let (local, zone) = match start {
            When::Instant(at) => (at.local(self.here.zone), None),
            When::Local(local, zone) => (local, zone),
            When::Day(day) => (day.and_time(NaiveTime::MIN), None),
        };
        let read_in = zone.unwrap_or(self.here.zone);
        let excluded = self.excluded()?;
        self.put_zone(add, zone);
        let rule = rule.value.trim().to_ascii_uppercase();
        if let Some(every) = interval(&rule) {
            let from = self.instant(start);
            let passed = self.here.now.since(from).as_millis().max(0).div_euclid(every * 1000) + 1;
            let first = if from > self.here.now { Some(from) } else { advanced(from, every, passed) };
            let first = first.ok_or_else(|| "it repeats beyond the year 9999".to_owned())?;
            add.every = Some(format!("{every} seconds"));
            add.from = Some(first.in_zone(read_in).format("%Y-%m-%dT%H:%M:%S%:z").to_string());
            if rule.contains("COUNT=") || rule.contains("UNTIL=") {
                return Err(format!("its rule {rule:?} is finer than a day and ends, which a series of Keiko cannot"));
            }
            self.tell_excluded(add, &excluded, read_in);
            return Ok(());
        }
        let (parts, count) = counted(&rule);
        // Where nothing says at what time of a day, the first time does; a whole day has Keiko's own.
        let schedule = Schedule {
            text: String::new(),
            rule: Rule::Calendar(Calendar { rrule: without_end(&parts), from: local, count, until: None }),
            zone: Some(read_in),
        };
        schedule.validate().map_err(|error| error.to_string())?;
        let (next, passed) = self.next(&schedule, read_in, matches!(start, When::Day(_)), &excluded);
        let next = next.ok_or_else(|| "all times of its rule have passed".to_owned())?;
        let left = count.map(|count| count.saturating_sub(passed));
        add.rrule = Some(match left {
            Some(left) => format!("{parts};COUNT={left}"),
            None => parts,
        });
        let is_day = matches!(start, When::Day(_));
        add.from = Some(next.format(if is_day { "%Y-%m-%d" } else { "%Y-%m-%dT%H:%M:%S" }).to_string());
        let first = resolve(next, read_in).map_or(self.here.now, |(at, _)| at);
        let behind: Vec<Timestamp> = excluded.into_iter().filter(|at| *at > first).collect();
        self.tell_excluded(add, &behind, read_in);
        Ok(())
    }

    /// Returns the first time ahead, and how many lie behind.
    ///
    /// Those that are left out at the beginning lie behind as well: the series begins with the first that is not.
    fn next(
        &self,
        schedule: &Schedule,
        zone: Tz,
        is_day: bool,
        excluded: &[Timestamp],
    ) -> (Option<NaiveDateTime>, u32) {
        let floor = if is_day {
            let today = self.here.now.local(zone).date().and_time(NaiveTime::MIN);
            resolve(today, zone).map_or(self.here.now, |(at, _)| plus(at, -1))
        } else {
            self.here.now
        };
        let Rule::Calendar(calendar) = &schedule.rule else { return (None, 0) };
        if calendar.count.is_none() {
            let mut next = schedule.next_after(None, floor, zone);
            for _ in excluded {
                match next {
                    Some(left_out) if excluded.contains(&left_out.due) => {
                        next = schedule.next_after(Some(&left_out), left_out.due, zone);
                    }
                    Some(_) | None => break,
                }
            }
            return (next.map(|next| next.due.local(zone)), 0);
        }
        let (mut cursor, mut passed) = (None, 0);
        while (passed as usize) < PASSED_MAX {
            let next = schedule.next_after(cursor.as_ref(), Timestamp::MIN, zone);
            match next {
                Some(next) if next.due > floor && !excluded.contains(&next.due) => {
                    return (Some(next.due.local(zone)), passed);
                }
                Some(next) => cursor = Some(next),
                None => break,
            }
            passed += 1;
        }
        (None, passed)
    }

    /// Returns the times to come that a series leaves out, in order.
    fn excluded(&self) -> Result<Vec<Timestamp>, String> {
        let mut excluded = Vec::new();
        for property in self.component.all("EXDATE") {
            for value in property.value.split(',') {
                let one = Property { value: value.to_owned(), ..property.clone() };
                excluded.push(self.instant(self.when(&one)?));
            }
        }
        excluded.retain(|at| *at > self.here.now);
        excluded.sort_unstable();
        excluded.dedup();
        Ok(excluded)
    }

    /// Says at which times it would ring that the calendar leaves out, here and where it rings.
    fn tell_excluded(&mut self, add: &mut Add, excluded: &[Timestamp], zone: Tz) {
        if excluded.is_empty() {
            return;
        }
        let mut days: Vec<String> =
            excluded.iter().take(EXCLUDED_TOLD).map(|at| at.local(zone).format("%Y-%m-%d").to_string()).collect();
        if excluded.len() > EXCLUDED_TOLD {
            days.push(format!("and {} more", excluded.len() - EXCLUDED_TOLD));
        }
        let days = days.join(", ");
        note(add, &format!("not on {days}: keiko skip"));
        self.remarks.push(format!(
            "its calendar leaves out {days} (EXDATE), and it rings then too: keiko skip passes over such a time once it is the next"
        ));
    }
}

/// Returns the first time ahead of a rule without an end that began then.
///
/// # Errors
/// The rule is none, or never comes up.
pub(crate) fn next_of(rule: &str, from: NaiveDateTime, here: Here) -> Result<NaiveDateTime, String> {
    let rule = Rule::Calendar(Calendar { rrule: rule.to_owned(), from, count: None, until: None });
    let schedule = Schedule { text: String::new(), rule, zone: Some(here.zone) };
    schedule.validate().map_err(|error| error.to_string())?;
    let next = schedule.next_after(None, here.now, here.zone).map(|next| next.due.local(here.zone));
    next.ok_or_else(|| "it never comes up".to_owned())
}

/// When an alarm speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Alarm {
    /// Seconds from the beginning.
    FromStart(i64),
    /// Seconds from the end, or from when it is due.
    FromEnd(i64),
    /// Then.
    At(Timestamp),
}

impl Reader<'_> {
    /// Returns when its alarms speak; `None` for an event that has none.
    fn alarms(&mut self, is_event: bool, start: Option<When>, end: Option<When>) -> Result<Option<Vec<Alarm>>, String> {
        let mut found = Vec::new();
        for alarm in self.component.within.iter().filter(|within| within.name == "VALARM") {
            match alarm.property("ACTION").map(|action| action.value.trim().to_ascii_uppercase()).as_deref() {
                Some("DISPLAY" | "AUDIO") | None => {}
                Some(other) => {
                    self.remarks.push(format!("line {}: an alarm that is {other} is left out", alarm.line));
                    continue;
                }
            }
            let first = self.trigger(alarm).map_err(|why| format!("line {}: {why}", alarm.line))?;
            let again = repeated(alarm).map_err(|why| format!("line {}: {why}", alarm.line))?;
            let has_base = match first {
                Alarm::FromStart(_) => start.is_some() || end.is_some(),
                Alarm::FromEnd(_) => end.is_some() || start.is_some(),
                Alarm::At(_) => true,
            };
            if !has_base {
                return Err(format!("line {}: its alarm counts from a time that it does not have", alarm.line));
            }
            let (count, by) = again;
            found.extend((0..=count).map(|times| moved(first, by.saturating_mul(times))));
        }
        found.dedup();
        if found.len() > ALARMS_MAX {
            self.remarks.push(format!("of its {} alarms the first {ALARMS_MAX} are kept", found.len()));
            found.truncate(ALARMS_MAX);
        }
        Ok((!(is_event && found.is_empty())).then_some(found))
    }

    fn trigger(&self, alarm: &Component) -> Result<Alarm, String> {
        let trigger = alarm.property("TRIGGER").ok_or_else(|| "its alarm has no TRIGGER".to_owned())?;
        if trigger.parameter("VALUE") == Some("DATE-TIME") {
            return Ok(Alarm::At(self.instant(self.when(trigger)?)));
        }
        let seconds = length::seconds(trigger.value.trim());
        let seconds = seconds
            .ok_or_else(|| format!("cannot read TRIGGER {:?}: expected a length such as -PT15M", trigger.value))?;
        let is_end = trigger.parameter("RELATED").is_some_and(|related| related.eq_ignore_ascii_case("END"));
        Ok(if is_end { Alarm::FromEnd(seconds) } else { Alarm::FromStart(seconds) })
    }

    /// Returns the alarms as distances from `due`, `None` where there are none: then it speaks when it is due.
    fn alerts(&self, alarms: &[Alarm], due: When, (start, end): (Option<When>, Option<When>)) -> Option<Vec<String>> {
        if alarms.is_empty() {
            return None;
        }
        let seconds = self.distances(alarms, due, (start, end));
        Some(seconds.into_iter().map(length::alert).collect())
    }

    /// Returns when alarms speak that are yet to come, in order.
    fn spoken_ahead(&self, alarms: &[Alarm], due: When, bases: (Option<When>, Option<When>)) -> Vec<Timestamp> {
        let from = self.instant(due);
        let spoken =
            self.distances(alarms, due, bases).into_iter().map(|seconds| plus(from, seconds.saturating_mul(1000)));
        spoken.filter(|at| *at > self.here.now).collect()
    }

    /// Returns how many seconds behind `due` alarms speak, each once, in order.
    fn distances(&self, alarms: &[Alarm], due: When, (start, end): (Option<When>, Option<When>)) -> Vec<i64> {
        let due = self.instant(due);
        let from = |base: Option<When>| base.map_or(0, |base| self.instant(base).since(due).as_millis() / 1000);
        let mut seconds: Vec<i64> = alarms
            .iter()
            .map(|alarm| match *alarm {
                Alarm::FromStart(seconds) => seconds.saturating_add(from(start.or(end))),
                Alarm::FromEnd(seconds) => seconds.saturating_add(from(end.or(start))),
                Alarm::At(at) => at.since(due).as_millis() / 1000,
            })
            .collect();
        seconds.sort_unstable();
        seconds.dedup();
        seconds
    }
}

/// Returns how often an alarm speaks again, and after how many seconds each time.
fn repeated(alarm: &Component) -> Result<(i64, i64), String> {
    let Some(repeat) = alarm.property("REPEAT") else { return Ok((0, 0)) };
    let count = repeat.value.trim().parse::<i64>().ok().filter(|count| *count >= 0);
    let count = count.ok_or_else(|| format!("cannot read REPEAT {:?}: expected a number", repeat.value))?;
    let by = alarm.property("DURATION").and_then(|length| length::seconds(length.value.trim())).filter(|by| *by > 0);
    let by = by.ok_or_else(|| "its alarm repeats (REPEAT) without a length between (DURATION)".to_owned())?;
    Ok((count.min(AGAIN_MAX), by))
}

fn moved(alarm: Alarm, by: i64) -> Alarm {
    match alarm {
        Alarm::FromStart(seconds) => Alarm::FromStart(seconds.saturating_add(by)),
        Alarm::FromEnd(seconds) => Alarm::FromEnd(seconds.saturating_add(by)),
        Alarm::At(at) => Alarm::At(plus(at, by.saturating_mul(1000))),
    }
}

fn later(when: When, seconds: i64) -> When {
    let local_later = |local: NaiveDateTime| local.checked_add_signed(Duration::seconds(seconds)).unwrap_or(local);
    match when {
        When::Instant(at) => When::Instant(plus(at, seconds.saturating_mul(1000))),
        When::Local(local, zone) => When::Local(local_later(local), zone),
        When::Day(day) => When::Day(local_later(day.and_time(NaiveTime::MIN)).date()),
    }
}

/// Adds a line to what it says.
fn note(add: &mut Add, line: &str) {
    add.notes = Some(add.notes.take().map_or_else(|| line.to_owned(), |notes| format!("{notes}\n{line}")));
}

fn made_uid(text: &str) -> String {
    format!("keiko:{}", Uuid::new_v5(&NAMES, text.as_bytes()))
}

fn plus(at: Timestamp, millis: i64) -> Timestamp {
    at.saturating_add(Span::from_millis(millis))
}

fn advanced(from: Timestamp, every_s: i64, times: i64) -> Option<Timestamp> {
    let millis = every_s.checked_mul(1000)?.checked_mul(times)?;
    Timestamp::from_millis(from.as_millis().checked_add(millis)?)
}

/// Returns how many seconds lie between the times of a rule that says nothing but that, where it is finer than a day.
fn interval(rule: &str) -> Option<i64> {
    let (mut size, mut count) = (None::<i64>, 1_i64);
    for part in rule.split(';').filter(|part| !part.is_empty()) {
        match part.split_once('=')? {
            ("FREQ", "HOURLY") => size = Some(3600),
            ("FREQ", "MINUTELY") => size = Some(60),
            ("FREQ", "SECONDLY") => size = Some(1),
            ("INTERVAL", text) => count = text.parse().ok().filter(|count| *count > 0)?,
            ("WKST" | "COUNT" | "UNTIL", _) => {}
            (_, _) => return None,
        }
    }
    size?.checked_mul(count)
}

/// Parts a rule from how many times it has.
fn counted(rule: &str) -> (String, Option<u32>) {
    let count = rule.split(';').find_map(|part| part.strip_prefix("COUNT=")?.parse().ok());
    let parts: Vec<&str> = rule.split(';').filter(|part| count.is_none() || !part.starts_with("COUNT=")).collect();
    (parts.join(";"), count)
}

/// Returns a rule without its end, which is told apart.
fn without_end(rule: &str) -> String {
    rule.split(';').filter(|part| !part.starts_with("UNTIL=")).collect::<Vec<_>>().join(";")
}

/// Returns a word for a category: tags have no spaces.
pub(crate) fn tag_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join("-").trim_start_matches('+').to_owned()
}
