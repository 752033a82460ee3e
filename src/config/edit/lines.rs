//! In which lines of the configuration does a key stand, or would it? So that all other lines stay, byte for byte.
//!
//! Never decides whether a value is good, and answers nothing where a key shares its lines with others.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::file::without_mark;
use crate::config::place::{Place, Table};

/// Returns the text in which a key says something else; `None` where its lines do not tell how.
///
/// A key that is there keeps its place. Another one comes behind the comment that shows it, else behind the others of its table,
/// else behind what is said at the top. A table that is not there comes last.
pub(super) fn with(text: &str, place: &Place, value: &str) -> Option<String> {
    let plain = without_mark(text);
    let mark = &text[..text.len() - plain.len()];
    let parsed = DeTable::parse(plain).ok()?;
    let document = parsed.get_ref();
    if let Some((_, at)) = span_of(document, place) {
        return Some(format!("{mark}{}{value}{}", &plain[..at.start], &plain[at.end..]));
    }
    if place.within.is_some() {
        return None;
    }
    let end = line_end(plain);
    let line = format!("{} = {value}{end}", place.name);
    let (at, line) = match &place.table {
        Table::One(name) if !document.contains_key(*name) => {
            let is_apart = plain.is_empty() || plain.ends_with("\n\n") || plain.ends_with("\n\r\n");
            (plain.len(), format!("{}[{name}]{end}{line}", if is_apart { "" } else { end }))
        }
        Table::Top | Table::One(_) | Table::Named(..) | Table::Nth(..) => (spot(plain, document, place)?, line),
    };
    let before = &plain[..at];
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { end };
    Some(format!("{mark}{before}{gap}{line}{}", &plain[at..]))
}

/// Returns the text without the lines of a key, and without the header of a table that is then empty; `None` where other things
/// stand in those lines too.
pub(super) fn without(text: &str, place: &Place) -> Option<String> {
    let plain = without_mark(text);
    let mark = &text[..text.len() - plain.len()];
    let document = DeTable::parse(plain).ok()?;
    let (key, value) = span_of(document.get_ref(), place)?;
    let (start, end) = (line_start(plain, key), next_line(plain, value.end));
    let before = plain[start..key].chars().all(|c| c.is_alphanumeric() || " \t-_.\"'".contains(c));
    let behind = plain[value.end..end].trim();
    let left = (before && (behind.is_empty() || behind.starts_with('#')))
        .then(|| format!("{}{}", &plain[..start], &plain[end..]))?;
    Some(format!("{mark}{}", without_header(&left, &place.table).unwrap_or(left)))
}

/// Returns a text that was written anew with the line ends of the one before, and with its mark.
pub(super) fn as_it_was(before: &str, after: String) -> String {
    let plain = without_mark(before);
    let mark = &before[..before.len() - plain.len()];
    let after = if line_end(plain) == "\n" { after } else { after.replace("\r\n", "\n").replace('\n', "\r\n") };
    format!("{mark}{after}")
}

/// Returns where the line of a key goes that is not there.
fn spot(text: &str, document: &DeTable<'_>, place: &Place) -> Option<usize> {
    let leaves = leaves(text, document);
    let region = region(text, document, &leaves, &place.table)?;
    if let Some(at) = shown_at(text, &leaves, &region, &place.name) {
        return Some(at);
    }
    let last = leaves.iter().filter(|leaf| region.contains(&leaf.start)).map(|leaf| leaf.end).max();
    Some(match (last, &place.table) {
        (Some(last), _) => next_line(text, last),
        (None, Table::Top) => behind_head(text),
        (None, Table::One(_) | Table::Named(..) | Table::Nth(..)) => region.start,
    })
}

/// Returns where the lines of a table begin and end, its header not among them; `None` where it has no header.
fn region(text: &str, document: &DeTable<'_>, leaves: &[Range<usize>], table: &Table) -> Option<Range<usize>> {
    let is_header = |at: &usize| {
        text[*at..].trim_start_matches([' ', '\t']).starts_with('[') && !leaves.iter().any(|leaf| leaf.contains(at))
    };
    let mut headers = lines(text, 0..text.len()).filter(is_header);
    let start = match table {
        Table::Top => 0,
        Table::One(_) | Table::Named(..) | Table::Nth(..) => {
            let at = table_of(document, table)?.span().start;
            let header = line_start(text, at);
            headers.find(|found| *found == header)?;
            next_line(text, at)
        }
    };
    Some(start..headers.next().unwrap_or(text.len()))
}

