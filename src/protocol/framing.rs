//! Where does one message end and the next begin? Bytes to frames, one JSON value a line; no socket is known here.

/// The longest frame, without its newline (SPEC 9): far above any task, far below what could hurt.
pub const FRAME_BYTES_MAX: usize = 1024 * 1024;

/// The longest answer that a client takes: a list of ten thousand tasks is some 20 MiB.
pub const ANSWER_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Cuts a stream of bytes into frames. Never holds more than one frame and what came with it.
#[derive(Debug)]
pub struct Frames {
    buffer: Vec<u8>,
    /// How far `buffer` was searched for a newline already, so that a slow sender costs each byte one look.
    searched: usize,
    /// Set while the rest of a frame that was too long passes by unseen.
    is_discarding: bool,
    limit: usize,
}

/// Why bytes are no frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FrameError {
    /// The line is too long.
    #[error("cannot read the message: it is longer than {limit} bytes")]
    TooLong {
        /// The longest that is taken.
        limit: usize,
    },
    /// The stream ended within a line.
    #[error("cannot read the message: the connection ended within it, after {found} bytes, expected a newline")]
    CutOff {
        /// How many bytes of it had come.
        found: usize,
    },
}

impl Default for Frames {
    fn default() -> Self {
        Self::new(FRAME_BYTES_MAX)
    }
}

impl Frames {
    /// Returns a cutter that takes frames of at most `limit` bytes.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), searched: 0, is_discarding: false, limit }
    }

    /// Takes what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next frame without its newline, `None` when more bytes are needed. Blank lines are no frames.
    ///
    /// # Errors
    /// The frame is too long. That is said once; the rest of it is passed over, and the frame behind it is read.
    pub fn next_frame(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        loop {
            let Some(end) = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n') else {
                return self.wait_for_more();
            };
            let length = self.searched + end + 1;
            let mut frame: Vec<u8> = if length == self.buffer.len() {
                // The usual case, and the one in which copying a long answer would cost.
                std::mem::take(&mut self.buffer)
            } else {
                self.buffer.drain(..length).collect()
            };
            frame.pop();
            self.searched = 0;
            if std::mem::take(&mut self.is_discarding) {
                continue;
            }
            if frame.len() > self.limit {
                return Err(FrameError::TooLong { limit: self.limit });
            }
            if !frame.trim_ascii().is_empty() {
                return Ok(Some(frame));
            }
        }
    }

    /// Returns whether no frame has begun.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty() && !self.is_discarding
    }

    /// Says whether the stream may end here.
    ///
    /// # Errors
    /// It ends within a frame. What had come of it means nothing, since the rest may have changed its meaning.
    pub fn finish(&self) -> Result<(), FrameError> {
        if self.buffer.trim_ascii().is_empty() { Ok(()) } else { Err(FrameError::CutOff { found: self.buffer.len() }) }
    }

    fn wait_for_more(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        self.searched = self.buffer.len();
        if self.is_discarding || self.buffer.len() > self.limit {
            // Freed, not kept: an idle connection must not hold a megabyte.
            self.buffer = Vec::new();
            self.searched = 0;
            if !std::mem::replace(&mut self.is_discarding, true) {
                return Err(FrameError::TooLong { limit: self.limit });
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(chunks: &[&str], limit: usize, expected: &[&str]) {
        let mut frames = Frames::new(limit);
        let mut found = Vec::new();
        for chunk in chunks {
            frames.push(chunk.as_bytes());
            loop {
                match frames.next_frame() {
                    Ok(Some(frame)) => found.push(String::from_utf8(frame).expect("text")),
                    Ok(None) => break,
                    Err(_) => found.push("too long".into()),
                }
            }
        }
        if frames.finish().is_err() {
            found.push("cut off".into());
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn frames_end_at_newlines_however_the_bytes_arrive() {
        check(&["one\ntwo\n"], 9, &["one", "two"]);
        check(&["o", "n", "e", "\n", "two\nth", "ree\n"], 9, &["one", "two", "three"]);
        check(&["\n \n\r\none\r\n"], 9, &["one\r"]);
    }

    #[test]
    fn a_frame_that_is_too_long_is_told_once_and_the_next_is_read() {
        check(&["123456789\n"], 9, &["123456789"]);
        check(&["1234567890\nnext\n"], 9, &["too long", "next"]);
        check(&["1234567890", "1234567890", "1234567890\nnext\n"], 9, &["too long", "next"]);
        check(&["1234567890", "\n", "next\n"], 9, &["too long", "next"]);
    }

    #[test]
    fn a_stream_that_ends_within_a_frame_is_cut_off() {
        check(&["one\ntw"], 9, &["one", "cut off"]);
        check(&["one\n \n"], 9, &["one"]);
    }
}
