//! Which sentences say the same again and again? They are folded into one that counts them.
//!
//! Folds only what went as it should: what was late, skipped, snoozed or changed is always told.

use crate::domain::delivery::{DeliveryStatus, StatusName, Target};
use crate::domain::event::Actor;
use crate::domain::occurrence::{Outcome, Slot};
use crate::domain::story::{Fold, Folded, News, Ring, Said, Sentence, Why};

/// From this many alike on, those between the first and the last are folded: two sentences are not longer than one.
const RUN_MIN: usize = 4;

/// What is alike about sentences, whenever they were.
#[derive(PartialEq, Eq)]
enum Shape<'a> {
    Rang { slot: Slot, is_again: bool },
    Nagged,
    Sent { target: &'a Target, status: StatusName },
    Seen { is_dismissal: bool },
    CameUp { why: &'a str },
    RunStarted,
    RunSucceeded,
    Ended { outcome: Outcome, by: Actor, why: &'a str },
    Folded { of: Folded },
}

/// A sentence with its details.
type Block = Vec<Sentence>;

/// What happened to one occurrence.
type Chapter = Vec<Block>;

/// Returns the sentences with what is repetitive folded.
#[must_use]
pub fn fold(sentences: Vec<Sentence>) -> Vec<Sentence> {
    let rings = |blocks: &[&Block]| {
        let is_nag = |block: &&Block| block.first().is_some_and(|first| shape(first) == Some(Shape::Nagged));
        blocks.iter().all(is_nag).then_some(Folded::Rings)
    };
    let occurrences = |chapters: &[&Chapter]| {
        let last = chapters.first()?.last()?.first()?;
        let outcome = if let Said::Ended { outcome, .. } = &last.said { Some(*outcome) } else { None };
        Some(Folded::Occurrences { outcome })
    };
    let chapters: Vec<Chapter> = chapters(blocks(sentences))
        .into_iter()
        .map(|chapter| fold_runs(chapter, |block| shapes(block.iter()), rings, |sentence| vec![sentence]))
        .collect();
    let folded =
        fold_runs(chapters, |chapter| shapes(chapter.iter().flatten()), occurrences, |sentence| vec![vec![sentence]]);
    folded.into_iter().flatten().flatten().collect()
}

fn blocks(sentences: Vec<Sentence>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for sentence in sentences {
        match blocks.last_mut() {
            Some(block) if sentence.is_detail => block.push(sentence),
            Some(_) | None => blocks.push(vec![sentence]),
        }
    }
    blocks
}

fn chapters(blocks: Vec<Block>) -> Vec<Chapter> {
    let mut chapters: Vec<Chapter> = Vec::new();
    for block in blocks {
        let of = |block: &Block| block.first().and_then(|sentence| sentence.occurrence);
        match chapters.last_mut() {
            Some(chapter) if chapter.last().and_then(of) == of(&block) => chapter.push(block),
            Some(_) | None => chapters.push(vec![block]),
        }
    }
    chapters
}

/// Keeps the first and the last of each run that is long enough, and puts one sentence in the place of the rest.
fn fold_runs<T>(
    items: Vec<T>,
    shape: impl for<'a> Fn(&'a T) -> Option<Vec<Shape<'a>>>,
    what: impl Fn(&[&T]) -> Option<Folded>,
    wrap: impl Fn(Sentence) -> T,
) -> Vec<T>
where
    T: Leaves,
{
    let mut kept = Vec::new();
    let mut rest = items.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut run = vec![first];
        while let Some(next) = rest.peek() {
            let is_alike = shape(next).is_some() && shape(&run[0]) == shape(next);
            if !is_alike {
                break;
            }
            run.extend(rest.next());
        }
        let of = if run.len() < RUN_MIN { None } else { what(&run.iter().collect::<Vec<_>>()) };
        let Some(of) = of else {
            kept.extend(run);
            continue;
        };
        let last = run.pop();
        let middle = run.split_off(1);
        kept.extend(run);
        kept.extend(folded(&middle, of).map(&wrap));
        kept.extend(last);
    }
    kept
}

/// What sentences can be taken out of.
trait Leaves {
    fn leaves(&self) -> Vec<&Sentence>;
}

impl Leaves for Block {
    fn leaves(&self) -> Vec<&Sentence> {
        self.iter().collect()
    }
}

impl Leaves for Chapter {
    fn leaves(&self) -> Vec<&Sentence> {
        self.iter().flatten().collect()
    }
}