/// Returns where the line ends that shows a key in a comment, as in the default file: `#grace_s = 30`.
fn shown_at(text: &str, leaves: &[Range<usize>], region: &Range<usize>, name: &str) -> Option<usize> {
    for at in lines(text, region.clone()).filter(|at| !leaves.iter().any(|leaf| leaf.contains(at))) {
        let next = next_line(text, at);
        let Some(said) = text[at..next].trim().strip_prefix('#').map(str::trim) else { continue };
        // What follows belongs to a table that is shown in comments too.
        if said.starts_with('[') && said.ends_with(']') {
            return None;
        }
        let is_it = said.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='));
        if is_it && DeTable::parse(said).is_ok() {
            return Some(next);
        }
    }
    None
}

/// Returns where the comment ends that the file begins with.
fn behind_head(text: &str) -> usize {
    let line = |at: usize| text[at..next_line(text, at)].trim();
    let mut at = lines(text, 0..text.len()).find(|at| !line(*at).is_empty()).unwrap_or(0);
    while line(at).starts_with('#') {
        at = next_line(text, at);
    }
    at
}

/// Returns the text without the header of a table in which nothing stands any more; `None` where something does.
fn without_header(text: &str, table: &Table) -> Option<String> {
    let Table::One(name) = table else { return None };
    let document = DeTable::parse(text).ok()?;
    let document = document.get_ref();
    let region = region(text, document, &leaves(text, document), table)?;
    let header = line_start(text, region.start.checked_sub(1)?);
    let is_bare = text[header..region.start].trim() == format!("[{name}]") && text[region.clone()].trim().is_empty();
    let before = &text[..header];
    // The empty line that set it apart goes as well, where nothing follows.
    let apart =
        ["\r\n\r\n", "\n\n"].into_iter().find(|apart| before.ends_with(apart)).map_or(0, |apart| apart.len() / 2);
    let before = if region.end == text.len() { &before[..before.len() - apart] } else { before };
    is_bare.then(|| format!("{before}{}", &text[region.end..]))
}

/// Returns where a key begins, and where its value stands.
fn span_of(document: &DeTable<'_>, place: &Place) -> Option<(usize, Range<usize>)> {
    let table = match &place.table {
        Table::Top => document,
        Table::One(_) | Table::Named(..) | Table::Nth(..) => table_of(document, &place.table)?.get_ref().as_table()?,
    };
    let (key, value) = table.get_key_value(place.name.as_str())?;
    let (key, value) = match &place.within {
        None => (key, value),
        Some(within) => value.get_ref().as_table()?.get_key_value(within.as_str())?,
    };
    Some((key.span().start, value.span()))
}

fn table_of<'a, 'i>(document: &'a DeTable<'i>, table: &Table) -> Option<&'a Spanned<DeValue<'i>>> {
    match table {
        Table::Top => None,
        Table::One(name) => document.get(*name),
        Table::Named(kind, name) => document.get(*kind)?.get_ref().as_table()?.get(name.as_str()),
        Table::Nth(name, index) => document.get(*name)?.get_ref().as_array()?.get(*index),
    }
}

/// Returns where values stand that are no tables with headers or dotted keys.
fn leaves(text: &str, document: &DeTable<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for value in document.values() {
        gather(text, value, &mut found);
    }
    found
}

fn gather(text: &str, value: &Spanned<DeValue<'_>>, found: &mut Vec<Range<usize>>) {
    let is_open = |value: &Spanned<DeValue<'_>>| {
        value.get_ref().is_table() && !text.get(value.span()).unwrap_or_default().starts_with('{')
    };
    match value.get_ref() {
        DeValue::Table(table) if is_open(value) => {
            for inner in table.values() {
                gather(text, inner, found);
            }
        }
        DeValue::Array(tables) if tables.iter().next().is_some_and(is_open) => {
            for table in tables {
                gather(text, table, found);
            }
        }
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => found.push(value.span()),
    }
}

