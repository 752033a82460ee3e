//! How is an answer read that goes on, a line now and then, as long as both sides live?
//!
//! Never waits longer for a line than it is told, and never keeps a line without end.

use std::time::Duration;

use reqwest::Response;
use tokio::time::timeout;

use crate::notify::http::client::deepest;

/// The longest line, in bytes: a message of ntfy with all its parts is far below.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// An answer that goes on.
pub(in crate::notify) struct Lines {
    response: Response,
    /// What came behind the last line.
    rest: Vec<u8>,
}

impl Lines {
    /// Returns the lines of an answer.
    pub(in crate::notify) const fn of(response: Response) -> Self {
        Self { response, rest: Vec::new() }
    }

    /// Returns the next line; `None` where the other side has ended.
    ///
    /// # Errors
    /// None came in time, it is too long, or the connection broke.
    pub(in crate::notify) async fn next(&mut self, within: Duration) -> Result<Option<String>, String> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()));
            }
            if self.rest.len() > LINE_BYTES_MAX {
                return Err(format!("a line is longer than {LINE_BYTES_MAX} bytes"));
            }
            match timeout(within, self.response.chunk()).await {
                Ok(Ok(Some(bytes))) => self.rest.extend_from_slice(&bytes),
                Ok(Ok(None)) => return Ok(None),
                Ok(Err(error)) => return Err(deepest(&error.without_url())),
                Err(_) => return Err(format!("nothing came within {within:?}")),
            }
        }
    }
}
