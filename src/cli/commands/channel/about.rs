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

/// Returns where a person gets what a kind needs, said before the first question.
pub(super) fn where_from(kind: ChannelKind) -> &'static [&'static str] {
    match kind {
        ChannelKind::Desktop | ChannelKind::Terminal => &[],
        ChannelKind::Webhook => &[
            "A webhook is an address that takes what Keiko posts.",
            "Slack: api.slack.com/apps, Incoming Webhooks. Discord: the channel's settings, Integrations, Webhooks.",
        ],
        ChannelKind::Telegram => &[
            "In Telegram talk to @BotFather and say /newbot: it answers with the token of a bot.",
            "Then send your bot any message, and ask @userinfobot for the number of your chat.",
        ],
        ChannelKind::Feishu => &[
            "In the group: Settings, Bots, Add Bot, Custom Bot. It shows an address and, if you choose it, a signing secret.",
        ],
        ChannelKind::Wecom => &["In the group: Add Group Bot. It shows an address."],
        ChannelKind::Ntfy => &[
            "A topic is an address such as https://ntfy.sh/NAME. Who knows the name reads what is said there: choose a long one.",
            "Subscribe to it in the ntfy app. A topic that is protected needs a token besides: Account, Access tokens.",
        ],
        ChannelKind::Mail => &[
            "Your mail provider's page for mail programs names the server for sending (SMTP).",
            "Where you sign in with two factors, make a password for applications.",
        ],
        ChannelKind::Exec => {
            &["A program of your own that reads one JSON object and answers one: see man keiko-channel."]
        }
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
