//! The only file that prints: results on standard output, hints, warnings and errors on standard error.
//!
//! Decides once, stream by stream, whether colours are shown, and makes a closed pipe silent. Never decides what to
//! say, and takes nothing but cleaned [`Text`] and JSON.

use std::io::{self, BufRead as _, IsTerminal as _, Write};

use crate::cli::render::text::{BAD, DIM, DUE, Text, is_unsafe};
use crate::cli::ui::progress::{Patience, Progress};
use anstream::{AutoStream, ColorChoice};

pub(crate) mod editor;
#[cfg(unix)]
mod hidden;
#[cfg(unix)]
mod interrupt;
mod lent;
#[cfg(unix)]
mod pager;
#[cfg(unix)]
pub(crate) mod picker;
pub(crate) mod progress;
#[cfg(unix)]
pub(crate) mod screen;

/// Narrower than this nothing can be read, so the size that a broken terminal reports is not believed.
const WIDTH_MIN: usize = 10;

/// How far in a message goes on that is longer than a line.
const MESSAGE_HANG: usize = 2;

/// What people ask of colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum ColorFlag {
    /// On a terminal that knows colours, unless `NO_COLOR` is set
    #[default]
    #[value(help = "On a terminal that knows colours, unless NO_COLOR is set")]
    Auto,
    /// Also into pipes and files
    Always,
    /// Nowhere
    Never,
}

/// In which form results are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// For people.
    Human,
    /// For people who want no confirmations and no hints.
    Quiet,
    /// The id of the task in question and nothing else.
    Id,
    /// For programs.
    Json,
}

/// Both streams, with what was decided about them.
pub(crate) struct Ui {
    out: Stream<io::Stdout>,
    err: Stream<io::Stderr>,
    form: Form,
    /// Whether standard output is a terminal.
    is_terminal: bool,
    /// Whether what is long may be given to a pager.
    may_page: bool,
    #[cfg(unix)]
    pager: Option<pager::Pager>,
}

struct Stream<S: anstream::stream::RawStream> {
    inner: AutoStream<S>,
    width: Option<usize>,
    /// Whether a person's terminal shows it, where what is written from right to left is kept apart.
    is_terminal: bool,
    /// Nobody reads any more: say nothing, and do not fail.
    is_closed: bool,
    failure: Option<io::Error>,
}

/// Gives an answer to a program that asked for just that, such as a shell in the middle of a line. Who does not read it any
/// more wants none.
pub(crate) fn give(answer: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(answer.as_bytes()).and_then(|()| out.flush());
}

impl Ui {
    /// Returns the two streams of this process.
    pub(crate) fn new(color: ColorFlag, form: Form) -> Self {
        let environment = Environment::of_process();
        let (out, err) = (io::stdout(), io::stderr());
        let columns = std::env::var("COLUMNS").ok();
        let out_width = width(columns.as_deref(), terminal_width(&out));
        let err_width = width(columns.as_deref(), terminal_width(&err));
        let out_color = choose(color, out.is_terminal(), environment);
        let err_color = choose(color, err.is_terminal(), environment);
        let is_terminal = out.is_terminal();
        let is_dumb = environment.is_dumb;
        let (is_out, is_err) = (is_terminal && !is_dumb, err.is_terminal() && !is_dumb);
        let out = Stream::new(out, out_color, out_width, is_out);
        let err = Stream::new(err, err_color, err_width, is_err);
        Self {
            out,
            err,
            form,
            is_terminal,
            may_page: true,
            #[cfg(unix)]
            pager: None,
        }
    }

    /// Returns in which form results are given.
    pub(crate) const fn form(&self) -> Form {
        self.form
    }

    /// Changes the form, once the arguments are read.
    pub(crate) const fn set_form(&mut self, form: Form) {
        self.form = form;
    }

    /// Returns how wide a line of standard output may be; `None`: as wide as it is.
    pub(crate) const fn width(&self) -> Option<usize> {
        self.out.width
    }

    /// Returns whether standard output is closed, so that going on is of no use.
    pub(crate) const fn is_closed(&self) -> bool {
        self.out.is_closed
    }

    /// Gives lines of a result.
    pub(crate) fn print(&mut self, lines: &[Text]) {
        #[cfg(unix)]
        if self.pager.is_some() {
            let fitted = lines.iter().flat_map(|line| line.fitted(self.out.width));
            // Without the marks of direction, which pagers show as such.
            let whole: String = fitted.map(|line| line.to_ansi() + "\n").collect();
            self.page_on(&whole);
            return;
        }
        self.out.lines(lines);
    }

