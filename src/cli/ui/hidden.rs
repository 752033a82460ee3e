//! How does a person type what nobody is to see? The terminal shows nothing of it, and is as before afterwards, also when
//! they think better of it.

use std::io::{self, Read, Stdin};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// What Ctrl-C types.
const INTERRUPT: u8 = 3;

/// What Ctrl-D types.
const END: u8 = 4;

/// What Ctrl-U types.
const KILL: u8 = 21;

/// A terminal that shows nothing of what is typed for as long as this value lives.
pub(super) struct Hidden {
    input: Stdin,
    before: Termios,
}

impl Hidden {
    /// Lets the terminal of standard input show nothing.
    ///
    /// # Errors
    /// It is no terminal, or does not obey.
    pub(super) fn begin() -> io::Result<Self> {
        let input = io::stdin();
        let before = tcgetattr(&input)?;
        let mut hiding = before.clone();
        // Keys come one by one, so that Ctrl-C does not end the process with the terminal still silent.
        hiding.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        tcsetattr(&input, OptionalActions::Now, &hiding)?;
        Ok(Self { input, before })
    }

    /// Returns a line; `None` at the end of the input.
    ///
    /// # Errors
    /// It cannot be read, is no text, or the person wants no more.
    pub(super) fn line(&self) -> io::Result<Option<String>> {
        line(&mut self.input.lock())
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing put back.
        let _ = tcsetattr(&self.input, OptionalActions::Now, &self.before);
    }
}

fn line(input: &mut impl Read) -> io::Result<Option<String>> {
    let mut typed = Vec::new();
    loop {
        let mut key = [0];
        if input.read(&mut key)? == 0 {
            return if typed.is_empty() { Ok(None) } else { text(typed) };
        }
        match key[0] {
            b'\n' | b'\r' => return text(typed),
            INTERRUPT => return Err(io::ErrorKind::Interrupted.into()),
            END if typed.is_empty() => return Ok(None),
            END => {}
            KILL => typed.clear(),
            8 | 127 => {
                // A letter of several bytes goes as a whole.
                while typed.pop().is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000) {}
            }
            byte => typed.push(byte),
        }
    }
}

fn text(typed: Vec<u8>) -> io::Result<Option<String>> {
    let text = String::from_utf8(typed).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8"))?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_make_a_line_and_can_be_taken_back() {
        let typed = |keys: &[u8]| line(&mut &keys[..]).ok().flatten();
        assert_eq!(typed(b"hunter2\n").as_deref(), Some("hunter2"));
        assert_eq!(typed(b"hunted\x7fr2\r").as_deref(), Some("hunter2"));
        assert_eq!(typed("a交\x7fb\n".as_bytes()).as_deref(), Some("ab"));
        assert_eq!(typed(b"wrong\x15right\n").as_deref(), Some("right"));
        assert_eq!(typed(b"\x04"), None);
        assert_eq!(line(&mut &b"hun\x03"[..]).unwrap_err().kind(), io::ErrorKind::Interrupted);
    }
}
