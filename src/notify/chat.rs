//! How does a message read in a chat, and how is one that is too long for it said in several?
//!
//! Nothing is dropped: what does not fit into one part stands in the next. A part never ends within a cluster.

#[cfg(feature = "webhook")]
use unicode_segmentation::UnicodeSegmentation;

use crate::domain::message::Message;
use crate::notify::text;

/// Returns what is said in plain text: the title, further lines, the link, and what to type about it.
#[cfg(feature = "webhook")]
#[must_use]
pub(crate) fn plain(message: &Message) -> String {
    format!("{}\n{}", title(message), details(message))
}

/// Returns the title on one line.
#[must_use]
pub(crate) fn title(message: &Message) -> String {
    match text::line(&message.title) {
        title if title.is_empty() => format!("Reminder {}", message.number),
        title => title,
    }
}

/// Returns what is said beside the title: further lines, the link, and what to type about it.
#[must_use]
pub(crate) fn details(message: &Message) -> String {
    let mut lines = vec![text::lines(&message.body)];
    lines.extend(message.link.as_deref().map(text::line));
    lines.push(message.how());
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// Returns `text` in parts of at most `max` of what `measure` counts, such as bytes, each ending with a line where that
/// is possible and between two clusters otherwise. What is left out of a border is one line break at most.
///
/// What `measure` counts of a text must be the sum of what it counts of the text's pieces.
///
/// A cluster that alone is more than `max` is a part of its own, cut between two characters.
#[cfg(feature = "webhook")]
#[must_use]
pub(crate) fn parts(text: &str, max: usize, measure: fn(&str) -> usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text;
    while measure(rest) > max {
        let end = border(rest, max, measure);
        parts.push(rest[..end].to_owned());
        rest = &rest[end..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(rest.to_owned());
    }
    parts
}

/// Returns where the first part of a text ends that does not fit.
#[cfg(feature = "webhook")]
fn border(text: &str, max: usize, measure: fn(&str) -> usize) -> usize {
    // Piece by piece: to measure from the beginning each time takes seconds for a long text.
    let last_of = |ends: &mut dyn Iterator<Item = usize>| {
        let (mut last, mut used) = (0, 0);
        for end in ends {
            used += measure(&text[last..end]);
            if used > max {
                break;
            }
            last = end;
        }
        (last > 0).then_some(last)
    };
    let line = last_of(&mut text.match_indices('\n').map(|(at, _)| at));
    // A line that ends early would leave most of the part empty.
    let line = line.filter(|end| measure(&text[..*end]) * 2 >= max);
    let cluster = || last_of(&mut text.grapheme_indices(true).map(|(start, cluster)| start + cluster.len()));
    let character = || last_of(&mut text.char_indices().map(|(start, c)| start + c.len_utf8()));
    let one = text.chars().next().map_or(0, char::len_utf8);
    line.or_else(cluster).or_else(character).unwrap_or(one)
}

#[cfg(all(test, feature = "webhook"))]
mod tests {
    use super::*;

    use proptest::prelude::*;

    use crate::domain::task::{Number, Priority};

    #[test]
    fn a_message_is_lines_of_plain_text() {
        let message = Message {
            number: Number(12),
            title: "Tom & Jerry\u{1b}[31m <3".to_owned(),
            body: "due 16:00\n交房租".to_owned(),
            priority: Priority::Normal,
            link: Some("https://example.org/?a=1&b=2".to_owned()),
        };
        let expected = "Tom & Jerry [31m <3\ndue 16:00\n交房租\nhttps://example.org/?a=1&b=2\nkeiko done 12";
        assert_eq!(plain(&message), expected);
        let empty = Message { title: "\n".to_owned(), body: String::new(), link: None, ..message };
        assert_eq!(plain(&empty), "Reminder 12\nkeiko done 12");
    }

    #[test]
    fn a_part_ends_with_a_line_where_that_fills_it() {
        assert_eq!(parts("short", 10, str::len), ["short"]);
        assert_eq!(parts("", 10, str::len), [""]);
        assert_eq!(parts("one two\nthree", 10, str::len), ["one two", "three"]);
        assert_eq!(parts("a\nlonger line", 10, str::len), ["a\nlonger l", "ine"]);
        assert_eq!(parts("交房租了", 7, str::len), ["交房", "租了"]);
        assert_eq!(parts("a👨‍👩‍👧b", 18, str::len), ["a", "👨‍👩‍👧", "b"]);
    }

    proptest! {
        #[test]
        fn nothing_is_dropped_and_every_part_fits(text in "[a-z 交👨\u{200d}👩e\u{301}\n]{0,200}", max in 4_usize..40) {
            let parts = parts(&text, max, str::len);
            prop_assert!(parts.iter().all(|part| part.len() <= max));
            prop_assert_eq!(parts.concat().replace('\n', ""), text.replace('\n', ""));
        }
    }
}
