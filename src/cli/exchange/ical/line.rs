//! What does a file of iCalendar hold, as components with their properties? And how is a property written so that others read it?

use std::fmt::Write as _;

/// The longest that a line may be, in octets, its end not counted (RFC 5545 §3.1).
const LINE_BYTES_MAX: usize = 75;

/// How a line is folded.
const FOLDS: [&[u8]; 4] = [b"\r\n ", b"\r\n\t", b"\n ", b"\n\t"];

/// How deep components may lie within each other: three levels are usual.
const DEPTH_MAX: usize = 16;

/// The most properties of one component, so that none grows without bound.
const PROPERTIES_MAX: usize = 10_000;

/// A property: `DUE;TZID=Europe/Berlin:20261213T090000`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Property {
    /// Its name, in upper case.
    pub(super) name: String,
    /// Its parameters, their names in upper case, without quotes.
    pub(super) parameters: Vec<(String, String)>,
    /// Its value, as it stands.
    pub(super) value: String,
}

/// A component, with those within it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Component {
    /// Its name, in upper case.
    pub(super) name: String,
    /// The line that it begins at, from 1.
    pub(super) line: usize,
    /// Its properties, in order.
    pub(super) properties: Vec<Property>,
    /// Those within it.
    pub(super) within: Vec<Component>,
    /// Why it cannot be used, where that showed on reading.
    pub(super) fault: Option<String>,
}

impl Property {
    /// Returns a parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns its value as text (RFC 5545 §3.3.11).
    pub(super) fn text(&self) -> String {
        unescaped(&self.value)
    }

    fn read(line: &str) -> Option<Self> {
        let mut quoted = false;
        let ends = line.find(|letter| {
            quoted ^= letter == '"';
            !quoted && letter == ':'
        })?;
        let (head, value) = (&line[..ends], &line[ends + 1..]);
        let mut parts = Vec::new();
        let (mut quoted, mut from) = (false, 0);
        for (at, letter) in head.char_indices() {
            quoted ^= letter == '"';
            if letter == ';' && !quoted {
                parts.push(&head[from..at]);
                from = at + 1;
            }
        }
        parts.push(&head[from..]);
        let name = parts.first()?.trim().to_ascii_uppercase();
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let parameters = parts[1..].iter().filter_map(|part| part.split_once('='));
        let parameters = parameters.map(|(name, value)| (name.trim().to_ascii_uppercase(), value.replace('"', "")));
        is_name.then(|| Self { name, parameters: parameters.collect(), value: value.to_owned() })
    }
}

impl Component {
    fn begin(name: &str, line: usize) -> Self {
        let name = name.trim().to_ascii_uppercase();
        Self { name, line, properties: Vec::new(), within: Vec::new(), fault: None }
    }

    /// Returns a property.
    pub(super) fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// Returns all properties of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Property> {
        self.properties.iter().filter(move |property| property.name == name)
    }

    fn blame(&mut self, line: usize, why: &str) {
        self.fault.get_or_insert_with(|| format!("line {line}: {why}"));
    }
}

/// Reads the components that stand at the top of calendars, such as to-dos and zones. What is no line of iCalendar is the fault
/// of the component that it stands in.
pub(super) fn components(text: &str) -> Vec<Component> {
    let mut open: Vec<Component> = Vec::new();
    let mut found = Vec::new();
    let mut skipped_depth = 0_usize;
    for (number, line) in unfolded(text.strip_prefix('\u{feff}').unwrap_or(text)) {
        if line.trim().is_empty() {
            continue;
        }
        let property = Property::read(&line);
        match property {
            Some(property) if property.name == "BEGIN" => {
                if open.len() >= DEPTH_MAX {
                    skipped_depth += 1;
                    if let Some(outer) = open.last_mut() {
                        outer.blame(number, "components lie too deep within each other");
                    }
                } else {
                    open.push(Component::begin(&property.value, number));
                }
            }
            Some(property) if property.name == "END" => {
                if skipped_depth > 0 {
                    skipped_depth -= 1;
                } else {
                    close(&mut open, &mut found, number, &property.value);
                }
            }
            _ if skipped_depth > 0 => {}
            read => {
                let Some(inner) = open.last_mut() else { continue };
                match read {
                    _ if line.contains(char::REPLACEMENT_CHARACTER) => {
                        inner.blame(number, "it holds bytes that are no UTF-8");
                    }
                    _ if inner.properties.len() >= PROPERTIES_MAX => inner.blame(number, "it has too many lines"),
                    Some(property) => inner.properties.push(property),
                    None => inner.blame(number, "expected NAME:VALUE"),
                }
            }
        }
    }
    // What is not closed is cut off.
    while let Some(mut cut) = open.pop() {
        if cut.name != "VCALENDAR" {
            let line = cut.line;
            cut.blame(line, "the file ends within it");
        }
        put(&mut open, &mut found, cut);
    }
    found
}

