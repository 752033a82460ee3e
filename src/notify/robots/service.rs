//! What is different from one service of robots to the other? A limit, a form, and the codes of answers.
//!
//! Pure: never sends anything.

use serde_json::Value;

use crate::domain::secret::Secret;
use crate::domain::time::{Span, Timestamp};

/// A service whose robots speak in groups.
#[derive(Clone, Copy, Debug)]
pub(in crate::notify) struct Service {
    /// The longest text of one message, in bytes.
    pub(in crate::notify) text_bytes_max: usize,
    /// What in a text would call people of the group, `<` in front.
    pub(in crate::notify) calls: &'static str,
    /// Makes the body of a request, signed where there is a secret.
    pub(in crate::notify) body: fn(&str, Option<&Secret>, Timestamp) -> String,
    /// Reads the body of an answer.
    pub(in crate::notify) meaning: fn(&Value) -> Meaning,
}

/// What an answer means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::notify) enum Meaning {
    /// The group has the message.
    Taken,
    /// It spoke too often.
    TooOften {
        /// What the service calls that.
        code: i64,
        /// After which it may speak again, where that is known.
        retry_after: Option<Span>,
    },
    /// The address or the secret is not the right one (any more).
    Unwelcome {
        /// What the service calls that.
        code: i64,
    },
    /// It was not taken for another reason.
    Refused {
        /// What the service calls that.
        code: i64,
    },
    /// There is no code in it.
    Unknown,
}

/// A sign of no width: it parts what together would call people, and a reader sees no difference.
const APART: char = '\u{200b}';

impl Service {
    /// Returns a text that calls nobody, whoever wrote the task.
    pub(in crate::notify) fn uncalled(&self, text: &str) -> String {
        let (head, tail) = self.calls.split_at(1);
        text.replace(self.calls, &format!("{head}{APART}{tail}"))
    }
}

#[cfg(test)]
mod tests {
    use crate::notify::feishu::FEISHU;
    use crate::notify::wecom::WECOM;

    #[test]
    fn a_text_calls_nobody() {
        let text = "<at user_id=\"all\">x</at> <@all> a < b @ c";
        assert_eq!(FEISHU.uncalled(text), "<\u{200b}at user_id=\"all\">x</at> <@all> a < b @ c");
        assert_eq!(WECOM.uncalled(text), "<at user_id=\"all\">x</at> <\u{200b}@all> a < b @ c");
    }
}