    /// Gives nothing to a pager from now on.
    pub(crate) const fn forbid_paging(&mut self) {
        self.may_page = false;
    }

    /// Prepares for a result that may be longer than the screen: a person on a terminal reads that in a pager.
    pub(crate) fn expect_long(&mut self) {
        #[cfg(unix)]
        if self.may_page && self.form == Form::Human && self.can_redraw() {
            let rows = self.rows();
            self.pager = Some(rows).filter(|rows| *rows > 0).and_then(pager::Pager::begin);
        }
    }

    /// Returns whether lines are more than a screen has, with room for what is typed next.
    pub(crate) fn is_beyond_screen(&self, lines: &[Text]) -> bool {
        let shown: usize = lines.iter().map(|line| line.fitted(self.out.width).len()).sum();
        shown >= self.rows()
    }

    /// Returns how many rows the terminal has; 0 where that is not known.
    #[cfg(unix)]
    fn rows(&self) -> usize {
        if !self.out.is_terminal {
            return 0;
        }
        rustix::termios::tcgetwinsize(io::stdout()).map_or(0, |size| usize::from(size.ws_row))
    }

    /// Nobody asks: there is no pager.
    #[cfg(not(unix))]
    fn rows(&self) -> usize {
        0
    }

    /// Gives text to the pager, or past it where it cannot be run.
    #[cfg(unix)]
    fn page_on(&mut self, ansi: &str) {
        let Some(pager) = &mut self.pager else { return };
        let has_colors = self.out.inner.current_choice() != ColorChoice::Never;
        let text = if has_colors { ansi.to_owned() } else { anstream::adapter::strip_str(ansi).to_string() };
        match pager.take(&text) {
            Ok(None) => {}
            Ok(Some(past)) => self.out.write(&past),
            Err(error) => self.out.check(Err(error)),
        }
    }

    /// Lets the person finish reading, then says what was to be said meanwhile.
    fn end_paging(&mut self) {
        #[cfg(unix)]
        if let Some(mut pager) = self.pager.take() {
            let said = std::mem::take(&mut pager.said);
            let past = pager.end();
            self.out.write(&past);
            self.err.lines(&said);
        }
    }

    /// Says lines on standard error; while a pager may be on the screen, once it is gone.
    fn say(&mut self, lines: &[Text]) {
        #[cfg(unix)]
        if let Some(pager) = &mut self.pager {
            pager.said.extend_from_slice(lines);
            return;
        }
        self.err.lines(lines);
    }

    /// Gives a piece of a line, which what is given next goes on with.
    pub(crate) fn piece(&mut self, text: &Text) {
        self.out.write(&text.to_ansi());
    }

    /// Says `farewell` on standard error, to people who want hints, where Ctrl-C ends this process from now on.
    pub(crate) fn say_when_interrupted(&self, farewell: &str) {
        #[cfg(unix)]
        if self.form == Form::Human {
            let mut line = Text::styled(DIM, "hint");
            line.push(": ");
            line.push(farewell);
            // The terminal shows the key where the cursor stood.
            let line = format!("\n{}\n", line.to_ansi());
            let choice = self.err.inner.current_choice();
            interrupt::say(move || drop(AutoStream::new(io::stderr(), choice).write_all(line.as_bytes())));
        }
    }

    /// Gives one JSON value on a line of its own.
    pub(crate) fn json<T: serde::Serialize>(&mut self, value: &T) {
        let json = serde_json::to_string(value).expect("answers have text for keys and no failing serializer");
        self.out.write(&(escape_json(&json) + "\n"));
    }

