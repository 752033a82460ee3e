//! What is due and what comes next, in a few cells.

use std::fmt;

use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::cli::render::text::{BAD, DIM, DUE, Text, clean};
use crate::cli::render::time::{Viewpoint, clock};
use crate::domain::time::Timestamp;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::GlanceResult;

/// What the daemon said, or why it said nothing.
pub(crate) enum Looked {
    /// No daemon runs.
    Off,
    /// One does not answer in time.
    Busy,
    /// One of another version answers.
    OtherVersion,
    /// It said this.
    Told(Box<GlanceResult>),
}

/// Every name that a template may have.
const NAMES: [&str; 17] = [
    "text",
    "due",
    "late",
    "failing",
    "running",
    "seen",
    "held",
    "paused",
    "first",
    "first_number",
    "next",
    "next_number",
    "in",
    "at",
    "away",
    "quiet",
    "state",
];

/// What is shown, with places for what there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Template {
    groups: Vec<Group>,
}

/// Parts of a template that are shown together or not at all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Group {
    /// Whether it is left out where all that is in it is nothing.
    is_optional: bool,
    parts: Vec<Part>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Word(String),
    Place(&'static str),
}

/// Why a text is no template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum BadTemplate {
    /// There is no such name.
    Unknown(String),
    /// A bracket has no other half.
    Open(char),
}

impl fmt::Display for BadTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "there is no {{{name}}}, expected one of {}", NAMES.join(", ")),
            Self::Open(bracket) => write!(f, "{bracket} has no other half; {bracket}{bracket} is the character itself"),
        }
    }
}

impl Template {
    /// Reads a template.
    pub(crate) fn parse(text: &str) -> Result<Self, BadTemplate> {
        let mut groups = Vec::new();
        let mut group = Group::default();
        let mut word = String::new();
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            if "{}[]".contains(letter) && letters.peek() == Some(&letter) {
                letters.next();
                word.push(letter);
                continue;
            }
            match letter {
                '{' => {
                    let name: String = letters.by_ref().take_while(|letter| *letter != '}').collect();
                    let known = NAMES.into_iter().find(|known| *known == name).ok_or(BadTemplate::Unknown(name))?;
                    group.push_word(&mut word);
                    group.parts.push(Part::Place(known));
                }
                '[' if !group.is_optional => {
                    group.push_word(&mut word);
                    groups.push(std::mem::replace(&mut group, Group { is_optional: true, parts: Vec::new() }));
                }
                ']' if group.is_optional => {
                    group.push_word(&mut word);
                    groups.push(std::mem::take(&mut group));
                }
                '}' | '[' | ']' => return Err(BadTemplate::Open(letter)),
                letter => word.push(letter),
            }
        }
        if group.is_optional {
            return Err(BadTemplate::Open('['));
        }
        group.push_word(&mut word);
        groups.push(group);
        Ok(Self { groups })
    }

    /// Returns the spaces that it begins with.
    fn gap_before(&self) -> &str {
        let first = self.groups.iter().flat_map(|group| &group.parts).next();
        first.map_or("", |part| part.word().split_at(part.word().len() - part.word().trim_start_matches(' ').len()).0)
    }

    /// Returns the spaces that it ends with.
    fn gap_behind(&self) -> &str {
        let last = self.groups.iter().flat_map(|group| &group.parts).next_back();
        last.map_or("", |part| part.word().split_at(part.word().trim_end_matches(' ').len()).1)
    }
}

impl Part {
    /// Returns what always stands there.
    fn word(&self) -> &str {
        match self {
            Self::Word(word) => word,
            Self::Place(_) => "",
        }
    }
}

impl Group {
    fn push_word(&mut self, word: &mut String) {
        if !word.is_empty() {
            self.parts.push(Part::Word(std::mem::take(word)));
        }
    }
}

