//! Which time of day is it: 三点, 下午三点半, 差一刻六点, 晚上9:30?

use crate::when::grammar::Strength;
use crate::when::grammar::clock::{Clock, Face, FoundClock, MIDNIGHT, digital, meridiem, on_half};
use crate::when::grammar::suffixed::{marked, number, pick_part};
use crate::when::grammar::words::Words;
use crate::when::lexicon::{Meaning, Part};

/// Reads a clock time: 三点, 下午三点半, 差一刻六点, 晚上9:30, 三点pm.
pub(in crate::when) fn clock(words: &Words<'_>, start: usize) -> Option<FoundClock> {
    let part = pick_part(words, start);
    let at = if part.is_some() { words.skip(start + 1, Meaning::Linker) } else { start };
    let face = short_of(words, at)
        .or_else(|| hour_and_minutes(words, at))
        .or_else(|| part.and_then(|_| with_colon(words, at)))?;
    let time = &face.time;
    if time.minute > 59 || time.second > 59 {
        return Some(impossible(face.time, face.next));
    }
    if let Some((half, next)) = meridiem(words, face.next).filter(|_| part.is_none()) {
        return Some(strong(on_half(time.hour, time.minute, time.second, half), next));
    }
    let Some(part) = part else {
        // 一点 and 三点 may be something else, 三点半 not.
        let is_asked = start > 0 && words.has(start - 1, Meaning::Lead);
        let is_sure = face.is_sure || is_asked || time.hour > 12 || time.hour == 0;
        if !is_sure && is_no_clock(words, start, face.next) {
            return None;
        }
        let strength = if is_sure { Strength::Strong } else { Strength::Weak };
        return Some(FoundClock { clock: without_part(face.time), next: face.next, strength });
    };
    Some(strong(on_part(face.time, part), face.next))
}

/// The 早晚八点 of 每天早晚八点: eight in the morning and in the evening.
pub(super) fn twice(words: &Words<'_>, start: usize) -> Option<(Clock, Clock, usize)> {
    if !words.has(start, Meaning::BothParts) {
        return None;
    }
    let said = hour_and_minutes(words, words.skip(start + 1, Meaning::Every))?;
    let is_hour = (5..=11).contains(&said.time.hour) && said.time.minute < 60 && said.time.second < 60;
    let morning = Clock { face: Face::Day, ..said.time };
    is_hour.then(|| (morning, Clock { hour: morning.hour + 12, ..morning }, said.next))
}

fn strong(clock: Clock, next: usize) -> FoundClock {
    FoundClock { clock, next, strength: Strength::Strong }
}

fn impossible(clock: Clock, next: usize) -> FoundClock {
    strong(Clock { face: Face::Impossible, ..clock }, next)
}

/// 三点建议 counts points, and 买一点 is a little.
fn is_no_clock(words: &Words<'_>, start: usize, next: usize) -> bool {
    let is_little = words.has(start, Meaning::Number(1)) && words.is_glued(start) && start > 0 && {
        let before = start - 1;
        words.pick(before, |_| Some(())).is_none() && words.opens_or_closes(before)
    };
    // 一点水果 is a little fruit, 一点开会 a meeting.
    let is_mass = words.has(start, Meaning::Number(1)) && words.has(next, Meaning::MassNoun);
    is_little || is_mass || words.has(next, Meaning::PointNoun)
}

/// An hour with its minutes as said, the hour not yet put on the 24-hour clock.
struct Said {
    time: Clock,
    next: usize,
    /// Whether more was said than an hour of one number.
    is_sure: bool,
}

fn said(hour: u32, minute: u32, second: u32, next: usize) -> Said {
    Said { time: Clock { hour, minute, second, face: Face::Open }, next, is_sure: true }
}

/// 三点, 三点半, 三点十五分二十秒, 三点零五, 三点一刻, 六点差五分, 七八点 (the first of the two).
fn hour_and_minutes(words: &Words<'_>, start: usize) -> Option<Said> {
    let first = number(words, start)?;
    let second = number(words, first.next).filter(|second| second.value == first.value + 1);
    let mark = second.map_or(first.next, |second| second.next);
    if !words.has(mark, Meaning::HourMark) || first.value > 24 && first.len > 2 {
        return None;
    }
    let hour = first.value;
    let next = mark + 1;
    if words.has(mark, Meaning::OClock) {
        return Some(said(hour, 0, 0, next));
    }
    if words.has(next, Meaning::ShortOf)
        && let Some((minutes, behind)) = minutes(words, next + 1)
    {
        return before_hour(hour, minutes, behind);
    }
    // 八点过十分
    let past = if words.has(next, Meaning::In) && minutes(words, next + 1).is_some() { next + 1 } else { next };
    let behind = words.skip(past, Meaning::OnMark);
    if words.has(behind, Meaning::Half) {
        // 三时半五十九秒
        let seconds = marked(words, behind + 1, Meaning::SecondMark);
        return Some(
            seconds.map_or_else(|| said(hour, 30, 0, behind + 1), |(seconds, end)| said(hour, 30, seconds.value, end)),
        );
    }
    if let Some((minutes, end)) = minutes(words, behind) {
        let seconds = marked(words, end, Meaning::SecondMark);
        return Some(
            seconds.map_or_else(|| said(hour, minutes, 0, end), |(second, end)| said(hour, minutes, second.value, end)),
        );
    }
    if let Some((minutes, end)) = unmarked_minutes(words, behind, behind > next) {
        return Some(said(hour, minutes, 0, end));
    }
    let is_padded = first.len == 2 && hour < 10;
    Some(Said { is_sure: second.is_some() || is_padded, ..said(hour, 0, 0, next) })
}

