//! Which addresses belong to a topic?

use reqwest::Url;

use crate::notify::http::{host, read_url};

/// The longest name of a topic (`docs.ntfy.sh/publish/`: letters, digits, `_` and `-`, at most 64).
const NAME_MAX: usize = 64;

/// A topic and its server.
#[derive(Clone, Debug)]
pub(super) struct Topic {
    /// The server, where messages are published as JSON.
    pub(super) root: Url,
    /// The name.
    pub(super) name: String,
}

impl Topic {
    /// Reads the address of a topic, such as `https://ntfy.sh/TOPIC`.
    ///
    /// # Errors
    /// Why it is none, without any part of it.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut root = read_url(text)?;
        root.set_query(None);
        root.set_fragment(None);
        let expected = || "expected the address of a topic, such as https://ntfy.sh/TOPIC".to_owned();
        let name = root.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(is_name) {
            return Err(expected());
        }
        root.path_segments_mut().map_err(|()| expected())?.pop_if_empty().pop().push("");
        Ok(Self { root, name })
    }

    /// Returns what may be shown of it.
    pub(super) fn host(&self) -> String {
        host(&self.root)
    }

    /// Returns an address below the topic.
    pub(super) fn below(&self, parts: &[&str]) -> Url {
        let mut url = self.root.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push(&self.name).extend(parts);
        }
        url
    }

    /// Returns whether both are on one server.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        self.root.origin() == other.root.origin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, root: &str, json: &str) {
        let topic = Topic::read(text).unwrap();
        assert_eq!((topic.root.as_str(), topic.below(&["json"]).as_str()), (root, json), "of {text}");
    }

    #[test]
    fn a_topic_is_the_last_part_of_an_address() {
        check("https://ntfy.sh/my-topic_1", "https://ntfy.sh/", "https://ntfy.sh/my-topic_1/json");
        check("http://127.0.0.1:8080/t/", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/t/json");
        check("https://x.org/push/t?up=1#a", "https://x.org/push/", "https://x.org/push/t/json");
        for text in
            ["https://ntfy.sh", "https://ntfy.sh/", "https://ntfy.sh/a.b", "https://ntfy.sh/%20", "ntfy.sh/t", ""]
        {
            let why = Topic::read(text).unwrap_err();
            assert!(why.starts_with("expected "), "{text:?}: {why}");
        }
        assert!(Topic::read(&format!("https://ntfy.sh/{}", "t".repeat(65))).is_err());
    }
}
