//! How is a whole screen shown, and drawn anew in place? The terminal is as before afterwards, however it ends.

use std::io::{self, Write as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use crate::cli::render::text::Text;

/// Another screen in place of what was there, without a cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[2J";

/// What was there, with its cursor.
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";

/// To the first cell.
const HOME: &str = "\x1b[H";

/// Clears the rest of the line. Before the next, so that nothing flickers.
const END_OF_LINE: &str = "\x1b[K";

/// Clears what is below.
const BELOW: &str = "\x1b[J";

/// The size that is taken for that of a terminal that does not tell.
const SIZE_UNKNOWN: Size = Size { columns: 80, rows: 24 };

/// How large a terminal is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size {
    /// Cells of a row.
    pub(crate) columns: usize,
    /// Rows.
    pub(crate) rows: usize,
}

/// A screen of its own for as long as this value lives. Keys are told one by one and not shown.
pub(crate) struct Screen {
    has_colors: bool,
    /// How the terminal took keys before; `None` where standard input is none.
    before: Option<Termios>,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// It cannot be written to.
    pub(super) fn begin(has_colors: bool) -> io::Result<Self> {
        let mut screen = Self { has_colors, before: None };
        screen.enter()?;
        Ok(screen)
    }

    /// Takes the terminal, also again after [`Screen::leave`].
    ///
    /// # Errors
    /// It cannot be written to.
    pub(crate) fn enter(&mut self) -> io::Result<()> {
        let input = io::stdin();
        if let Ok(before) = tcgetattr(&input) {
            let mut taken = before.clone();
            // Ctrl-C and Ctrl-Z are keys too, so that the terminal is given back before they do what they do.
            taken.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
            tcsetattr(&input, OptionalActions::Now, &taken)?;
            self.before = Some(before);
        }
        write(ENTER)
    }

    /// Gives the terminal back as it was.
    pub(crate) fn leave(&mut self) {
        // A terminal that is gone needs nothing given back.
        let _ = write(LEAVE);
        if let Some(before) = self.before.take() {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
        }
    }

    /// Stops the process as Ctrl-Z does, with the terminal given back meanwhile.
    ///
    /// # Errors
    /// The terminal is gone when it goes on.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        self.leave();
        // It is over when the shell lets the process go on; where it cannot be stopped, it goes on at once.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TSTP);
        self.enter()
    }

    /// Returns how large it is now.
    #[expect(clippy::unused_self, reason = "only who has the screen needs to know")]
    pub(crate) fn size(&self) -> Size {
        let told = tcgetwinsize(io::stdout()).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
        told.map_or(SIZE_UNKNOWN, |size| Size { columns: size.ws_col.into(), rows: size.ws_row.into() })
    }

    /// Shows lines from the first row on, as much of them as fits, and nothing else.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn draw(&self, lines: &[Text]) -> io::Result<()> {
        let size = self.size();
        let mut drawn = HOME.to_owned();
        for (row, line) in lines.iter().take(size.rows).enumerate() {
            if row > 0 {
                drawn.push_str("\r\n");
            }
            let shown = line.cut(size.columns).to_terminal();
            if self.has_colors {
                drawn.push_str(&shown);
            } else {
                drawn.push_str(&anstream::adapter::strip_str(&shown).to_string());
            }
            // Where a line fills its row the cursor is on its last cell still, which is not to be cleared.
            if line.width() < size.columns {
                drawn.push_str(END_OF_LINE);
            }
        }
        if lines.len() < size.rows {
            drawn.push_str("\r\n");
            drawn.push_str(BELOW);
        }
        write(&drawn)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.leave();
    }
}

/// All in one write, so that no half of a screen is seen.
fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