    /// Gives bytes as they are, for programs that read them: never to a terminal.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        if !self.out.is_closed && self.out.failure.is_none() {
            let mut raw = io::stdout().lock();
            let result = raw.write_all(bytes).and_then(|()| raw.flush());
            self.out.check(result);
        }
    }

    /// Gives a page as it was made, which has nothing of the user's in it.
    pub(crate) fn page(&mut self, ansi: &str) {
        #[cfg(unix)]
        if self.pager.is_some() {
            self.page_on(ansi);
            return;
        }
        self.out.write(ansi);
    }

    /// Gives an error and what to do next.
    pub(crate) fn error(&mut self, message: &str, hint: Option<&str>) {
        self.labelled(BAD, "error", message);
        if let Some(hint) = hint {
            self.labelled(DIM, "hint", hint);
        }
    }

    /// Gives a warning.
    pub(crate) fn warning(&mut self, message: &str) {
        self.labelled(DUE, "warning", message);
    }

    /// Gives a hint to people who want hints.
    pub(crate) fn hint(&mut self, message: &str) {
        match self.form {
            Form::Human => self.labelled(DIM, "hint", message),
            Form::Quiet | Form::Id | Form::Json => {}
        }
    }

    /// Says on standard error what is going on.
    pub(crate) fn progress(&mut self, message: &str) {
        match self.form {
            Form::Human | Form::Json | Form::Id => self.say(&[Text::plain(message)]),
            Form::Quiet => {}
        }
    }

    /// Returns a bar for `total` steps of `what`, for people on a terminal.
    pub(crate) fn bar(&self, total: u64, what: &'static str) -> Progress {
        if self.shows_progress() { Progress::counted(total, what) } else { Progress::hidden() }
    }

    /// Says `what` goes on, to people on a terminal, once it takes long.
    pub(crate) fn patience(&self, what: &'static str) -> Patience {
        if self.shows_progress() { Patience::with(what) } else { Patience::hidden() }
    }

    fn shows_progress(&self) -> bool {
        self.form == Form::Human && io::stderr().is_terminal() && !Environment::of_process().is_dumb
    }

    /// Returns whether a person is there to be asked.
    #[expect(clippy::unused_self, reason = "whoever asks does so through the two streams")]
    pub(crate) fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Returns whether a person is there who wants to be asked: programs and scripts say all they mean beforehand.
    pub(crate) fn may_ask(&self) -> bool {
        self.form == Form::Human && self.can_ask()
    }

    /// Returns whether a person may be given a list to pick from, drawn on standard error.
    pub(crate) fn can_take_over(&self) -> bool {
        self.may_ask() && !Environment::of_process().is_dumb
    }

    /// Returns whether a person may be given an editor, which shows itself on standard output.
    pub(crate) fn can_edit(&self) -> bool {
        self.is_terminal && self.may_ask()
    }

    /// Lets a person pick one of several.
    ///
    /// # Errors
    /// The terminal cannot be used.
    #[cfg(unix)]
    pub(crate) fn pick(&self, choices: &[picker::Choice]) -> io::Result<picker::Picked> {
        picker::pick(choices, self.err.inner.current_choice() != ColorChoice::Never)
    }

    /// Returns how wide a line of standard error may be.
    pub(crate) const fn err_width(&self) -> Option<usize> {
        self.err.width
    }

    /// Returns whether a person reads the results on a terminal, so that long lists may be folded.
    pub(crate) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Prepares for results that come now and then for as long as somebody reads them: programs get JSON, and where a pipe is
    /// closed the process ends without a word, also while there is nothing to say.
    pub(crate) fn flow(&mut self) {
        if self.is_terminal {
            return;
        }
        if self.form == Form::Human {
            self.form = Form::Json;
        }
        #[cfg(unix)]
        std::thread::spawn(end_with_reader);
    }

    /// Returns whether a person sees standard output on a terminal that can be drawn on anew.
    #[cfg(unix)]
    pub(crate) fn can_redraw(&self) -> bool {
        self.is_terminal && !Environment::of_process().is_dumb
    }

    /// Takes the terminal for a whole screen.
    ///
    /// # Errors
    /// It cannot be written to.
    #[cfg(unix)]
    pub(crate) fn screen(&self) -> io::Result<screen::Screen> {
        screen::Screen::begin(self.out.inner.current_choice() != ColorChoice::Never)
    }

    /// Says on standard error what a question is about, which is said to everybody who is asked.
    pub(crate) fn explain(&mut self, lines: &[Text]) {
        self.err.lines(lines);
    }

    /// Asks a person for a line; `None` where nobody can be asked, and at the end of the input.
    ///
    /// # Errors
    /// Standard input cannot be read.
    pub(crate) fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        if !self.can_ask() {
            return Ok(None);
        }
        self.question(question);
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line)?;
        Ok((read > 0).then_some(line))
    }

    /// As [`Ui::ask`], and nothing of what is typed is shown; `None` also where a terminal cannot do that.
    ///
    /// # Errors
    /// Standard input cannot be read, or the person wants no more.
    #[cfg(unix)]
    pub(crate) fn ask_hidden(&mut self, question: &str) -> io::Result<Option<String>> {
        if !self.can_ask() {
            return Ok(None);
        }
        // Before the question: who answers at once is not to see it either.
        let terminal = hidden::Hidden::begin()?;
        self.question(question);
        let line = terminal.line();
        // The key at its end was not shown either.
        self.err.write("\n");
        line
    }

    /// As [`Ui::ask`], and nothing of what is typed is shown: no terminal here can do that.
    #[cfg(not(unix))]
    pub(crate) fn ask_hidden(&mut self, _question: &str) -> io::Result<Option<String>> {
        Ok(None)
    }

    /// Puts a question, of which the last line is answered.
    fn question(&mut self, question: &str) {
        self.end_paging();
        let (before, last) = question.rsplit_once('\n').unwrap_or(("", question));
        let mut lines: Vec<Text> = before.lines().map(Text::plain).collect();
        let mut last = Text::plain(last).fitted(self.err.width);
        let answered = last.pop().unwrap_or_default();
        lines.extend(last);
        self.err.lines(&lines);
        // The space behind it, which folding takes away.
        let space = if question.ends_with(' ') && !answered.to_ansi().ends_with(' ') { " " } else { "" };
        self.err.write(&(answered.to_terminal() + space));
    }

    /// Writes out what is left, and returns why standard output could not be written to.
    ///
    /// A closed pipe is no failure: whoever read has seen enough.
    pub(crate) fn finish(&mut self) -> Option<io::Error> {
        self.end_paging();
        self.out.check(Ok(()));
        let flushed = self.out.inner.flush();
        self.out.check(flushed);
        self.out.failure.take()
    }

    fn labelled(&mut self, style: anstyle::Style, label: &str, message: &str) {
        let lines: Vec<Text> = message
            .lines()
            .enumerate()
            .map(|(index, line)| {
                let mut text = Text::default();
                if index == 0 {
                    text.push_styled(style, label);
                    text.push(": ");
                }
                text.push(line);
                text.hanging(MESSAGE_HANG)
            })
            .collect();
        self.say(&lines);
    }
}