/// Returns the line: by a template, else what is usual.
pub(crate) fn text(looked: &Looked, template: Option<&Template>, zone: Tz, cells: usize) -> Text {
    let glance = match looked {
        Looked::Off => return instead(template, "keiko off"),
        Looked::Busy => return instead(template, "keiko busy"),
        Looked::OtherVersion => return instead(template, "keiko other version"),
        Looked::Told(glance) => glance,
    };
    let Some(template) = template else { return usual(glance, zone, cells) };
    let mut line = Text::default();
    for group in &template.groups {
        let places = group.parts.iter().filter_map(|part| match part {
            Part::Place(name) => Some(value(glance, name, zone, cells)),
            Part::Word(_) => None,
        });
        let is_nothing = |value: Text| value.width() == 0 || value == Text::plain("0");
        if group.is_optional && places.into_iter().all(is_nothing) {
            continue;
        }
        for part in &group.parts {
            match part {
                Part::Word(word) => line.push(word),
                Part::Place(name) => line.append(value(glance, name, zone, cells)),
            }
        }
    }
    line
}

/// Returns what is said in place of a line of which nothing is known: in it, so far as the template has a beginning and an end,
/// so that what stands around it is as far away as from what it otherwise shows.
fn instead(template: Option<&Template>, said: &str) -> Text {
    let mut line = Text::default();
    line.push(template.map_or("", Template::gap_before));
    line.push_styled(DIM, said);
    line.push(template.map_or("", Template::gap_behind));
    line
}

/// Returns what is shown without a template: `2 due, tea in 5m`.
fn usual(glance: &GlanceResult, zone: Tz, cells: usize) -> Text {
    let view = Viewpoint { now: glance.now.instant(), zone };
    let mut parts = Vec::new();
    if glance.due > 0 {
        parts.push(Text::styled(if glance.late > 0 { BAD } else { DUE }, &format!("{} due", glance.due)));
    }
    if glance.failing > 0 {
        parts.push(Text::styled(BAD, &format!("{} failing", glance.failing)));
    }
    if let Some(next) = &glance.next {
        let mut part = Text::plain(&next.title).cut(cells);
        part.push(&format!(" {}", far(view, next.at.instant())));
        parts.push(part);
    }
    if glance.paused > 0 {
        parts.push(Text::styled(DIM, &format!("{} paused", glance.paused)));
    }
    if let Some(away) = glance.away.as_ref().filter(|away| away.from.instant() <= view.now) {
        parts.push(Text::styled(DIM, &format!("away until {}", when(view, away.to.instant()))));
    }
    let mut line = Text::default();
    for part in parts {
        if line.width() > 0 {
            line.push(", ");
        }
        line.append(part);
    }
    line
}

fn value(glance: &GlanceResult, name: &str, zone: Tz, cells: usize) -> Text {
    let view = Viewpoint { now: glance.now.instant(), zone };
    let first = glance.first.as_ref();
    let next = glance.next.as_ref();
    let away = glance.away.as_ref().filter(|away| away.from.instant() <= view.now);
    let title = |title: Option<&String>| title.map(|title| Text::plain(title).cut(cells)).unwrap_or_default();
    let word = |word: Option<String>| Text::plain(&word.unwrap_or_default());
    match name {
        "text" => usual(glance, zone, cells),
        "due" => word(Some(glance.due.to_string())),
        "late" => word(Some(glance.late.to_string())),
        "failing" => word(Some(glance.failing.to_string())),
        "running" => word(Some(glance.running.to_string())),
        "seen" => word(Some(glance.seen.to_string())),
        "held" => word(Some(glance.held.to_string())),
        "paused" => word(Some(glance.paused.to_string())),
        "first" => title(first.map(|first| &first.title)),
        "first_number" => word(first.map(|first| first.number.to_string())),
        "next" => title(next.map(|next| &next.title)),
        "next_number" => word(next.map(|next| next.number.to_string())),
        "in" => word(next.map(|next| far(view, next.at.instant()))),
        "at" => word(next.map(|next| when(view, next.at.instant()))),
        "away" => word(away.map(|away| when(view, away.to.instant()))),
        "quiet" => word(glance.quiet_until.map(|end| when(view, end.instant()))),
        "state" => word(Some(state(glance, view).to_owned())),
        _ => Text::default(),
    }
}

