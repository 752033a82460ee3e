//! What is read: a file or standard input, within limits.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use crate::cli::error::CliError;

/// The longest line of JSON that is read: what one message to the daemon takes, with some room.
const LINE_BYTES_MAX: u64 = 1_000_000;

/// The longest file that is read whole: more than any calendar, and what memory takes.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How much of the beginning tells in which form a file is.
const BEGINNING_BYTES: usize = 4096;

/// A file, or standard input.
pub(super) struct Source {
    pub(super) name: String,
    reader: Box<dyn BufRead>,
    /// How long it is, where that is known.
    pub(super) bytes: Option<u64>,
}

impl Source {
    /// Opens it.
    pub(super) fn open(name: &str) -> Result<Self, CliError> {
        if name == "-" {
            let reader = Box::new(BufReader::with_capacity(BEGINNING_BYTES, io::stdin()));
            return Ok(Self { name: "standard input".to_owned(), reader, bytes: None });
        }
        let file = File::open(name).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => CliError::usage(
                format!("cannot import {name}: there is no such file"),
                "keiko export writes one that can be imported; - is standard input",
            ),
            _ => CliError::file("read", Path::new(name), source),
        })?;
        let bytes = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        Ok(Self { name: name.to_owned(), reader: Box::new(BufReader::new(file)), bytes })
    }

    /// Returns how it begins.
    pub(super) fn beginning(&mut self) -> Result<&[u8], CliError> {
        let name = self.name.clone();
        self.reader.fill_buf().map_err(|source| CliError::file("read", Path::new(&name), source))
    }

    /// Returns the next line without its end, `None` behind the last.
    pub(super) fn line(&mut self) -> Result<Option<String>, CliError> {
        let failed = |name: &str, source| CliError::file("read", Path::new(name), source);
        let mut line = Vec::new();
        let limited = (&mut self.reader).take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
        if limited.map_err(|source| failed(&self.name, source))? == 0 {
            return Ok(None);
        }
        if line.len() as u64 == LINE_BYTES_MAX && line.last() != Some(&b'\n') {
            let message = format!("cannot read {}: a line is longer than {LINE_BYTES_MAX} bytes", self.name);
            return Err(CliError::usage(message, "keiko export writes no such line"));
        }
        while matches!(line.last(), Some(b'\n' | b'\r')) {
            line.pop();
        }
        let text = String::from_utf8(line).map_err(|_| {
            CliError::usage(
                format!("cannot read {}: it holds bytes that are no UTF-8", self.name),
                "iconv writes it anew",
            )
        })?;
        Ok(Some(text))
    }

    /// Returns all of it.
    pub(super) fn whole(&mut self) -> Result<Vec<u8>, CliError> {
        let mut bytes = Vec::new();
        let read = (&mut self.reader).take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
        read.map_err(|source| CliError::file("read", Path::new(&self.name), source))?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            let message = format!("cannot read {}: it is longer than {} MiB", self.name, FILE_BYTES_MAX >> 20);
            return Err(CliError::usage(message, "import it in parts"));
        }
        Ok(bytes)
    }
}