impl<S> Stream<S>
where
    S: anstream::stream::RawStream + anstream::stream::AsLockedWrite,
{
    fn new(raw: S, choice: ColorChoice, width: Option<usize>, is_terminal: bool) -> Self {
        Self { inner: AutoStream::new(raw, choice), width, is_terminal, is_closed: false, failure: None }
    }

    /// All lines in one write: a long list is not a thousand system calls. What is wider than the terminal goes on in the next
    /// line where it reads well, and not where the terminal happens to end.
    fn lines(&mut self, lines: &[Text]) {
        let written = match (self.is_terminal, self.inner.current_choice()) {
            (true, _) => Text::to_terminal,
            (false, ColorChoice::Never) => Text::to_plain,
            (false, _) => Text::to_ansi,
        };
        let mut whole = String::new();
        for line in lines {
            if line.fits(self.width) {
                whole.push_str(&written(line));
                whole.push('\n');
                continue;
            }
            for line in line.fitted(self.width) {
                whole.push_str(&written(&line));
                whole.push('\n');
            }
        }
        self.write(&whole);
    }

    fn write(&mut self, text: &str) {
        if !self.is_closed && self.failure.is_none() {
            let result = self.inner.write_all(text.as_bytes()).and_then(|()| self.inner.flush());
            self.check(result);
        }
    }

    fn check(&mut self, result: io::Result<()>) {
        match result {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.is_closed = true,
            Err(error) => self.failure = Some(error),
        }
    }
}

/// Waits until nobody reads standard output any more, and ends the process: whoever read has seen enough.
#[cfg(unix)]
fn end_with_reader() {
    use rustix::event::{PollFd, PollFlags, poll};
    let out = io::stdout();
    // Nothing is asked for: an error of the other end is told all the same. Of a file there is none.
    let mut reader = [PollFd::new(&out, PollFlags::empty())];
    loop {
        match poll(&mut reader, None) {
            Ok(_) if reader[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) => std::process::exit(0),
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => return,
        }
    }
}

