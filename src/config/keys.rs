//! What is each key of the configuration, in words? The one table from which the default file, `config show` and the manual page
//! keiko.toml(5) are made.
//!
//! Never reads a value: the readers do, and tests hold them against this table.

/// A part of the file.
#[derive(Debug)]
pub struct Section {
    /// Its table as it is written: empty for the top of the file, `day_parts`, `webhooks.NAME`, `rules`.
    pub name: &'static str,
    /// How many of its tables there are.
    pub tables: Tables,
    /// What it is for.
    pub about: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// How many tables of a section there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tables {
    /// One.
    One,
    /// One for each name that a person gives.
    Named,
    /// As many as there are, in their order: `[[rules]]`.
    Listed,
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name within its table.
    pub name: &'static str,
    /// What may stand there, so that it can follow "expected".
    pub takes: &'static str,
    /// What holds where nothing is said, as TOML; empty where that is nothing.
    pub default: &'static str,
    /// Something else that may stand there, as TOML.
    pub example: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Whether its value may be a secret.
    pub hides: Hides,
    /// Whether a table is of no use without it.
    pub is_required: bool,
    /// Whether a change holds from the daemon's next start on only.
    pub at_next_start: bool,
}

/// What is not shown of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hides {
    /// All is shown.
    Nothing,
    /// It may hold keys, so it is not shown.
    Value,
    /// It is a secret, which may stand elsewhere too: `NAME_file`, `NAME_env` and `NAME_command` say where.
    Secret,
}

impl Key {
    const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    const fn hidden(mut self) -> Self {
        self.hides = Hides::Value;
        self
    }

    const fn secret(mut self) -> Self {
        self.hides = Hides::Secret;
        self
    }

    const fn at_next_start(mut self) -> Self {
        self.at_next_start = true;
        self
    }
}

const fn key(
    name: &'static str,
    takes: &'static str,
    default: &'static str,
    example: &'static str,
    about: &'static str,
) -> Key {
    Key { name, takes, default, example, about, hides: Hides::Nothing, is_required: false, at_next_start: false }
}

const CHANNELS: &str = "a list of \"desktop\", \"terminal\", or a kind with a name such as \"webhook:ops\"";
const CLOCK_TIME: &str = "a time from \"00:00\" to \"23:59\"";
const SECONDS: &str = "a whole number of seconds from 1 to 120";
const TAGS: &str = "a list of tags, with their + or without";
const PRIORITY: &str = "\"low\", \"normal\" or \"high\"";
const URL: &str = "a URL that begins with https:// or http://";

const TIMEOUT: Key = key("timeout_s", SECONDS, "10", "30", "How long an attempt may take in all.");
const CA: Key = key(
    "ca_file",
    "the path of a file; a relative one is meant from where the configuration lies",
    "",
    "'own-ca.pem'",
    "Certificates (PEM) to trust beside the system's.",
);

/// Every section, in the order of the file.
pub const SECTIONS: &[Section] = &[
    Section { name: "", tables: Tables::One, about: "", keys: TOP },
    Section {
        name: "day_parts",
        tables: Tables::One,
        about: "The clock times of the parts of a day.",
        keys: DAY_PARTS,
    },
    Section {
        name: "quiet",
        tables: Tables::One,
        about: "When you are to be left alone: what comes by itself is held until then.",
        keys: QUIET,
    },
    Section {
        name: "digest",
        tables: Tables::One,
        about: "With one of these keys each day begins with one message: what is due on it, and what is due still.",
        keys: DIGEST,
    },
    Section { name: "commands", tables: Tables::One, about: "The commands that tasks run.", keys: COMMANDS },
    Section { name: "log", tables: Tables::One, about: "What the daemon writes down.", keys: LOG },
    Section {
        name: "rules",
        tables: Tables::Listed,
        about: "Where tasks speak that name no channel: the first rule that fits holds, else channels. A rule has tags, a priority, or both.",
        keys: RULES,
    },
    Section {
        name: "hooks",
        tables: Tables::Listed,
        about: "Programs that are run when something happens to a task, with the event as JSON on standard input.",
        keys: HOOKS,
    },
    Section {
        name: "webhooks.NAME",
        tables: Tables::Named,
        about: "A program that is told by a POST, named webhook:NAME elsewhere.",
        keys: WEBHOOKS,
    },
    Section { name: "telegram.NAME", tables: Tables::Named, about: "A chat of Telegram.", keys: TELEGRAM },
    Section {
        name: "feishu.NAME",
        tables: Tables::Named,
        about: "A group of Feishu or Lark, by its robot.",
        keys: FEISHU,
    },
    Section { name: "wecom.NAME", tables: Tables::Named, about: "A group of WeCom, by its robot.", keys: WECOM },
    Section { name: "ntfy.NAME", tables: Tables::Named, about: "A topic of ntfy.", keys: NTFY },
    Section { name: "mail.NAME", tables: Tables::Named, about: "A mailbox, by SMTP.", keys: MAIL },
    Section {
        name: "exec.NAME",
        tables: Tables::Named,
        about: "A program of your own that reads one JSON object and answers one.",
        keys: EXEC,
    },
];