/// 十五分, 一刻, 三个字.
fn minutes(words: &Words<'_>, at: usize) -> Option<(u32, usize)> {
    if let Some(minutes) = words.pick(at, |m| if let Meaning::MinutesPast(minutes) = m { Some(minutes) } else { None })
    {
        return Some((minutes, at + 1));
    }
    if let Some((fives, next)) = marked(words, at, Meaning::FiveMinutes) {
        return Some((fives.value.saturating_mul(5), next));
    }
    let (minutes, next) = marked(words, at, Meaning::MinuteMark)?;
    Some((minutes.value, next))
}

/// 三点十五, 三点零五; a single digit counts fives (三點三), if nothing follows that it could count.
fn unmarked_minutes(words: &Words<'_>, at: usize, is_joined: bool) -> Option<(u32, usize)> {
    let number = number(words, at).filter(|_| words.is_glued(at))?;
    let is_last = words.is_end(number.next) || !words.is_glued(number.next);
    let is_counting = words.is_unit(number.next)
        || [Meaning::HourMark, Meaning::Single, Meaning::DayMark, Meaning::MonthMark, Meaning::Times]
            .iter()
            .any(|mark| words.has(number.next, *mark));
    match (number.value, number.len) {
        (10..=59, _) | (0..=9, 2) if !is_counting => Some((number.value, number.next)),
        (1..=11, 0) if is_last || is_joined => Some((number.value * 5, number.next)),
        (_, _) => None,
    }
}

/// 差一刻六点, 差五分六点.
fn short_of(words: &Words<'_>, start: usize) -> Option<Said> {
    let at = words.has(start, Meaning::ShortOf).then_some(start + 1)?;
    let (minutes, at) = minutes(words, at)?;
    let (hour, next) = marked(words, at, Meaning::HourMark)?;
    before_hour(hour.value, minutes, next)
}

fn before_hour(hour: u32, minutes: u32, next: usize) -> Option<Said> {
    let minute = 60_u32.checked_sub(minutes).filter(|minute| (1..60).contains(minute))?;
    let hour = match hour {
        0 => 23,
        1 => 12,
        2..=24 => hour - 1,
        _ => return None,
    };
    Some(said(hour, minute, 0, next))
}

/// The 9:30 of 晚上9:30.
fn with_colon(words: &Words<'_>, at: usize) -> Option<Said> {
    let (clock, next) = digital(words, at, None)?;
    Some(Said { time: clock, next, is_sure: true })
}

fn without_part(time: Clock) -> Clock {
    let face = match time.hour {
        24 if time.minute == 0 => return MIDNIGHT,
        1..=12 => Face::Open,
        0 | 13..=23 => Face::Day,
        _ => Face::Impossible,
    };
    Clock { face, ..time }
}

/// Puts a time on the 24-hour clock; hours that the part does not have are no time (晚上13点, 中午十点).
fn on_part(time: Clock, part: Part) -> Clock {
    let (hour, face) = match (part, time.hour) {
        (Part::Morning, 0..=12)
        | (Part::Dawn, 0..=6)
        | (Part::Midday, 11..=14)
        | (Part::Afternoon, 12..=18)
        | (Part::Evening, 16..=20)
        | (Part::LongEvening | Part::Night, 17..=23)
        | (Part::DeepNight, 21..=23) => (time.hour, Face::Day),
        (Part::Dawn, 12) => (0, Face::Day),
        (Part::Midday, 1..=2)
        | (Part::Afternoon, 1..=11)
        | (Part::Evening, 4..=8)
        | (Part::LongEvening | Part::Night, 5..=11)
        | (Part::DeepNight, 9..=11) => (time.hour + 12, Face::Day),
        // The night goes on behind midnight.
        (Part::LongEvening | Part::Night | Part::DeepNight, 0 | 12 | 24) => (0, Face::Midnight),
        (Part::LongEvening | Part::Night, 1..=4) | (Part::DeepNight, 1..=5) => (time.hour, Face::Midnight),
        (
            Part::Morning
            | Part::Dawn
            | Part::Midday
            | Part::Afternoon
            | Part::Evening
            | Part::LongEvening
            | Part::Night
            | Part::DeepNight,
            _,
        ) => (time.hour, Face::Impossible),
    };
    Clock { hour, face, ..time }
}
