//! What is to be said of several things that are added at once: each remark once, with all that it is said of.

use crate::cli::context::Context;

/// How many of those of which the same is said are named.
const NAMED_MAX: usize = 3;

/// Remarks, each with where it was made.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    /// In the order in which they came up first.
    said: Vec<(String, Vec<String>)>,
    /// Of how many things there might have been a remark.
    things: usize,
}

impl Remarks {
    /// Takes what is said of one thing, which stands at `place`.
    pub(crate) fn add(&mut self, place: &str, remarks: impl IntoIterator<Item = String>) {
        self.things += 1;
        for remark in remarks {
            match self.said.iter_mut().find(|(said, _)| *said == remark) {
                Some((_, places)) => places.push(place.to_owned()),
                None => self.said.push((remark, vec![place.to_owned()])),
            }
        }
    }

    /// Says them.
    pub(crate) fn tell(self, context: &mut Context<'_>) {
        for line in self.lines() {
            context.ui.warning(&line);
        }
    }

    fn lines(self) -> Vec<String> {
        let things = self.things;
        let line = |(remark, places): (String, Vec<String>)| match places.len() {
            // What holds for all is said of none.
            count if count == things && count > 1 => remark,
            count if count > NAMED_MAX => {
                format!("{} and {} more: {remark}", places[..NAMED_MAX].join(", "), count - NAMED_MAX)
            }
            _ => format!("{}: {remark}", places.join(", ")),
        };
        self.said.into_iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_said_once_with_all_that_it_is_said_of() {
        let mut remarks = Remarks::default();
        for at in 1..=6 {
            let mut all = vec!["nobody can be reached".to_owned()];
            all.extend((at > 1).then(|| "it has no time".to_owned()));
            all.extend((at == 2 || at == 5).then(|| "it is late".to_owned()));
            remarks.add(&format!("line {at}"), all);
        }
        assert_eq!(
            remarks.lines(),
            [
                "nobody can be reached",
                "line 2, line 3, line 4 and 2 more: it has no time",
                "line 2, line 5: it is late"
            ]
        );
        let mut one = Remarks::default();
        one.add("line 1", ["it is late".to_owned()]);
        assert_eq!(one.lines(), ["line 1: it is late"]);
    }
}
