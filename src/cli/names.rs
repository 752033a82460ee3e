//! Which tasks somebody means who typed `3 5-7`, `01934f2a` or `pay rent`.
//!
//! Only splits and expands: the daemon knows which tasks there are.

use crate::domain::name::TaskName;
use crate::domain::task::Number;

/// How many tasks one range may name: a slip of the finger is not to ask for a million.
const RANGE_MAX: u64 = 1000;

/// Why a list of names cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NameError {
    /// The range ends before it begins.
    #[error("cannot read the range {first}-{last}: it ends before it begins")]
    Backwards {
        /// Its first number.
        first: u64,
        /// Its last number.
        last: u64,
    },
    /// The range is too long.
    #[error("cannot take the range {first}-{last}: expected at most {RANGE_MAX} tasks")]
    TooLong {
        /// Its first number.
        first: u64,
        /// Its last number.
        last: u64,
    },
}

/// Returns the names in what was typed, each once, in the order typed.
///
/// Numbers, ranges and id prefixes stand for themselves, with commas or spaces between; so does an argument with a
/// space in it. Other words that follow each other are one name.
///
/// # Errors
/// A range is backwards or too long.
pub(crate) fn names(arguments: &[String]) -> Result<Vec<String>, NameError> {
    let mut names: Vec<String> = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    for argument in arguments {
        let expanded = expand(argument)?;
        let stands_alone = !expanded.is_empty() || argument.trim().contains(char::is_whitespace);
        if stands_alone && !words.is_empty() {
            names.push(std::mem::take(&mut words).join(" "));
        }
        if !expanded.is_empty() {
            names.extend(expanded);
        } else if stands_alone {
            names.push(argument.clone());
        } else {
            words.push(argument);
        }
    }
    if !words.is_empty() {
        names.push(words.join(" "));
    }
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    Ok(names)
}

/// Returns whether `argument` names tasks by number, range or id, and not by words.
pub(crate) fn is_exact(argument: &str) -> bool {
    expand(argument).map_or(true, |names| !names.is_empty())
}

/// Returns whether one of the arguments is a range: the only way to name more tasks than one has typed.
pub(crate) fn has_range(arguments: &[String]) -> bool {
    let pieces = |argument: &String| argument.split([',', '，', '、']).any(|piece| range(piece).is_some());
    arguments.iter().any(pieces)
}

/// Returns the names in one argument; none where it is words.
fn expand(argument: &str) -> Result<Vec<String>, NameError> {
    let mut names = Vec::new();
    for piece in argument.split([',', '，', '、']).filter(|piece| !piece.is_empty()) {
        if let Some((first, last)) = range(piece) {
            if last < first {
                return Err(NameError::Backwards { first, last });
            }
            if last - first >= RANGE_MAX {
                return Err(NameError::TooLong { first, last });
            }
            names.extend((first..=last).map(|number| number.to_string()));
        } else {
            match TaskName::parse(piece) {
                // One too long for a number is named as it was typed.
                Some(TaskName::Number(Number(u64::MAX))) => names.push(piece.trim().to_owned()),
                Some(TaskName::Number(number)) => names.push(number.to_string()),
                Some(TaskName::IdPrefix(prefix)) => names.push(prefix),
                Some(TaskName::Words(_)) | None => return Ok(Vec::new()),
            }
        }
    }
    Ok(names)
}

fn range(piece: &str) -> Option<(u64, u64)> {
    let (first, last) = piece.split_once(['-', '–', '－'])?;
    if first.starts_with('0') {
        // No number begins so, but every id does.
        return None;
    }
    // A UUID has hyphens as well, and is no range.
    let (Some(TaskName::Number(first)), Some(TaskName::Number(last))) = (TaskName::parse(first), TaskName::parse(last))
    else {
        return None;
    };
    Some((first.0, last.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, expected: &[&str]) {
        // A vertical bar parts arguments, so that one may hold a space.
        let arguments: Vec<String> = typed.split('|').map(str::to_owned).collect();
        assert_eq!(
            names(&arguments).as_deref(),
            Ok(expected.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>().as_slice())
        );
    }

    #[test]
    fn numbers_and_ranges_are_expanded() {
        check("3|5-7", &["3", "5", "6", "7"]);
        check("3,5-7", &["3", "5", "6", "7"]);
        check("１２|#4", &["12", "4"]);
        check("３－５", &["3", "4", "5"]);
        check("5-6|6|5", &["5", "6"]);
        check("99999999999999999999", &["99999999999999999999"]);
    }

    #[test]
    fn ids_stand_for_themselves_hyphens_or_not() {
        check("01934F2A-1111-7000-8000-000000000000", &["01934f2a111170008000000000000000"]);
        check("01934f2a-1111", &["01934f2a1111"]);
        check("01934520-1111", &["019345201111"]);
        // Digits alone are numbers, so a range of long ones is a range.
        check("12345678-12345679", &["12345678", "12345679"]);
    }

    #[test]
    fn words_that_follow_each_other_are_one_name() {
        check("pay|rent", &["pay rent"]);
        check("3|pay|rent|5", &["3", "pay rent", "5"]);
        check("pay rent|call mum", &["pay rent", "call mum"]);
        check("buy|2|monitors", &["buy", "2", "monitors"]);
    }

    #[test]
    fn hopeless_ranges_are_refused() {
        let refused = |typed: &str| names(&[typed.to_owned()]).unwrap_err().to_string();
        insta::assert_snapshot!(refused("7-5"), @"cannot read the range 7-5: it ends before it begins");
        insta::assert_snapshot!(refused("1-99999"), @"cannot take the range 1-99999: expected at most 1000 tasks");
    }
}
