//! What does a popup say? Turns a message into a notification that any server shows whole.
//!
//! It never sends anything, and never leaves a server something to interpret that a person wrote.

use notify_rust::{Hint, Notification, Timeout, Urgency};

use crate::domain::message::{Message, Reason};
use crate::domain::task::Priority;
use crate::notify::text;

/// The name that the server groups popups by.
const APP_NAME: &str = "keiko";

/// An icon of every complete theme (freedesktop.org icon naming specification).
const ICON: &str = "appointment-soon";

/// Categories, by which a person can tell a server what to do with popups: the Desktop Notifications Specification has
/// none for reminders, and gives programs names of their own in this form.
const REMINDER: &str = "x-keiko.reminder";
const DIGEST: &str = "x-keiko.digest";
const NOTICE: &str = "x-keiko.notice";

/// What a screen shows of a title on one line. Some servers (MATE's) break no heading into lines: a longer one makes their
/// popup wider than the screen, and nothing of it is seen. The whole title then stands above the text, which all break.
const SUMMARY_BYTES_MAX: usize = 90;

/// What a screen shows of a text, in bytes and in lines: a popup that is higher than the screen has its buttons below it.
const BODY_BYTES_MAX: usize = 2000;
const BODY_LINES_MAX: usize = 24;

/// How long it is said that a button did nothing: a sentence is read in that time.
const REFUSED_MILLIS: u32 = 8000;

/// What a notification server says of itself, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BodyText {
    /// The body is shown as it is.
    Plain,
    /// The body is read as markup, so `&`, `<` and `>` are escaped.
    Markup,
}

impl BodyText {
    /// Returns how a server with these capabilities reads the body.
    pub(super) fn of_capabilities(capabilities: &[String]) -> Self {
        if capabilities.iter().any(|capability| capability == "body-markup") { Self::Markup } else { Self::Plain }
    }
}

/// What a popup sounds like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sound {
    /// As its priority says.
    Usual,
    /// Not at all: it was heard before.
    None,
}

/// Composes the popup of `message`, which is said for `reason`. It has no buttons yet.
///
/// What matters stays until the person or [`crate::notify::Channel::withdraw`] closes it.
pub(super) fn compose(message: &Message, reason: Reason, body_text: BodyText, sound: Sound) -> Notification {
    let mut popup = Notification::new();
    popup
        .appname(APP_NAME)
        .icon(ICON)
        .summary(&summary(message))
        .body(&body(message, body_text))
        .hint(Hint::Category(category(reason).to_owned()))
        .timeout(match message.priority {
            // As the person has set it up; that it went says nothing.
            Priority::Low => Timeout::Default,
            // A reminder waits for the person, so it does not expire.
            Priority::Normal | Priority::High => Timeout::Never,
        })
        .urgency(match message.priority {
            Priority::Low => Urgency::Low,
            Priority::Normal => Urgency::Normal,
            Priority::High => Urgency::Critical,
        });
    let is_quiet = match (sound, message.priority) {
        (Sound::None, _) | (Sound::Usual, Priority::Low) => true,
        (Sound::Usual, Priority::Normal | Priority::High) => false,
    };
    if is_quiet {
        popup.hint(Hint::SuppressSound(true));
    }
    popup
}

/// Composes the popup that says why a button did nothing. It goes by itself, and no server keeps it.
pub(super) fn refused(why: &str, body_text: BodyText) -> Notification {
    let plain = text::cut(&first_lines(&text::lines(why)), BODY_BYTES_MAX);
    let body = match body_text {
        BodyText::Plain => plain,
        BodyText::Markup => escape(&plain),
    };
    let mut popup = Notification::new();
    popup
        .appname(APP_NAME)
        .icon(ICON)
        .summary("The button did nothing")
        .body(&body)
        .hint(Hint::Category(NOTICE.to_owned()))
        .hint(Hint::Transient(true))
        .hint(Hint::SuppressSound(true))
        .urgency(Urgency::Normal)
        .timeout(Timeout::Milliseconds(REFUSED_MILLIS));
    popup
}

const fn category(reason: Reason) -> &'static str {
    match reason {
        Reason::Alert | Reason::Snooze | Reason::Pause | Reason::Trial => REMINDER,
        Reason::Digest => DIGEST,
        Reason::TargetFails | Reason::Blocked | Reason::Skipped | Reason::CommandFailed => NOTICE,
    }
}

/// The summary is plain text to every server (Desktop Notifications Specification), so nothing is escaped.
fn summary(message: &Message) -> String {
    let title = text::cut(&text::line(&message.title), SUMMARY_BYTES_MAX);
    if title.is_empty() { format!("Reminder {}", message.number) } else { title }
}

fn body(message: &Message, body_text: BodyText) -> String {
    let title = text::line(&message.title);
    let mut lines = Vec::new();
    if title.len() > SUMMARY_BYTES_MAX {
        lines.push(text::cut(&title, BODY_BYTES_MAX));
    }
    lines.push(text::cut(&first_lines(&text::lines(&message.body)), BODY_BYTES_MAX));
    lines.extend(message.link.as_deref().map(|link| text::cut(&text::line(link), BODY_BYTES_MAX)));
    lines.push(message.how());
    lines.retain(|line| !line.is_empty());
    let plain = lines.join("\n");
    match body_text {
        BodyText::Plain => plain,
        BodyText::Markup => escape(&plain),
    }
}