/// What the environment says of colours.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one variable of the environment, set or not")]
struct Environment {
    /// `NO_COLOR` is set and not empty.
    has_no_color: bool,
    /// `CLICOLOR_FORCE` is set and neither empty nor 0.
    has_clicolor_force: bool,
    /// `CLICOLOR` is 0.
    is_clicolor_off: bool,
    /// `TERM` is `dumb`.
    is_dumb: bool,
}

impl Environment {
    fn of_process() -> Self {
        let variable = |name| std::env::var_os(name).unwrap_or_default();
        let force = variable("CLICOLOR_FORCE");
        Self {
            has_no_color: !variable("NO_COLOR").is_empty(),
            has_clicolor_force: !force.is_empty() && force != "0",
            is_clicolor_off: variable("CLICOLOR") == "0",
            is_dumb: variable("TERM") == "dumb",
        }
    }
}

/// Decides about one stream. The flag beats the environment, and `NO_COLOR` beats `CLICOLOR_FORCE`.
fn choose(flag: ColorFlag, is_terminal: bool, environment: Environment) -> ColorChoice {
    let shown = match flag {
        ColorFlag::Always => true,
        ColorFlag::Never => false,
        ColorFlag::Auto if environment.has_no_color => false,
        ColorFlag::Auto if environment.has_clicolor_force => true,
        ColorFlag::Auto => is_terminal && !environment.is_dumb && !environment.is_clicolor_off,
    };
    if shown { ColorChoice::Always } else { ColorChoice::Never }
}

/// `COLUMNS` beats what the terminal says, as in `ls`; without either nothing is cut.
fn width(columns: Option<&str>, terminal: Option<usize>) -> Option<usize> {
    let typed = columns.and_then(|columns| columns.trim().parse().ok());
    typed.or(terminal).filter(|width| *width >= WIDTH_MIN)
}

#[cfg(unix)]
fn terminal_width(stream: &impl std::os::fd::AsFd) -> Option<usize> {
    rustix::termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

#[cfg(not(unix))]
fn terminal_width<S>(_stream: &S) -> Option<usize> {
    None
}

/// Escapes what JSON lets through and a terminal would obey; such characters stand only inside strings.
fn escape_json(json: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unsafe(c) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[track_caller]
    fn check(flag: ColorFlag, is_terminal: bool, variables: &[&str], expected: bool) {
        let has = |name| variables.contains(&name);
        let environment = Environment {
            has_no_color: has("NO_COLOR"),
            has_clicolor_force: has("CLICOLOR_FORCE"),
            is_clicolor_off: has("CLICOLOR=0"),
            is_dumb: has("TERM=dumb"),
        };
        let shown = choose(flag, is_terminal, environment) == ColorChoice::Always;
        assert_eq!(shown, expected, "{flag:?}, terminal: {is_terminal}, {variables:?}");
    }

    #[test]
    fn colours_are_for_terminals_that_want_them() {
        check(ColorFlag::Auto, true, &[], true);
        check(ColorFlag::Auto, false, &[], false);
        check(ColorFlag::Auto, true, &["NO_COLOR"], false);
        check(ColorFlag::Auto, true, &["TERM=dumb"], false);
        check(ColorFlag::Auto, true, &["CLICOLOR=0"], false);
        check(ColorFlag::Auto, false, &["CLICOLOR_FORCE"], true);
        check(ColorFlag::Auto, false, &["CLICOLOR_FORCE", "NO_COLOR"], false);
        check(ColorFlag::Auto, true, &["CLICOLOR_FORCE", "TERM=dumb"], true);
    }

    #[test]
    fn the_flag_beats_the_environment() {
        check(ColorFlag::Always, false, &["NO_COLOR", "TERM=dumb"], true);
        check(ColorFlag::Never, true, &["CLICOLOR_FORCE"], false);
    }

    #[test]
    fn the_width_is_what_columns_or_the_terminal_says() {
        assert_eq!(width(None, None), None);
        assert_eq!(width(None, Some(80)), Some(80));
        assert_eq!(width(Some("40"), Some(80)), Some(40));
        assert_eq!(width(Some("wide"), Some(80)), Some(80));
        assert_eq!(width(Some("0"), None), None);
    }

    #[test]
    fn json_holds_nothing_that_a_terminal_would_obey() {
        let value = serde_json::json!({ "title": "a\u{1b}[2J\u{9b}1m\u{202e}\u{7f}交" });
        let shown = escape_json(&value.to_string());
        assert!(!shown.chars().any(is_unsafe), "{shown:?}");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
    }
}
