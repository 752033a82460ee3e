//! iCalendar (RFC 5545; alarms §3.6.6, to-dos §3.6.2, text §3.3.11, lines §3.1): what Keiko writes and reads of it.
//!
//! Lines are read here rather than by a crate, so that each refusal names its line, and so that no depth of nesting costs more
//! than a word a level.

pub(crate) mod line;
pub(crate) mod read;
pub(crate) mod write;
mod zone;

#[cfg(test)]
mod tests;
