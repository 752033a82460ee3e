//! Reads standard input a line at a time.

use std::io::{self, BufRead as _};

use crate::cli::error::CliError;

/// The longest line that is read whole: more than any sentence, and within what the daemon takes.
const LINE_MAX: u64 = 64 * 1024;

/// Returns the lines of standard input as they come, without their ends.
///
/// A line that is no UTF-8, or too long, is an error of its own and does not stop the others.
pub(crate) fn lines() -> impl Iterator<Item = Result<String, CliError>> {
    let mut input = io::stdin().lock();
    std::iter::from_fn(move || next_line(&mut input).transpose())
}

fn next_line(input: &mut impl io::BufRead) -> Result<Option<String>, CliError> {
    let failed = |source| CliError::Input { source };
    let mut line = Vec::new();
    // Twice the same reader, since `take` would otherwise own it.
    let read = io::Read::take(&mut *input, LINE_MAX).read_until(b'\n', &mut line).map_err(failed)?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') && line.len() as u64 == LINE_MAX {
        input.skip_until(b'\n').map_err(failed)?;
        return Err(CliError::usage(
            format!("cannot read a line of more than {LINE_MAX} bytes"),
            "give one sentence a line",
        ));
    }
    while matches!(line.last(), Some(b'\n' | b'\r')) {
        line.pop();
    }
    String::from_utf8(line).map(Some).map_err(|error| {
        CliError::usage(
            format!("cannot read the line {:?}: it is not UTF-8", String::from_utf8_lossy(error.as_bytes())),
            "give sentences as UTF-8",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_does_not_stop_the_others() {
        let long = "x".repeat(70_000);
        let text = [b"first\r\n".as_slice(), b"\xff\xfe\n", b"\n", long.as_bytes(), b"\nlast"].concat();
        let mut input = io::Cursor::new(text);
        let lines: Vec<String> = std::iter::from_fn(|| next_line(&mut input).transpose())
            .map(|line| line.unwrap_or_else(|error| error.to_string()))
            .collect();
        assert_eq!(
            lines,
            [
                "first",
                "cannot read the line \"\u{fffd}\u{fffd}\": it is not UTF-8",
                "",
                "cannot read a line of more than 65536 bytes",
                "last"
            ]
        );
    }
}
