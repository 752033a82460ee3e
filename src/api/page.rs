//! How much goes into one answer? Objects are read some at a time and told until the answer is long enough.
//!
//! So neither a long history nor many callers who do not read their answers make the daemon grow: each holds a page.

use crate::engine::input::CallError;
use crate::protocol::envelope::RawJson;
use crate::protocol::methods::PAGE_BYTES_MAX;

/// How many objects are read at first: the longest that there can be are some 150 KiB each, and a page may end early.
const CHUNK_FIRST: usize = 8;

/// How many objects are read at once when those before were short.
const CHUNK_MAX: usize = 256;

/// Objects as JSON text, with the place of each.
#[derive(Debug)]
pub(super) struct Page {
    objects: Vec<(u64, RawJson)>,
    bytes: usize,
    limit: usize,
    cursor: u64,
    has_more: bool,
}

impl Page {
    /// Returns an empty page for at most `limit` objects behind `cursor`.
    pub(super) const fn new(cursor: u64, limit: usize) -> Self {
        Self { objects: Vec::new(), bytes: 0, limit, cursor, has_more: false }
    }

    /// Returns the place of the last object, where the next page begins.
    pub(super) const fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Returns whether there was more than went in.
    pub(super) const fn has_more(&self) -> bool {
        self.has_more
    }

    /// Returns the objects, each with its place.
    pub(super) fn into_objects(self) -> Vec<(u64, RawJson)> {
        self.objects
    }

    /// Returns the objects as they stand in an answer.
    pub(super) fn into_texts(self) -> Vec<RawJson> {
        self.objects.into_iter().map(|(_, object)| object).collect()
    }

    /// Takes an object, unless the page is full; the first goes in however long it is.
    fn push(&mut self, place: u64, object: RawJson) {
        let bytes = self.bytes + object.get().len();
        let is_full = self.objects.len() >= self.limit || (!self.objects.is_empty() && bytes > PAGE_BYTES_MAX);
        if self.has_more || is_full {
            self.has_more = true;
            return;
        }
        self.bytes = bytes;
        self.cursor = place;
        self.objects.push((place, object));
    }

    /// Fills the page from `read`, which gives what is behind a place; `tell` gives an object's place and text.
    ///
    /// # Errors
    /// It cannot be read, or the daemon is about to stop.
    pub(super) async fn fill<T, R>(
        mut self,
        read: impl Fn(u64, usize) -> R,
        tell: impl Fn(&T) -> (u64, RawJson) + Clone + Send + 'static,
    ) -> Result<Self, CallError>
    where
        T: Send + 'static,
        R: Future<Output = Result<Vec<T>, CallError>>,
    {
        let mut chunk = CHUNK_FIRST;
        while !self.has_more {
            // One more than fits tells whether there is more.
            let wanted = chunk.min((self.limit - self.objects.len()).saturating_add(1));
            let read = read(self.cursor, wanted).await?;
            let is_last = read.len() < wanted;
            let tell = tell.clone();
            // Long texts are written where they hold up no other connection.
            let filled = tokio::task::spawn_blocking(move || {
                for object in &read {
                    if self.has_more {
                        break;
                    }
                    let (place, text) = tell(object);
                    self.push(place, text);
                }
                self
            });
            self = filled.await.map_err(|_| CallError::Stopping)?;
            if is_last {
                break;
            }
            // No more than what would fill the page, if the others are as long.
            let average = self.bytes / self.objects.len().max(1) + 1;
            chunk = ((PAGE_BYTES_MAX - self.bytes.min(PAGE_BYTES_MAX)) / average + 1).min(CHUNK_MAX);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::envelope::write_answer;

    #[track_caller]
    fn check(lengths: &[usize], limit: usize, expected: usize) {
        let mut page = Page::new(7, limit);
        for (index, length) in lengths.iter().enumerate() {
            page.push(8 + index as u64, write_answer("x".repeat(length - 2)));
        }
        let found = (page.cursor(), page.has_more(), page.into_texts().len());
        assert_eq!(found, (7 + expected as u64, expected < lengths.len(), expected));
    }

    #[test]
    fn a_page_ends_at_its_bytes_or_its_limit_and_has_one_object_at_least() {
        check(&[], 9, 0);
        check(&[9, 9, 9], 9, 3);
        check(&[9, 9, 9], 2, 2);
        check(&[9, 9, 9], 0, 0);
        check(&[PAGE_BYTES_MAX / 2, PAGE_BYTES_MAX / 2, 9], 9, 2);
        check(&[PAGE_BYTES_MAX * 2, 9], 9, 1);
        // What is short may not overtake what did not fit.
        check(&[PAGE_BYTES_MAX - 9, 99, 2], 9, 1);
    }
}