/// Returns one word for all of it, the first that holds.
fn state(glance: &GlanceResult, view: Viewpoint) -> &'static str {
    let is_away = glance.away.as_ref().is_some_and(|away| away.from.instant() <= view.now);
    if glance.late > 0 {
        "late"
    } else if glance.due > 0 {
        "due"
    } else if glance.failing > 0 {
        "failing"
    } else if is_away {
        "away"
    } else if glance.quiet_until.is_some() {
        "quiet"
    } else if glance.next.is_some() {
        "next"
    } else {
        "idle"
    }
}

/// Returns how far away an instant is, in one unit, so that a prompt does not change all the time.
fn far(view: Viewpoint, at: Timestamp) -> String {
    const UNITS: [(i64, &str); 3] = [(86_400, "d"), (3600, "h"), (60, "m")];
    let seconds = at.since(view.now).as_millis() / 1000;
    let found = UNITS.into_iter().find(|(unit, _)| seconds >= *unit);
    match found {
        Some((unit, name)) => format!("in {}{name}", seconds / unit),
        None if seconds > 0 => format!("in {seconds}s"),
        None => "now".to_owned(),
    }
}

/// Returns `15:00` of today, `Thu 15:00` within a week, else the date.
fn when(view: Viewpoint, at: Timestamp) -> String {
    let (local, today) = (at.in_zone(view.zone), view.now.in_zone(view.zone).date_naive());
    match (local.date_naive() - today).num_days() {
        0 => clock(&local),
        1..=6 => format!("{} {}", local.format("%a"), clock(&local)),
        _ => local.format("%-d %b").to_string(),
    }
}

