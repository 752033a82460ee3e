//! Which name was meant by one that nobody knows?

/// Returns the one of the `known` keys that is most like `key`, if it is like it at all.
///
/// A key in the wrong table is found by its last part: `level` is `log.level`.
pub(super) fn nearest<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_lowercase();
    let distance_to = |known: &str| {
        let whole = distance(&key.to_lowercase(), known);
        // One more, so that a key in its own table is preferred.
        whole.min(distance(&last(key), &last(known)) + 1)
    };
    let (found, known) = known.map(|known| (distance_to(known), known)).min()?;
    // Beyond half of its letters it would be another word.
    (found <= last(key).chars().count().max(4) / 2).then_some(known)
}

/// Returns how many letters must be put in, taken out or changed to make one text of the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}