fn folded<T: Leaves>(middle: &[T], of: Folded) -> Option<Sentence> {
    let leaves: Vec<&Sentence> = middle.iter().flat_map(Leaves::leaves).collect();
    let (first, last) = (leaves.first()?, leaves.iter().rev().find(|sentence| !sentence.is_detail)?);
    let rings = leaves.iter().map(|sentence| sentence.said.rings()).sum();
    let mut events: Vec<_> = leaves.iter().flat_map(|sentence| sentence.events.clone()).collect();
    // A ring and its details rest on one event.
    events.dedup();
    Some(Sentence {
        at: first.at,
        occurrence: last.occurrence,
        is_detail: false,
        said: Said::Folded(Fold { count: middle.len(), rings, to: last.at, of }),
        events,
    })
}

impl Said {
    /// Returns how many rings it tells.
    #[must_use]
    pub const fn rings(&self) -> usize {
        match self {
            Self::Folded(fold) => fold.rings,
            // What was held rang nowhere.
            Self::Rang(ring) if ring.is_held => 0,
            said => matches!(said, Self::Rang(_)) as usize,
        }
    }
}

/// Returns what is alike about all of the sentences, `None` where one of them is to be told in any case.
fn shapes<'a>(sentences: impl Iterator<Item = &'a Sentence>) -> Option<Vec<Shape<'a>>> {
    sentences.map(shape).collect()
}

fn shape(sentence: &Sentence) -> Option<Shape<'_>> {
    match &sentence.said {
        Said::Rang(ring) => ring_shape(ring),
        Said::Sent(news) => news_shape(news),
        Said::Seen { is_dismissal, .. } => Some(Shape::Seen { is_dismissal: *is_dismissal }),
        Said::CameUp { why, .. } => Some(Shape::CameUp { why }),
        Said::Ended { outcome: outcome @ (Outcome::Done | Outcome::Unanswered), by, early: None, why } => {
            Some(Shape::Ended { outcome: *outcome, by: *by, why })
        }
        Said::RunStarted { attempt: 1 } => Some(Shape::RunStarted),
        Said::RunEnded { end, .. } if end.is_success() => Some(Shape::RunSucceeded),
        Said::Folded(fold) => Some(Shape::Folded { of: fold.of }),
        Said::Ended { .. }
        | Said::Added(_)
        | Said::Reopened { .. }
        | Said::Snoozed { .. }
        | Said::Paused { .. }
        | Said::Resumed { .. }
        | Said::Edited { .. }
        | Said::Moved { .. }
        | Said::TooLateToSay { .. }
        | Said::Altered { .. }
        | Said::Failed { .. }
        | Said::Retried { .. }
        | Said::RetriedAt { .. }
        | Said::RunStarted { .. }
        | Said::Progressed(_)
        | Said::RunEnded { .. }
        | Said::Withdrawn { .. }
        | Said::Skipped { .. }
        | Said::Missed { .. }
        | Said::DeadlinePassed { .. }
        | Said::Resent { .. }
        | Said::Expired { .. }
        | Said::Held { .. }
        | Said::Followed { .. }
        | Said::WaitsSet { .. }
        | Said::ParentDone { .. }
        | Said::ParentFailed { .. }
        | Said::Freed { .. }
        | Said::Unblocked
        | Said::Deleted { .. }
        | Said::Restored { .. }
        | Said::Device(_)
        | Said::Now(_)
        | Said::Next(_) => None,
    }
}

fn ring_shape(ring: &Ring) -> Option<Shape<'static>> {
    if ring.late_by.is_some() || !ring.swallowed.is_empty() || ring.is_held {
        return None;
    }
    match ring.why {
        Why::OwnTime => Some(Shape::Rang { slot: ring.slot, is_again: ring.is_again }),
        Why::Unanswered => Some(Shape::Nagged),
        Why::Snoozed { .. } | Why::Paused { .. } => None,
    }
}

fn news_shape(news: &News) -> Option<Shape<'_>> {
    let is_smooth = match news.status {
        DeliveryStatus::Delivered(_) => news.attempts <= 1 && !news.is_in_digest,
        DeliveryStatus::Withdrawn(_) => news.attempts == 0,
        DeliveryStatus::Queued
        | DeliveryStatus::Grouped
        | DeliveryStatus::Quiet
        | DeliveryStatus::Waiting
        | DeliveryStatus::Held
        | DeliveryStatus::Retrying(_)
        | DeliveryStatus::Failed(_) => false,
    };
    is_smooth.then_some(Shape::Sent { target: &news.target, status: news.status.name() })
}