/// Returns where each line begins in a part of the text, which begins with a line.
fn lines(text: &str, part: Range<usize>) -> impl Iterator<Item = usize> + '_ {
    let mut at = part.start;
    std::iter::from_fn(move || {
        let line = at;
        at = next_line(text, at);
        (line < part.end).then_some(line)
    })
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Returns how most lines end.
fn line_end(text: &str) -> &'static str {
    if text.matches("\r\n").count() * 2 > text.matches('\n').count() { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::default_file;
    use crate::config::edit::ConfigFile;

    /// Sets a key in a file and takes it out again, which must leave what there was; returns the text between.
    #[track_caller]
    fn set(before: &str, key: &str, typed: &str) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            ConfigFile::read_to_mend(&path).unwrap()
        };
        let place = Place::parse(key).unwrap();
        let after = read(before).with_value(&place, typed).unwrap();
        let again = read(&after).without_value(&place).unwrap();
        let whole = if before.is_empty() || before.ends_with('\n') { before.to_owned() } else { format!("{before}\n") };
        assert_eq!(again, whole, "after {after:?}");
        after
    }

    #[test]
    fn what_the_file_begins_with_stays_there() {
        assert_eq!(set("# header\n", "grace_s", "60"), "# header\ngrace_s = 60\n");
        assert_eq!(set("# header", "grace_s", "60"), "# header\ngrace_s = 60\n");
        assert_eq!(set("", "grace_s", "60"), "grace_s = 60\n");
        assert_eq!(
            set("# a\n# b\n\n# of the log\n[log]\n", "grace_s", "60"),
            "# a\n# b\ngrace_s = 60\n\n# of the log\n[log]\n"
        );
        let with = set("# header\n", "quiet.hours", "22:00-07:00");
        assert_eq!(with, "# header\n\n[quiet]\nhours = [\"22:00-07:00\"]\n");
        assert_eq!(
            set("[log]\n# loud\nlevel = 'info'\n", "log.format", "json").lines().last(),
            Some("format = \"json\"")
        );
    }

    #[test]
    fn a_key_goes_where_a_comment_shows_it() {
        let default = default_file::text();
        for (key, typed, shown) in [
            ("grace_s", "60", "#grace_s = 30"),
            ("quiet.hours", "22:00-07:00", "#hours = "),
            ("day_parts.night", "22:30", "#night = "),
        ] {
            let after = set(&default, key, typed);
            let lines: Vec<&str> = after.lines().collect();
            let name = key.rsplit('.').next().unwrap();
            let at = lines.iter().position(|line| line.starts_with(&format!("{name} = "))).unwrap();
            assert!(lines[at - 1].starts_with(shown), "{} above {}", lines[at - 1], lines[at]);
        }
        assert_eq!(
            set("# grace_s = soon, I think\ndialect = 'uk'\n", "grace_s", "60").lines().last(),
            Some("grace_s = 60")
        );
        assert_eq!(set("# grace_s = 5\ndialect = 'uk'\n", "grace_s", "60").lines().nth(1), Some("grace_s = 60"));
    }

    #[test]
    fn line_ends_and_the_mark_stay() {
        let before = "\u{feff}# mine\r\ngrace_s = 30 # soon\r\n\r\n[log]\r\nlevel = 'info'\r\n";
        assert_eq!(set(before, "dialect", "uk"), before.replace("soon\r\n", "soon\r\ndialect = \"uk\"\r\n"));
        assert_eq!(
            set(before, "quiet.hours", "22:00-07:00"),
            format!("{before}\r\n[quiet]\r\nhours = [\"22:00-07:00\"]\r\n")
        );
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        let hook = "\u{feff}[webhooks.ops]\r\nurl = 'https://x'\r\nheaders = { A = 'a' }\r\n";
        fs::write(&path, hook).unwrap();
        let file = ConfigFile::read_to_mend(&path).unwrap();
        let after = file.with_value(&Place::parse("webhooks.ops.url_env").unwrap(), "OPS").unwrap();
        assert!(
            after.starts_with('\u{feff}') && after.matches("\r\n").count() == after.matches('\n').count(),
            "{after:?}"
        );
        fs::write(&path, before).unwrap();
        let file = ConfigFile::read_to_mend(&path).unwrap();
        let after = file.with_value(&Place::parse("grace_s").unwrap(), "60").unwrap();
        assert_eq!(after, before.replace("30", "60"));
    }

    #[test]
    fn a_list_of_lists_is_no_header() {
        let before = "channels = [\n'desktop',\n]\n[log]\nlevel = 'info'\n";
        assert_eq!(set(before, "dialect", "uk"), before.replace("]\n[log]", "]\ndialect = \"uk\"\n[log]"));
    }
}