/// Returns `text` cut to as many lines as a screen shows, with `…` where something is missing.
fn first_lines(text: &str) -> String {
    match text.match_indices('\n').nth(BODY_LINES_MAX - 1) {
        Some((end, _)) => format!("{}\n…", &text[..end]),
        None => text.to_owned(),
    }
}

fn escape(plain: &str) -> String {
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::domain::task::Number;

    fn message(title: &str, body: &str) -> Message {
        let (title, body) = (title.to_owned(), body.to_owned());
        Message { number: Number(12), title, body, priority: Priority::Normal, link: None }
    }

    #[test]
    fn only_a_body_that_is_read_as_markup_is_escaped() {
        let message = message(r#"Tom & Jerry <3 "x" </b> &amp;"#, "a & b <i>c</i> &lt;");
        let plain = compose(&message, Reason::Alert, BodyText::Plain, Sound::Usual);
        assert_eq!(plain.summary, r#"Tom & Jerry <3 "x" </b> &amp;"#);
        assert_eq!(plain.body, "a & b <i>c</i> &lt;\nkeiko done 12");
        let markup = compose(&message, Reason::Alert, BodyText::Markup, Sound::Usual);
        assert_eq!(markup.summary, plain.summary);
        assert_eq!(markup.body, "a &amp; b &lt;i&gt;c&lt;/i&gt; &amp;lt;\nkeiko done 12");
    }

    #[test]
    fn a_popup_is_never_empty() {
        let popup = compose(&message("\u{1b}\u{7}", "\n"), Reason::Alert, BodyText::Markup, Sound::Usual);
        assert_eq!((popup.summary.as_str(), popup.body.as_str()), ("Reminder 12", "keiko done 12"));
    }

    #[test]
    fn control_characters_are_gone_and_lines_are_kept() {
        let popup =
            compose(&message("a\nb\u{202e}c", "one\u{1b}[2J\ntwo\0"), Reason::Alert, BodyText::Plain, Sound::Usual);
        assert_eq!((popup.summary.as_str(), popup.body.as_str()), ("a b c", "one [2J\ntwo\nkeiko done 12"));
    }

    #[test]
    fn a_popup_waits_for_the_person_unless_it_matters_little_and_its_urgency_follows_the_priority() {
        for (priority, urgency, timeout) in [
            (Priority::Low, Urgency::Low, Timeout::Default),
            (Priority::Normal, Urgency::Normal, Timeout::Never),
            (Priority::High, Urgency::Critical, Timeout::Never),
        ] {
            let popup =
                compose(&Message { priority, ..message("t", "") }, Reason::Alert, BodyText::Plain, Sound::Usual);
            assert_eq!(popup.timeout, timeout);
            assert!(popup.hints.contains(&Hint::Urgency(urgency)));
            assert_eq!(popup.hints.contains(&Hint::SuppressSound(true)), priority == Priority::Low);
        }
    }

    #[test]
    fn a_long_text_is_cut_before_it_is_escaped() {
        let popup =
            compose(&message(&"交".repeat(1000), &"&".repeat(10_000)), Reason::Alert, BodyText::Markup, Sound::Usual);
        assert!(popup.summary.len() <= SUMMARY_BYTES_MAX && popup.summary.ends_with('…'));
        assert!(popup.body.starts_with("交交") && popup.body.contains("…\n&amp;"), "the title stands above the text");
        assert!(popup.body.ends_with("&amp;…\nkeiko done 12"));
    }

    #[test]
    fn a_heading_that_is_too_long_for_a_line_stands_whole_above_the_text() {
        let title = "交".repeat(100);
        let popup = compose(&message(&title, "due 16:00"), Reason::Alert, BodyText::Plain, Sound::Usual);
        assert_eq!(popup.summary, format!("{}…", "交".repeat(29)));
        assert_eq!(popup.body, format!("{title}\ndue 16:00\nkeiko done 12"));
    }

    #[test]
    fn more_lines_than_a_screen_has_are_cut() {
        let notes = |lines: usize| vec!["a"; lines].join("\n");
        let body = |lines| compose(&message("t", &notes(lines)), Reason::Alert, BodyText::Plain, Sound::Usual).body;
        assert_eq!(body(BODY_LINES_MAX), format!("{}\nkeiko done 12", notes(BODY_LINES_MAX)));
        assert_eq!(body(1000), format!("{}\n…\nkeiko done 12", notes(BODY_LINES_MAX)));
    }

    #[test]
    fn a_link_stands_on_a_line_of_its_own() {
        let link = Some("https://example.org/?a=1&b=2".to_owned());
        let popup =
            compose(&Message { link, ..message("t", "due 16:00") }, Reason::Alert, BodyText::Markup, Sound::Usual);
        assert_eq!(popup.body, "due 16:00\nhttps://example.org/?a=1&amp;b=2\nkeiko done 12");
    }

    #[test]
    fn a_server_can_tell_reminders_from_digests_and_notices() {
        let category = |reason| compose(&message("t", ""), reason, BodyText::Plain, Sound::Usual).hints;
        for (reason, name) in [(Reason::Snooze, REMINDER), (Reason::Digest, DIGEST), (Reason::Blocked, NOTICE)] {
            assert!(category(reason).contains(&Hint::Category(name.to_owned())), "{name}");
        }
    }
}