/// Returns it as bars read it: what is shown, what is said beside it, and a word to style it by.
pub(crate) fn bar(looked: &Looked, zone: Tz, cells: usize) -> Value {
    let line = text(looked, None, zone, cells).to_plain();
    let Looked::Told(glance) = looked else {
        let (state, tooltip) = match looked {
            Looked::Off => ("off", "no daemon runs: keiko daemon start"),
            Looked::OtherVersion => ("version", "the daemon is of another version: keiko daemon stop"),
            Looked::Busy | Looked::Told(_) => ("busy", "the daemon does not answer in time"),
        };
        return json!({
            "schema_version": SCHEMA_VERSION, "text": line, "tooltip": tooltip, "class": state, "alt": state, "now": null,
            "due": null, "late": null, "failing": null, "running": null, "seen": null, "held": null, "paused": null,
            "first": null, "next": null, "away": null, "quiet_until": null,
        });
    };
    let view = Viewpoint { now: glance.now.instant(), zone };
    let mut tooltip: Vec<String> = Vec::new();
    let counts =
        [(glance.due, "due"), (glance.seen, "seen, not done"), (glance.held, "held"), (glance.failing, "failing")];
    tooltip.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")));
    if let Some(first) = &glance.first {
        tooltip.push(format!("due: {}  {}", first.number, clean(&first.title)));
    }
    if let Some(next) = &glance.next {
        let at = next.at.instant();
        tooltip.push(format!("next: {}  {}  {} ({})", next.number, clean(&next.title), when(view, at), far(view, at)));
    }
    let state = state(glance, view);
    json!({
        "schema_version": SCHEMA_VERSION,
        "text": line,
        "tooltip": tooltip.join("\n"),
        "class": state,
        "alt": state,
        "now": glance.now,
        "due": glance.due,
        "late": glance.late,
        "failing": glance.failing,
        "running": glance.running,
        "seen": glance.seen,
        "held": glance.held,
        "paused": glance.paused,
        "first": glance.first,
        "next": glance.next,
        "away": glance.away,
        "quiet_until": glance.quiet_until,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glance(change: impl FnOnce(&mut Value)) -> Looked {
        let mut value = json!({
            "schema_version": 1, "now": "2026-05-13T16:00:00-04:00", "due": 0, "late": 0, "seen": 0, "held": 0, "running": 0,
            "failing": 0, "paused": 0, "first": null, "next": null, "away": null, "quiet_until": null,
        });
        change(&mut value);
        Looked::Told(serde_json::from_value(value).expect("a glance"))
    }

    fn full() -> Looked {
        glance(|value| {
            value["due"] = json!(2);
            value["paused"] = json!(1);
            value["first"] = json!({"number": 7, "title": "pay rent", "at": "2026-05-13T15:00:00-04:00"});
            value["next"] =
                json!({"number": 8, "title": "a\u{1b}[31m提醒我明天下午三点交房租", "at": "2026-05-14T09:30:00-04:00"});
        })
    }

    #[track_caller]
    fn check(looked: &Looked, template: &str, expected: &str) {
        let template = Template::parse(template).expect("a template");
        assert_eq!(text(looked, Some(&template), Tz::America__New_York, 10).to_plain(), expected);
    }

    #[test]
    fn what_is_usual_is_short_and_nothing_where_there_is_nothing() {
        let usual = |looked: &Looked| text(looked, None, Tz::America__New_York, 10).to_plain();
        assert_eq!(usual(&full()), "2 due, a␛[31m提… in 17h, 1 paused");
        assert_eq!(usual(&glance(|_| {})), "");
        assert_eq!(usual(&Looked::Off), "keiko off");
        assert_eq!(usual(&Looked::Busy), "keiko busy");
        let soon =
            glance(|value| value["next"] = json!({"number": 8, "title": "tea", "at": "2026-05-13T16:00:40-04:00"}));
        assert_eq!(usual(&soon), "tea in 40s");
    }

    #[test]
    fn a_template_shows_what_it_names_and_leaves_out_what_is_nothing() {
        check(&full(), "{due}/{late} {first} #{first_number}", "2/0 pay rent #7");
        check(&full(), "[{due} due][, {seen} seen][, next {at}]", "2 due, next Thu 09:30");
        check(&glance(|_| {}), "[{due} due]-[{next} {in}]-{state}", "--idle");
        check(&glance(|_| {}), "{{[[{due}]]}}", "{[0]}");
        check(&Looked::Off, "{due}", "keiko off");
        // What stands around it in a prompt is no nearer than otherwise.
        check(&Looked::Off, "[{text} ]", "keiko off ");
        check(&Looked::Busy, "  [{due} due][, next {at}] ", "  keiko busy ");
        check(&Looked::OtherVersion, " | {text}", " keiko other version");
        assert_eq!(Template::parse("{dew}").unwrap_err(), BadTemplate::Unknown("dew".to_owned()));
        for (template, bracket) in [("[{due}", '['), ("{due}]", ']'), ("}", '}'), ("[a [b] c]", '[')] {
            assert_eq!(Template::parse(template), Err(BadTemplate::Open(bracket)), "{template}");
        }
    }

    #[test]
    fn a_bar_reads_text_tooltip_and_class() {
        let told = bar(&full(), Tz::America__New_York, 10);
        assert_eq!((&told["text"], &told["class"]), (&json!("2 due, a␛[31m提… in 17h, 1 paused"), &json!("due")));
        assert_eq!(told["tooltip"].as_str().expect("text").lines().count(), 3);
        let off = bar(&Looked::Off, Tz::America__New_York, 10);
        assert_eq!((&off["text"], &off["class"], &off["due"]), (&json!("keiko off"), &json!("off"), &json!(null)));
    }

    #[test]
    fn what_a_program_takes_for_its_own_is_doubled() {
        assert_eq!(Text::plain("50% of #1").doubling('%').to_plain(), "50%% of #1");
        assert_eq!(Text::plain("50% of #1").doubling('#').to_plain(), "50% of ##1");
    }
}
