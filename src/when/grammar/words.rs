//! What may the word at this place mean?

use crate::when::lexicon::{Lexeme, Meaning};

/// The lexemes of one text, asked by place; places past the end mean nothing.
pub(in crate::when) struct Words<'a> {
    lexemes: &'a [Lexeme],
    /// Whether any word speaks of repetition, which "until" and "from" belong to.
    pub(in crate::when) has_repeat: bool,
}

impl<'a> Words<'a> {
    pub(in crate::when) fn new(lexemes: &'a [Lexeme]) -> Self {
        let has_repeat = lexemes.iter().flat_map(|lexeme| &lexeme.meanings).any(|meaning| {
            matches!(
                meaning,
                Meaning::Every
                    | Meaning::Repeats(..)
                    | Meaning::EveryPart(_)
                    | Meaning::EveryWeekday(_)
                    | Meaning::EveryWorkingDay
                    | Meaning::EveryWeekend
                    | Meaning::EveryOther
                    | Meaning::EveryGap
                    | Meaning::AlsoWeekday(_)
            )
        });
        let words = Self { lexemes, has_repeat };
        // "twice a day", "3 times per week"
        let is_rate = |at: usize| {
            let is_count = |m: Meaning| matches!(m, Meaning::Count(_) | Meaning::Times).then_some(());
            words.pick(at, is_count).is_some() && words.has(at + 1, Meaning::Article) && words.is_unit(at + 2)
        };
        // 一天三次
        let is_rate = |at: usize| {
            is_rate(at)
                || words.has(at, Meaning::Number(1)) && words.is_unit(at + 1) && words.has(at + 3, Meaning::PerCycle)
        };
        let has_repeat = has_repeat || (0..lexemes.len()).any(is_rate);
        Self { has_repeat, ..words }
    }

    pub(in crate::when) fn len(&self) -> usize {
        self.lexemes.len()
    }

    pub(in crate::when) fn lexeme(&self, at: usize) -> Option<&Lexeme> {
        self.lexemes.get(at)
    }

    pub(in crate::when) fn has(&self, at: usize, meaning: Meaning) -> bool {
        self.lexeme(at).is_some_and(|lexeme| lexeme.meanings.contains(&meaning))
    }

    /// Returns the first of the word's meanings that `choose` takes.
    pub(in crate::when) fn pick<T>(&self, at: usize, choose: impl Fn(Meaning) -> Option<T>) -> Option<T> {
        self.lexeme(at)?.meanings.iter().find_map(|meaning| choose(*meaning))
    }

    /// Returns whether no space stands before the word.
    pub(in crate::when) fn is_glued(&self, at: usize) -> bool {
        self.lexeme(at).is_some_and(|lexeme| lexeme.is_glued)
    }

    /// Returns the number in digits and how many digits it has.
    pub(in crate::when) fn digits(&self, at: usize) -> Option<(u32, usize)> {
        self.pick(at, |meaning| if let Meaning::Digits { value, len } = meaning { Some((value, len)) } else { None })
    }

    /// Returns the place behind `meaning` if it stands here, else this place.
    pub(in crate::when) fn skip(&self, at: usize, meaning: Meaning) -> usize {
        if self.has(at, meaning) { at + 1 } else { at }
    }

    /// Returns whether a unit stands here, glued or apart.
    pub(in crate::when) fn is_unit(&self, at: usize) -> bool {
        self.pick(at, |meaning| matches!(meaning, Meaning::Unit(_) | Meaning::ShortUnit(_)).then_some(())).is_some()
    }

    /// Returns whether a bracket, quote or Chinese character stands here, beside which a word ends.
    pub(in crate::when) fn opens_or_closes(&self, at: usize) -> bool {
        self.lexeme(at).is_some_and(|lexeme| lexeme.is_border)
    }

    /// Returns whether nothing but marks stands from here on.
    pub(in crate::when) fn is_end(&self, at: usize) -> bool {
        (at..self.len()).all(|at| self.is_mark(at))
    }

    /// Returns whether a full stop, comma or other mark without a word stands here.
    pub(in crate::when) fn is_mark(&self, at: usize) -> bool {
        self.lexeme(at).is_some_and(|lexeme| lexeme.kind == crate::when::token::Kind::Mark)
    }
}