const TOP: &[Key] = &[
    key(
        "grace_s",
        "a whole number of seconds from 0 to 86400",
        "30",
        "60",
        "After so many seconds a reminder is late.",
    ),
    key("dialect", "\"us\" or \"uk\"", "'us'", "'uk'", "Whether 6/7 is 7 June (us) or 6 July (uk)."),
    key("date_only_hour", CLOCK_TIME, "'09:00'", "'08:30'", "What a day means that is named without a time."),
    key(
        "snooze_default",
        "a length of time with its unit, such as \"10m\" or \"1h30m\"",
        "'10m'",
        "'15m'",
        "How long a snooze is when nobody says.",
    ),
    key(
        "snooze_choices",
        "a list of at most 4 lengths of time with their units",
        "['10m', '1h']",
        "['5m', '30m', '2h']",
        "How long the snoozes are that messages offer, a button each; [] for none.",
    )
    .at_next_start(),
    key(
        "channels",
        CHANNELS,
        "[]",
        "['desktop', 'terminal']",
        "Where a task speaks that names no channel and that no rule fits; empty: desktop, and terminal while that is away.",
    ),
    key(
        "fallback",
        CHANNELS,
        "[]",
        "['terminal']",
        "Where else it is said, one after another, when nobody was reached.",
    ),
    key(
        "always",
        CHANNELS,
        "[]",
        "['webhook:https://example.org/audit']",
        "What is on its way there is sent even though the task is answered meanwhile.",
    ),
];

const DAY_PARTS: &[Key] = &[
    key("morning", CLOCK_TIME, "'09:00'", "'07:30'", "What \"morning\" means."),
    key("afternoon", CLOCK_TIME, "'15:00'", "'14:00'", "What \"afternoon\" means."),
    key("evening", CLOCK_TIME, "'19:00'", "'18:00'", "What \"evening\" means."),
    key("tonight", CLOCK_TIME, "'20:00'", "'20:30'", "What \"tonight\" means."),
    key("night", CLOCK_TIME, "'21:00'", "'22:00'", "What \"night\" means."),
    key(
        "end_of_day",
        CLOCK_TIME,
        "'17:00'",
        "'18:00'",
        "\"eod\", 下班前, and the time of a deadline that names a day.",
    ),
];

const QUIET: &[Key] = &[
    key(
        "hours",
        "a stretch of the day such as \"22:00-07:00\" or \"sat-sun 23:00-09:00\", or a list of such",
        "[]",
        "['mon-fri 22:00-07:00', 'sat,sun 23:00-09:00']",
        "When; some time of the week must be left.",
    ),
    key("except", TAGS, "[]", "['+med']", "Tasks with one of these tags ring all the same."),
];

const DIGEST: &[Key] = &[
    key("at", CLOCK_TIME, "", "'08:00'", "When; 08:00 where only channels are said."),
    key("channels", CHANNELS, "", "['desktop']", "Where; empty: as tasks that name no channel."),
];

const COMMANDS: &[Key] =
    &[key("at_once", "a whole number from 1 to 256", "32", "8", "How many commands run at once; others wait.")];

const LOG: &[Key] = &[
    key(
        "level",
        "\"error\", \"warn\", \"info\", \"debug\" or \"trace\"",
        "'info'",
        "'debug'",
        "How much; the variable KEIKO_LOG of the daemon's environment stands above it.",
    )
    .at_next_start(),
    key(
        "format",
        "\"text\" or \"json\"",
        "'text'",
        "'json'",
        "For people, or one JSON object a line; keikod --log-format stands above it.",
    )
    .at_next_start(),
];

const RULES: &[Key] = &[
    key("tags", TAGS, "", "['+med']", "Of tasks with one of these tags."),
    key("priority", PRIORITY, "", "'high'", "Of tasks of this priority."),
    key("channels", CHANNELS, "", "['desktop', 'terminal']", "Where they speak.").required(),
];

const HOOKS: &[Key] = &[
    key(
        "name",
        "a name of letters, digits, - and _, at most 64",
        "",
        "'ci'",
        "What it is called in keiko status; without one it is named after what it does.",
    ),
    key(
        "on",
        "\"all\", or names of events such as [\"completed\", \"failed\"]; keikod --help lists them",
        "",
        "['completed', 'failed']",
        "What it is told of.",
    )
    .required(),
    key("tags", TAGS, "", "['+ci']", "Only of tasks with one of these tags."),
    key("tasks", "a list of numbers of tasks", "", "[3, 7]", "Only of these tasks."),
    key("priority", PRIORITY, "", "'high'", "Only of tasks of this priority."),
    key("late", "true or false", "false", "true", "Only of what rang late."),
    key(
        "command",
        "a program, or a list of it and its arguments: never a shell",
        "",
        "['./tell-ci.sh', '--quiet']",
        "What is run; a relative path is meant from its directory.",
    )
    .hidden()
    .required(),
    key(
        "directory",
        "the path of a directory; a relative one is meant from where the configuration lies",
        "",
        "'/srv'",
        "Where it runs; where the configuration lies unless it is said.",
    ),
    key(
        "timeout",
        "a length of time with its unit, at most 1h",
        "'30s'",
        "'5m'",
        "Then its whole process group is ended.",
    ),
];

