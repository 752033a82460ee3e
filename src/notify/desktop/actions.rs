//! Which answers does a popup offer as buttons, and what does a pressed one mean?
//!
//! A button has a stable key, by which a server names it, and a label for people. What was not offered means nothing.
//! It sends nothing and starts nothing.

use notify_rust::Notification;

use crate::domain::delivery::Delivery;
use crate::domain::time::Span;
use crate::notify::desktop::opener;
use crate::notify::responses::Ring;

/// What a popup means to the person who has it before them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Meaning {
    /// What rang.
    pub(super) ring: Ring,
    /// The buttons that it has, in their order; none where the server shows none.
    pub(super) offers: Vec<Offer>,
}

/// What one button does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Offer {
    /// It is done.
    Done,
    /// It speaks again so long from now.
    Snooze(Span),
    /// Its link is opened, and with that it was seen.
    Open {
        /// The link.
        link: String,
    },
}

/// Whether a server shows buttons (the capability `actions`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Buttons {
    /// It shows them.
    Shown,
    /// It ignores them.
    Ignored,
}

impl Buttons {
    /// Returns what a server with these capabilities does with buttons.
    pub(super) fn of_capabilities(capabilities: &[String]) -> Self {
        if capabilities.iter().any(|capability| capability == "actions") { Self::Shown } else { Self::Ignored }
    }
}

impl Meaning {
    /// Returns what the popup of a delivery means; nothing where it is no ring of a task.
    pub(super) fn of(delivery: &Delivery, buttons: Buttons, snoozes: &[Span]) -> Option<Self> {
        let ring = Ring::of(delivery)?;
        let offers = match buttons {
            Buttons::Shown => offers(delivery.message.link.as_deref(), snoozes),
            Buttons::Ignored => Vec::new(),
        };
        Some(Self { ring, offers })
    }

    /// Returns what the button of this key does, where there is one.
    pub(super) fn offer(&self, key: &str) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.key() == key)
    }

    /// Puts its buttons on a popup.
    ///
    /// The specification's `default`, a press on the popup itself, is not among them: servers that know none close the
    /// popup then, which says that it was seen, and none can be pressed by mistake that says more than that.
    pub(super) fn put_on(&self, popup: &mut Notification) {
        for offer in &self.offers {
            popup.action(&offer.key(), &offer.label());
        }
    }
}

impl Offer {
    /// Returns the name by which a server tells that it was pressed.
    fn key(&self) -> String {
        match self {
            Self::Done => "done".to_owned(),
            Self::Snooze(by) => format!("snooze:{}", by.as_millis() / 1000),
            Self::Open { .. } => "open".to_owned(),
        }
    }

    fn label(&self) -> String {
        match self {
            Self::Done => "Done".to_owned(),
            Self::Snooze(by) => format!("Snooze {by}"),
            Self::Open { .. } => "Open".to_owned(),
        }
    }
}

/// The most likely answer comes first: servers with little room show that.
fn offers(link: Option<&str>, snoozes: &[Span]) -> Vec<Offer> {
    let mut offers = vec![Offer::Done];
    offers.extend(snoozes.iter().copied().map(Offer::Snooze));
    let opened = link.map(str::trim).filter(|link| opener::is_opened(link));
    offers.extend(opened.map(|link| Offer::Open { link: link.to_owned() }));
    offers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_button_has_a_stable_key_and_a_label() {
        let snoozes = [Span::from_minutes(10), Span::from_minutes(90)];
        let popup = |link| {
            let offers = offers(link, &snoozes);
            offers.iter().map(|offer| (offer.key(), offer.label())).collect::<Vec<_>>()
        };
        let pair = |key: &str, label: &str| (key.to_owned(), label.to_owned());
        let mut expected =
            vec![pair("done", "Done"), pair("snooze:600", "Snooze 10m"), pair("snooze:5400", "Snooze 1h30m")];
        assert_eq!(popup(None), expected);
        assert_eq!(popup(Some("javascript:alert(1)")), expected, "nobody could open it");
        expected.push(pair("open", "Open"));
        assert_eq!(popup(Some("https://example.org/")), expected);
    }

    #[test]
    fn buttons_are_for_servers_that_say_so() {
        let able = |words: &[&str]| Buttons::of_capabilities(&words.iter().map(|&w| w.to_owned()).collect::<Vec<_>>());
        assert_eq!(able(&["body", "actions"]), Buttons::Shown);
        assert_eq!(able(&["body", "action-icons"]), Buttons::Ignored);
    }
}
