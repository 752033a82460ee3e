//! Where did a chat go? A group that becomes a supergroup has another number from then on (Bot API, `ResponseParameters`,
//! `migrate_to_chat_id`), and the configuration has the old one.
//!
//! One small file beside the database, replaced as a whole; without it a number is asked for again by one attempt that
//! fails. It holds numbers of chats and nothing else. Decides nothing.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::files;

/// The longest file that is read, in bytes (I9): far more chats than anybody has.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// The new numbers of chats, by what the configuration says. Clones know the same.
#[derive(Clone, Debug, Default)]
pub struct Moved(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Where they are kept; `None`: nowhere.
    path: Option<PathBuf>,
    chats: Mutex<BTreeMap<String, i64>>,
}

impl Moved {
    /// Returns those that are kept at `path`; none where there is no file, or none that can be read.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        let chats = read(&path).unwrap_or_else(|why| {
            tracing::warn!(file = %path.display(), "cannot read where chats went, they are asked for again: {why}");
            BTreeMap::new()
        });
        Self(Arc::new(Shared { path: Some(path), chats: Mutex::new(chats) }))
    }

    /// Returns the number of a chat where it has another one than is configured.
    #[must_use]
    pub fn find(&self, configured: &str) -> Option<i64> {
        self.chats().get(configured).copied()
    }

    /// Notes the number that a chat has now.
    pub fn note(&self, configured: &str, chat: i64) {
        let mut chats = self.chats();
        if chats.insert(configured.to_owned(), chat) == Some(chat) {
            return;
        }
        // Within the lock, so that an older set of them never comes last.
        if let Some(path) = &self.0.path
            && let Err(error) =
                serde_json::to_vec(&*chats).map_err(Into::into).and_then(|text| files::replace(path, &text))
        {
            tracing::warn!(file = %path.display(), %error, "cannot keep where a chat went, it is asked for again after a start");
        }
    }

    fn chats(&self) -> MutexGuard<'_, BTreeMap<String, i64>> {
        self.0.chats.lock().expect("no holder of the chats' numbers panics")
    }
}

fn read(path: &Path) -> Result<BTreeMap<String, i64>, String> {
    let mut text = String::new();
    match File::open(path).and_then(|file| file.take(FILE_BYTES_MAX).read_to_string(&mut text)) {
        Ok(_) => serde_json::from_str(&text).map_err(|error| error.to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn where_a_chat_went_outlives_whoever_learned_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("telegram.json");
        let moved = Moved::at(path.clone());
        assert_eq!(moved.find("-5"), None);
        moved.note("-5", -1_001);
        moved.clone().note("-6", -1_002);
        assert_eq!((moved.find("-5"), moved.find("-6")), (Some(-1_001), Some(-1_002)));
        let again = Moved::at(path.clone());
        assert_eq!((again.find("-5"), again.find("-6"), again.find("5")), (Some(-1_001), Some(-1_002), None));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_as_good_as_none_and_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("telegram.json");
        fs::write(&path, "{\"-5\":").unwrap();
        let moved = Moved::at(path.clone());
        assert_eq!(moved.find("-5"), None);
        moved.note("-5", -1_001);
        assert_eq!(Moved::at(path).find("-5"), Some(-1_001));
        // Where it cannot be kept, it is known as long as this process lives.
        let nowhere = Moved::at(directory.path().join("no/folder/telegram.json"));
        nowhere.note("-5", -1_001);
        assert_eq!(nowhere.find("-5"), Some(-1_001));
    }
}
