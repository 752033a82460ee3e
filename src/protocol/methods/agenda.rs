//! `agenda.get`: what will be said, day by day.

use serde::{Deserialize, Serialize};

use crate::protocol::objects::{AgendaEntry, AgendaNote, Time};

/// The most entries in one answer.
pub const AGENDA_MAX: usize = 5000;

/// How many entries an answer has unless more are asked for.
pub const AGENDA_DEFAULT: usize = 1000;

/// The most notes in one answer.
pub const AGENDA_NOTES_MAX: usize = 1000;

/// Asks what will be said within a stretch of time, if nobody does anything meanwhile. Nothing is stored.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgendaGet {
    /// The stretch in words: `today`, `this week`, `june`, `2 weeks`, `2026-06-01..2026-06-30`; 7 days unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// Where it begins, instead of words; now unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Time>,
    /// The first instant that does not belong to it, instead of words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Time>,
    /// The zone in which the words are read, and whose days are told; the daemon's unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The most entries that are wanted; 1000 unless given, at most 5000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Where to go on: `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// What will be said.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgendaResult<E = AgendaEntry> {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// Where the stretch begins.
    pub from: Time,
    /// The first instant that does not belong to it.
    pub to: Time,
    /// What will be said, the earliest first.
    pub entries: Vec<E>,
    /// How many entries come behind these within the stretch.
    pub left_out: u64,
    /// What is not among the entries, and why.
    pub notes: Vec<AgendaNote>,
    /// What the person should know besides.
    pub warnings: Vec<String>,
    /// Where the next page begins, null on the last one.
    pub next: Option<String>,
}
