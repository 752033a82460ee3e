//! What is each key of a target, and where does a person get it? Words only.

use crate::domain::delivery::ChannelKind;

/// Returns what a key is, in a few words, so that they can follow its name and stand in a help page.
pub(super) fn about(name: &str) -> &'static str {
    match name {
        "answers_url" => "Address of the topic on which its buttons answer (ntfy)",
        "allow_redirects" => "Whether to go where an answer points, true or false (webhook)",
        "api_url" => "Address of another server of the same interface (telegram)",
        "buttons" => "Whether its messages have buttons, true or false (telegram)",
        "ca_file" => "Certificates (PEM) to trust beside the system's",
        "chat" => "The number of a chat, or @name of a channel (telegram)",
        "command" => "The program and its arguments (exec)",
        "from" => "The address that mails come from (mail)",
        "host" => "The server that takes mails (mail)",
        "password" => "The password of that user (mail)",
        "port" => "The port of that server (mail)",
        "preset" => "What it expects: generic, slack, discord or dingtalk (webhook)",
        "secret" => "What requests are signed with (webhook, feishu)",
        "security" => "How the server is spoken to: tls, starttls or none (mail)",
        "timeout_s" => "How long an attempt may take in all, in seconds",
        "to" => "The address that mails go to; give it once for each (mail)",
        "token" => "The token of the bot (telegram), or of the topic (ntfy)",
        "url" => "The address, often the whole key to it (webhook, ntfy, feishu, wecom)",
        "user" => "The user of that server (mail)",
        _ => "See the manual",
    }
}

/// Returns what a kind is, said before the first question.
pub(super) fn introduction(kind: ChannelKind) -> &'static [&'static str] {
    match kind {
        ChannelKind::Desktop | ChannelKind::Terminal => &[],
        ChannelKind::Webhook => &["A webhook is an address that takes what Keiko posts."],
        ChannelKind::Telegram => &["Keiko speaks in Telegram by a bot of your own, in one chat."],
        ChannelKind::Feishu => &["Keiko speaks in a group of Feishu or Lark by a custom bot of that group."],
        ChannelKind::Wecom => &["Keiko speaks in a group of WeCom by a robot of that group."],
        ChannelKind::Ntfy => &["Keiko speaks on a topic of ntfy, to whoever subscribes to it in the ntfy app."],
        ChannelKind::Mail => &["Keiko sends mails by your provider's server, as a mail program does."],
        ChannelKind::Exec => &["A program of your own reads one JSON object and answers one: see man keiko-channel."],
    }
}

/// Returns what a value is and where a person finds it, said above the question for it.
pub(super) fn question(kind: ChannelKind, name: &str) -> &'static [&'static str] {
    match (kind, name) {
        (ChannelKind::Telegram, "token") => &[
            "The token of the bot, such as 123456789:AAF…: in Telegram talk to @BotFather, say /newbot and choose a name;",
            "it answers with the token. /mybots, API Token shows that of a bot you have.",
        ],
        (ChannelKind::Telegram, "chat") => &[
            "The number of the chat. First send your bot any message, or add it to the group: else it may not write there.",
            "@userinfobot tells your own number; that of a group begins with -. A public channel can be @name instead.",
        ],
        (ChannelKind::Webhook, "url") => &[
            "The address that is posted to. Slack: api.slack.com/apps, your app, Incoming Webhooks, Add New Webhook.",
            "Discord: the channel's settings, Integrations, Webhooks, Copy Webhook URL. Of your own: where it listens.",
        ],
        (ChannelKind::Webhook, "preset") => &[
            "What the address expects: slack, discord or dingtalk where it is one of theirs, generic for one of your own.",
        ],
        (ChannelKind::Feishu, "url") => {
            &["The address of the bot: in the group Settings, Bots, Add Bot, Custom Bot; it is shown as Webhook URL."]
        }
        (ChannelKind::Feishu, "secret") => &[
            "The signing secret: shown on the bot's page where Set signature verification is ticked; none where it is not.",
        ],
        (ChannelKind::Wecom, "url") => {
            &["The address of the robot: in the group right-click, Add Group Bot, Create; it is shown once it is made."]
        }
        (ChannelKind::Ntfy, "url") => &[
            "The address of the topic, such as https://ntfy.sh/NAME. You make it up: choose a long NAME, since whoever knows it",
            "reads what is said there. In the app: Subscribe to topic, the same NAME.",
        ],
        (ChannelKind::Ntfy, "token") => &[
            "The access token (tk_…) of a topic that is reserved: in the web app Account, Access tokens. An open topic has none.",
        ],
        (ChannelKind::Mail, "host") => &[
            "The server for sending (SMTP), such as smtp.example.org: on your provider's page for mail programs, Outgoing mail.",
        ],
        (ChannelKind::Mail, "user") => &["The user of that server: most often your whole address."],
        (ChannelKind::Mail, "password") => &[
            "The password of that user. Where you sign in with two factors it is another one: in your account's settings,",
            "Security, App passwords.",
        ],
        (ChannelKind::Mail, "from") => {
            &["The address that mails come from: most often your own, or the server refuses."]
        }
        (ChannelKind::Mail, "to") => {
            &["The address that mails go to, with spaces between several; it may be your own."]
        }
        (ChannelKind::Exec, "command") => &["The whole path of the program, and its arguments behind it."],
        // Nobody is asked for what is left.
        _ => &[],
    }
}

/// Returns whether a key is worth a question though it can be left out.
pub(super) fn is_asked(kind: ChannelKind, name: &str) -> bool {
    match kind {
        ChannelKind::Mail => matches!(name, "user" | "password"),
        ChannelKind::Ntfy => name == "token",
        ChannelKind::Feishu => name == "secret",
        ChannelKind::Webhook => name == "preset",
        ChannelKind::Desktop
        | ChannelKind::Terminal
        | ChannelKind::Telegram
        | ChannelKind::Wecom
        | ChannelKind::Exec => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::config::target::{SETTABLE, keys};

    #[test]
    fn whatever_is_asked_for_says_what_it_is_and_where_to_find_it() {
        for kind in SETTABLE {
            assert!(!introduction(kind).is_empty(), "{kind}");
            for key in keys(kind).iter().filter(|key| key.is_required || is_asked(kind, key.name)) {
                let lines = question(kind, key.name);
                assert!(!lines.is_empty(), "{kind} {}", key.name);
                assert!(lines.iter().all(|line| line.chars().count() <= 120), "{kind} {}: {lines:?}", key.name);
            }
        }
    }
}
