//! What of a request may no error cite, even where the answer says it back?
//!
//! Many servers do: "Cannot POST /hooks/KEY". What is cited goes into logs, the history and popups. Never shows what it
//! hides.

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap};

/// What stands in the place of what is hidden.
const NOT_SHOWN: &str = "(not shown)";

/// Parts of an address that are shorter are words of its service, such as `hooks`, and no key.
const PART_CHARS_MIN: usize = 8;

/// Values of headers and of queries that are shorter stand in any text.
const VALUE_CHARS_MIN: usize = 4;

/// What a target knows us by: all of its address but the host, and its headers.
pub(in crate::notify) struct Hidden {
    /// The longest first, so that nothing is left of it where a shorter one is part of it.
    words: Vec<String>,
}

impl Hidden {
    /// Returns what to hide of a request.
    pub(in crate::notify) fn of(url: &Url, headers: &HeaderMap) -> Self {
        let query = url.query().unwrap_or_default();
        let whole = [url.path().to_owned(), format!("{}?{query}", url.path())];
        let mut words: Vec<String> = whole.into_iter().filter(|word| url.path().len() > 1 && word.len() > 1).collect();
        let parts = url.path().split('/').chain([url.username()]);
        words.extend(parts.filter(|part| part.chars().count() >= PART_CHARS_MIN).map(str::to_owned));
        let as_sent = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value.to_owned());
        let read = url.query_pairs().map(|(_, value)| value.into_owned());
        let sent = headers.iter().filter(|(name, value)| value.is_sensitive() && *name != CONTENT_TYPE);
        let texts = sent.filter_map(|(_, value)| std::str::from_utf8(value.as_bytes()).ok());
        let of_headers = texts.flat_map(str::split_whitespace).map(str::to_owned);
        let values = url.password().map(str::to_owned).into_iter().chain(as_sent).chain(read).chain(of_headers);
        words.extend(values.filter(|value| value.chars().count() >= VALUE_CHARS_MIN));
        Self { words }.sorted()
    }

    /// Returns it with a key that stands within a part of the address, or in the body.
    pub(in crate::notify) fn and(mut self, key: &str) -> Self {
        self.words.extend((key.chars().count() >= VALUE_CHARS_MIN).then(|| key.to_owned()));
        self.sorted()
    }

    fn sorted(mut self) -> Self {
        self.words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        self.words.dedup();
        self
    }

    /// Returns the text without them.
    pub(in crate::notify) fn strip(&self, text: &str) -> String {
        self.words.iter().fold(text.to_owned(), |text, word| text.replace(word, NOT_SHOWN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use reqwest::header::HeaderValue;

    #[track_caller]
    fn check(url: &str, text: &str, expected: &str) {
        let mut headers = HeaderMap::new();
        for (name, value) in [("authorization", "Bearer hunter22"), ("content-type", "application/json")] {
            let mut value = HeaderValue::from_static(value);
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        headers.insert("webhook-id", HeaderValue::from_static("msg_1234"));
        assert_eq!(Hidden::of(&Url::parse(url).unwrap(), &headers).strip(text), expected);
    }

    #[test]
    fn what_an_answer_says_back_of_an_address_is_hidden() {
        let url = "https://me:passw0rd@x/hooks/T0123456/key?access_token=a%2Fb-0123&to=7";
        check(url, "Cannot POST /hooks/T0123456/key", "Cannot POST (not shown)");
        check(url, "no /hooks/T0123456/key?access_token=a%2Fb-0123&to=7 here", "no (not shown) here");
        check(url, "hooks of T0123456 unknown", "hooks of (not shown) unknown");
        check(url, "bad token a/b-0123 of me:passw0rd", "bad token (not shown) of me:(not shown)");
        check(url, "the access_token is bad, hooks need one", "the access_token is bad, hooks need one");
        check(url, r#"{"path":"\/hooks\/T0123456\/key"}"#, r#"{"path":"\/hooks\/(not shown)\/key"}"#);
    }

    #[test]
    fn what_an_answer_says_back_of_headers_is_hidden_but_what_is_no_key() {
        check("http://x/", "Bearer hunter22 is revoked", "(not shown) (not shown) is revoked");
        check("http://x/", "/ expects application/json, msg_1234", "/ expects application/json, msg_1234");
    }
}