const WEBHOOKS: &[Key] = &[
    key("url", URL, "", "'https://example.org/keiko'", "The address, often the whole key to it.").secret().required(),
    key(
        "preset",
        "\"generic\", \"slack\", \"discord\" or \"dingtalk\"",
        "'generic'",
        "'slack'",
        "What the program expects; generic is all that Keiko knows, as JSON.",
    ),
    key(
        "secret",
        "a secret that begins with whsec_, or a list of secrets while one replaces another",
        "",
        "'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'",
        "What requests are signed with, as Standard Webhooks has it; several are one a line in a file.",
    )
    .secret(),
    key(
        "headers",
        "a table of headers, each a text",
        "",
        "{ X-Late = '{{ firing.late }}' }",
        "Headers beside those of Standard Webhooks, as templates.",
    )
    .hidden(),
    key(
        "body",
        "a text",
        "",
        "'{\"what\": {{ task.title }}}'",
        "The body as a template, in place of the preset's; each {{ … }} becomes a whole JSON value.",
    )
    .hidden(),
    CA,
    key("allow_redirects", "true or false", "false", "true", "Whether to go where an answer points."),
    TIMEOUT,
    key("connect_timeout_s", SECONDS, "5", "2", "How long a connection may take to be there."),
    key(
        "success",
        "a table such as { pointer = \"/errcode\", equals = 0 }",
        "",
        "{ pointer = '/errcode', equals = 0 }",
        "What the body of an answer must hold, where a service answers 200 with a failure inside.",
    ),
];

const TELEGRAM: &[Key] = &[
    key("token", "a text", "", "'123456:ABC-DEF'", "The token of the bot, from @BotFather.").secret().required(),
    key(
        "chat",
        "a chat's number as text, or the @name of a public channel",
        "",
        "'123456789'",
        "The chat that is written to.",
    )
    .required(),
    key("buttons", "true or false", "true", "false", "Whether messages have buttons; one daemon can hear a bot."),
    key(
        "api_url",
        URL,
        "'https://api.telegram.org'",
        "'https://telegram.example.org'",
        "Another server of the same interface.",
    ),
    CA,
    TIMEOUT,
];

const FEISHU: &[Key] = &[
    key(
        "url",
        URL,
        "",
        "'https://open.feishu.cn/open-apis/bot/v2/hook/KEY'",
        "The address of the robot, the whole key to the group.",
    )
    .secret()
    .required(),
    key("secret", "a text", "", "'SIGNING-KEY'", "Where the robot asks for signatures.").secret(),
    CA,
    TIMEOUT,
];

const WECOM: &[Key] = &[
    key(
        "url",
        URL,
        "",
        "'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=KEY'",
        "The address of the robot, the whole key to the group.",
    )
    .secret()
    .required(),
    CA,
    TIMEOUT,
];

const NTFY: &[Key] = &[
    key("url", URL, "", "'https://ntfy.sh/TOPIC'", "The server with the topic, which is often the whole key to it.")
        .secret()
        .required(),
    key("token", "a text", "", "'tk_TOKEN'", "Where the server asks for one.").secret(),
    key(
        "answers_url",
        URL,
        "",
        "'https://ntfy.sh/OTHER-TOPIC'",
        "The topic on which buttons answer; without one there are none.",
    )
    .secret(),
    CA,
    TIMEOUT,
];

const MAIL: &[Key] = &[
    key("host", "a text", "", "'smtp.example.org'", "The server that takes mails.").required(),
    key(
        "port",
        "a whole number from 1 to 65535",
        "",
        "2525",
        "Its port; 465 with tls, 587 with starttls, 25 with none.",
    ),
    key(
        "security",
        "\"tls\", \"starttls\" or \"none\"",
        "'tls'",
        "'starttls'",
        "How it is spoken to; none only to this machine.",
    ),
    key("user", "a text", "", "'me'", "The user of that server."),
    key("password", "a text", "", "'PASSWORD'", "The password of that user.").secret(),
    key("from", "an address", "", "'Keiko <me@example.org>'", "Where mails come from.").required(),
    key("to", "an address, or a list of at most 16", "", "['me@example.org']", "Where mails go to.").required(),
    CA,
    TIMEOUT,
];

const EXEC: &[Key] = &[
    key(
        "command",
        "a program, or a list of it and its arguments: never a shell",
        "",
        "['./diary.py']",
        "What is run; a relative path is meant from where the configuration lies.",
    )
    .hidden()
    .required(),
    TIMEOUT,
];
