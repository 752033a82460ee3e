//! Which part of what a command says is kept? The end of it, in a bounded place, however much it is.

use crate::domain::run::{OUTPUT_BYTES_MAX, Output};

/// The end of what was said.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// The end, with at most as much again before it: so each byte is moved once at most.
    bytes: Vec<u8>,
    dropped: u64,
}

impl Tail {
    /// Takes what was said next.
    pub(super) fn push(&mut self, said: &[u8]) {
        self.bytes.extend_from_slice(said);
        if self.bytes.len() > 2 * OUTPUT_BYTES_MAX {
            self.cut();
        }
    }

    /// Returns how many bytes were said in all.
    pub(super) fn total(&self) -> u64 {
        self.dropped + self.bytes.len() as u64
    }

    /// Returns what is kept.
    pub(super) fn output(&self) -> Output {
        let beyond = self.bytes.len().saturating_sub(OUTPUT_BYTES_MAX);
        Output { tail: self.bytes[beyond..].to_vec(), dropped: self.dropped + beyond as u64 }
    }

    fn cut(&mut self) {
        let beyond = self.bytes.len().saturating_sub(OUTPUT_BYTES_MAX);
        self.bytes.drain(..beyond);
        self.dropped += beyond as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_kept_whole() {
        let mut tail = Tail::default();
        tail.push(b"one ");
        tail.push(b"two");
        assert_eq!(tail.output(), Output { tail: b"one two".to_vec(), dropped: 0 });
    }

    #[test]
    fn of_a_flood_the_end_is_kept_and_the_rest_counted() {
        let mut tail = Tail::default();
        let said: Vec<u8> = (0..1_000_000_u32).map(|number| u8::try_from(number % 251).unwrap()).collect();
        for chunk in said.chunks(7919) {
            tail.push(chunk);
            assert!(tail.bytes.len() <= 2 * OUTPUT_BYTES_MAX);
        }
        let Output { tail, dropped } = tail.output();
        assert_eq!(tail, said[said.len() - OUTPUT_BYTES_MAX..]);
        assert_eq!(dropped + OUTPUT_BYTES_MAX as u64, 1_000_000);
    }
}
