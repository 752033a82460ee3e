//! How rows line up: columns as wide as their widest cell, measured in display cells, within the width of the terminal.
//!
//! Never knows what a row is about, and never prints.

use crate::cli::render::text::{DIM, Text};

/// What stands between two columns.
const GAP: usize = 2;

/// How far in goes on below what has no room in its column.
const BELOW: usize = 4;

/// One column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// Its heading.
    pub(crate) heading: &'static str,
    /// On which side its cells line up.
    pub(crate) align: Align,
    /// How narrow it may become on a narrow terminal; `None`: it keeps its width.
    pub(crate) narrowest: Option<usize>,
    /// Whether it is the last one, and is never cut: what has no room goes on below.
    pub(crate) is_rest: bool,
}

/// On which side cells line up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

impl Column {
    /// Returns a column of words that keeps its width.
    pub(crate) const fn words(heading: &'static str) -> Self {
        Self { heading, align: Align::Left, narrowest: None, is_rest: false }
    }

    /// Returns a column of numbers.
    pub(crate) const fn numbers(heading: &'static str) -> Self {
        Self { heading, align: Align::Right, narrowest: None, is_rest: false }
    }

    /// Returns a column of words that gives way, down to `narrowest` cells.
    pub(crate) const fn flexible(heading: &'static str, narrowest: usize) -> Self {
        Self { heading, align: Align::Left, narrowest: Some(narrowest), is_rest: false }
    }

    /// Returns a last column of words that are never cut: they go on in it where it has that much room, else below.
    pub(crate) const fn rest(heading: &'static str, room: usize) -> Self {
        Self { heading, align: Align::Left, narrowest: Some(room), is_rest: true }
    }
}

/// Returns the lines of a table, the heading first; none where there are no rows.
///
/// With `width` no line is wider than that, but for a last column that is not to be cut, which goes on below when it is
/// fitted; without, nothing is cut.
pub(crate) fn table(columns: &[Column], rows: &[Vec<Text>], width: Option<usize>) -> Vec<Text> {
    if rows.is_empty() {
        return Vec::new();
    }
    let heading: Vec<Text> = columns.iter().map(|column| Text::styled(DIM, column.heading)).collect();
    let widths = widths(columns, &heading, rows, width);
    std::iter::once(&heading).chain(rows).map(|row| line(columns, &widths, row, width)).collect()
}

fn widths(columns: &[Column], heading: &[Text], rows: &[Vec<Text>], width: Option<usize>) -> Vec<usize> {
    let widest = |index: usize| {
        std::iter::once(heading).chain(rows.iter().map(Vec::as_slice)).map(|row| row[index].width()).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..columns.len()).map(widest).collect();
    if let Some(width) = width {
        let shown = widths.iter().filter(|width| **width > 0).count();
        let total = widths.iter().sum::<usize>() + GAP * shown.saturating_sub(1);
        let mut excess = total.saturating_sub(width);
        // From the right, since what matters most stands to the left.
        for (column, width) in columns.iter().zip(&mut widths).rev() {
            // What is never cut gives all its room, and goes on elsewhere.
            let narrowest = if column.is_rest { Some(0) } else { column.narrowest };
            let spare = narrowest.map_or(0, |narrowest| width.saturating_sub(narrowest));
            let given = spare.min(excess);
            *width -= given;
            excess -= given;
        }
    }
    widths
}

fn line(columns: &[Column], widths: &[usize], row: &[Text], width: Option<usize>) -> Text {
    // Spaces at the end of a line would only wrap on a narrow terminal.
    let last = row.iter().rposition(|cell| cell.width() > 0).unwrap_or(0);
    let mut line = Text::default();
    let mut is_rest = false;
    // A column in which nothing stands takes no room.
    let shown =
        columns.iter().zip(widths).zip(row).enumerate().take(last + 1).filter(|(_, ((_, cells), _))| **cells > 0);
    for (place, (index, ((column, cells), cell))) in shown.enumerate() {
        if place > 0 {
            line.push(&" ".repeat(GAP));
        }
        if column.is_rest {
            is_rest = true;
            let start = line.width();
            let has_room = width.is_none_or(|width| start + column.narrowest.unwrap_or(0) <= width);
            line.append(cell.clone());
            line = line.hanging(if has_room { start } else { BELOW });
            continue;
        }
        let cell = cell.cut(*cells);
        line.append(match column.align {
            Align::Right => cell.padded_left(*cells),
            Align::Left if index == last => cell,
            Align::Left => cell.padded_right(*cells),
        });
    }
    match width {
        Some(width) if !is_rest && line.width() > width => line.cut(width),
        Some(_) | None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::fixture;

    const COLUMNS: [Column; 3] = [Column::numbers("#"), Column::flexible("TITLE", 4), Column::words("WHEN")];

    fn rows_at(width: Option<usize>) -> Vec<Text> {
        let titles = ["交房租", "👨\u{200d}👩\u{200d}👧 party", "e\u{301}tude", "plain ASCII of some length"];
        let rows: Vec<Vec<Text>> = titles
            .iter()
            .enumerate()
            .map(|(index, title)| vec![(index * 50).to_string().into(), (*title).into(), "15:00".into()])
            .collect();
        table(&COLUMNS, &rows, width)
    }

    #[test]
    fn every_column_starts_at_the_same_cell_in_every_row() {
        for width in [20, 40, 80, 200] {
            let starts: Vec<usize> = rows_at(Some(width))
                .iter()
                .skip(1)
                .map(|line| {
                    let plain = anstream::adapter::strip_str(&line.to_ansi()).to_string();
                    assert!(line.width() <= width, "{plain:?} is wider than {width}");
                    Text::plain(plain.split("15:00").next().unwrap()).width()
                })
                .collect();
            assert!(starts.windows(2).all(|pair| pair[0] == pair[1]), "{starts:?} at {width}");
        }
    }

    #[test]
    fn a_flexible_column_gives_way_on_a_narrow_terminal() {
        insta::assert_snapshot!(fixture::shown(&rows_at(Some(24))), @"
          #  TITLE         WHEN
          0  交房租        15:00
         50  👨‍👩‍👧 party      15:00
        100  étude         15:00
        150  plain ASCII…  15:00
        ");
    }

    #[test]
    fn without_a_width_nothing_is_cut() {
        assert!(fixture::shown(&rows_at(None)).contains("plain ASCII of some length"));
    }
}