fn close(open: &mut Vec<Component>, found: &mut Vec<Component>, number: usize, name: &str) {
    let name = name.trim().to_ascii_uppercase();
    if !open.iter().any(|component| component.name == name) {
        if let Some(inner) = open.last_mut() {
            inner.blame(number, "it ends what has not begun");
        }
        return;
    }
    while let Some(mut component) = open.pop() {
        let is_it = component.name == name;
        if !is_it {
            component.blame(number, "its end is missing");
        }
        put(open, found, component);
        if is_it {
            break;
        }
    }
}

/// Puts a component into the one around it; those of a calendar stand for themselves.
fn put(open: &mut [Component], found: &mut Vec<Component>, component: Component) {
    match open.last_mut() {
        Some(outer) if outer.name != "VCALENDAR" => {
            if let Some(fault) = &component.fault {
                outer.fault.get_or_insert_with(|| fault.clone());
            }
            outer.within.push(component);
        }
        Some(_) | None if component.name == "VCALENDAR" => {}
        Some(_) | None => found.push(component),
    }
}

/// Returns a file as text. A fold may stand within a character (RFC 5545 §3.1): there it is put before it, so that each line is
/// one of text and all keep their numbers. Bytes that are no UTF-8 are replaced, so that what holds them is refused by itself.
pub(crate) fn decoded(bytes: &[u8]) -> String {
    let mut whole: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, behind)) = rest.split_first() {
        let fold = FOLDS.iter().find(|fold| rest.starts_with(fold)).filter(|fold| {
            // A byte that goes on with a character.
            rest.get(fold.len()).is_some_and(|next| next & 0xC0 == 0x80)
        });
        if let Some(fold) = fold {
            let cut = begun(&whole);
            let begun = whole.split_off(whole.len() - cut);
            whole.extend_from_slice(fold);
            whole.extend(begun);
            rest = &rest[fold.len()..];
        } else {
            whole.push(byte);
            rest = behind;
        }
    }
    String::from_utf8_lossy(&whole).into_owned()
}

/// Returns how many bytes at the end belong to a character that goes on.
fn begun(bytes: &[u8]) -> usize {
    let inner = bytes.iter().rev().take(2).take_while(|byte| **byte & 0xC0 == 0x80).count();
    let is_lead = bytes.len().checked_sub(inner + 1).is_some_and(|at| bytes[at] >= 0xC0);
    if is_lead { inner + 1 } else { 0 }
}

/// Returns the lines with what was folded put together again, each with the number of its first.
fn unfolded(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).enumerate().peekable();
    std::iter::from_fn(move || {
        let (index, line) = lines.next()?;
        let mut whole = line.to_owned();
        while let Some((_, next)) = lines.next_if(|(_, next)| next.starts_with([' ', '\t'])) {
            whole.push_str(&next[1..]);
        }
        Some((index + 1, whole))
    })
}

fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n' | 'N') => text.push('\n'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            letter => text.push(letter),
        }
    }
    text
}

/// Returns the values of a list of texts, such as CATEGORIES.
pub(super) fn listed(value: &str) -> Vec<String> {
    let (mut parts, mut part, mut letters) = (Vec::new(), String::new(), value.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                part.push('\\');
                part.extend(letters.next());
            }
            ',' => parts.push(std::mem::take(&mut part)),
            letter => part.push(letter),
        }
    }
    parts.push(part);
    parts.iter().map(|part| unescaped(part).trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Returns a text as a value.
pub(super) fn escaped(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => value.push_str("\\\\"),
            ';' => value.push_str("\\;"),
            ',' => value.push_str("\\,"),
            '\n' => value.push_str("\\n"),
            // No other control character may stand in a text.
            letter if letter.is_control() && letter != '\t' => {}
            letter => value.push(letter),
        }
    }
    value
}

/// Writes a property, folded so that no line has more than 75 octets and no character is cut.
pub(super) fn push(out: &mut String, name: &str, value: &str) {
    let mut line = String::with_capacity(name.len() + value.len() + 1);
    let _ = write!(line, "{name}:{value}");
    let mut room = LINE_BYTES_MAX;
    for letter in line.chars() {
        if letter.len_utf8() > room {
            out.push_str("\r\n ");
            room = LINE_BYTES_MAX - 1;
        }
        out.push(letter);
        room -= letter.len_utf8();
    }
    out.push_str("\r\n");
}
