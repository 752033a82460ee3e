//! What does the manual say of a command? Its page, made from the same descriptions as `--help`.
//!
//! Adds what help leaves out: how commands end, files and variables, and where more is said.

use clap::{Arg, ArgAction, Command};

use crate::cli::args::GLOBAL;
use crate::cli::reference::{ENVIRONMENT, EXIT_CODES, FILES};
use crate::cli::roff::{Page, bold, escaped, italic};

/// What introduces examples at the end of a help page.
const EXAMPLES: &str = "Examples:";

/// Returns the examples at the end of a command's help, and what else stands there.
pub(super) fn examples(command: &Command) -> (Vec<String>, String) {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let Some((before, listed)) = after.split_once(EXAMPLES) else { return (Vec::new(), after) };
    let mut examples = Vec::new();
    let mut rest = String::new();
    for line in listed.trim_start_matches('\n').lines() {
        match line.strip_prefix("  ") {
            Some(example) if rest.is_empty() => examples.push(example.trim().to_owned()),
            Some(_) | None if line.is_empty() && rest.is_empty() => {}
            Some(_) | None => {
                rest.push_str(line);
                rest.push('\n');
            }
        }
    }
    let rest = [before.trim(), rest.trim()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    (examples, rest.join("\n\n"))
}

/// Returns the page of a command of `keiko`.
pub(super) fn command(command: &Command, version: &str) -> String {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let mut page = begun(command, name, '1', version);
    options(&mut page, command);
    let actions: Vec<&Command> = command.get_subcommands().filter(|each| !each.is_hide_set()).collect();
    if !actions.is_empty() {
        page.section("COMMANDS");
        for action in actions {
            part(&mut page, action);
        }
    }
    end_of_command(&mut page, command);
    page.section("EXIT STATUS");
    page.paragraph(
        "0 where all went well; the others are those of keiko(1). Of several tasks the first that went wrong gives it.",
    );
    let mut also = vec!["keiko(1)"];
    if takes_times(command) {
        also.push("keiko-time(7)");
    }
    let all: Vec<String> = alike(command.get_name()).iter().map(|name| format!("keiko-{name}(1)")).collect();
    also.extend(all.iter().map(String::as_str));
    page.see_also(&also);
    page.finish()
}

/// Returns the page of `keiko` itself.
pub(super) fn keiko(program: &Command, version: &str) -> String {
    let mut page = begun(program, "keiko", '1', version);
    page.section("COMMANDS");
    page.paragraph("Each has a page of its own, such as keiko-add(1), and keiko help COMMAND says the same.");
    for each in program.get_subcommands().filter(|each| !each.is_hide_set()) {
        let aliases: Vec<String> = each.get_visible_aliases().map(bold).collect();
        let names = [vec![bold(each.get_name())], aliases].concat();
        page.tagged(&names.join(", "), &format!("{}.", about(each)));
    }
    options(&mut page, program);
    let (examples, _) = examples(program);
    listed(&mut page, &examples);
    page.section("EXIT STATUS");
    for code in &EXIT_CODES {
        page.tagged(&bold(&code.exit.code().to_string()), code.meaning);
    }
    environment_and_files(&mut page);
    page.see_also(&["keiko(7)", "keiko-time(7)", "keiko-rpc(7)", "keiko.toml(5)", "keikod(8)"]);
    page.finish()
}

/// Returns the page of the daemon.
pub(super) fn daemon(program: &Command, version: &str) -> String {
    let mut page = begun(program, "keikod", '8', version);
    page.paragraph(
        "It comes up by itself with the first command, and goes on until keiko daemon stop or the end of the machine. One runs \
         for each data directory. It says ready on standard output once it takes calls, or failed: and why.",
    );
    options(&mut page, program);
    page.section("SIGNALS");
    page.tagged(
        "TERM, INT",
        "Stop in order: what is under way is finished, the rest waits in the database for the next start.",
    );
    page.tagged(
        "HUP",
        "Read the configuration anew, as keiko daemon reload does. One that is wrong is refused and changes nothing.",
    );
    let told = program.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let (of_manager, of_hooks) = told.split_once("\n\n").unwrap_or(("", &told));
    page.section("SERVICE MANAGER");
    page.paragraph(of_manager);
    page.section("HOOKS");
    for line in of_hooks.lines() {
        match line.strip_prefix("  ").and_then(|row| row.split_once(' ')) {
            Some((name, meaning)) => page.tagged(&bold(name), meaning.trim()),
            None => page.paragraph(line),
        }
    }
    page.section("EXAMPLES");
    page.verbatim(&[bold("keikod --foreground"), bold("KEIKO_LOG=debug keikod --foreground --log-format json")]);
    page.section("EXIT STATUS");
    for code in EXIT_CODES.iter().filter(|code| [0, 1, 2, 7, 8, 9].contains(&code.exit.code())) {
        let meaning = if code.exit.code() == 0 { "It stopped in order." } else { code.meaning };
        page.tagged(&bold(&code.exit.code().to_string()), meaning);
    }
    environment_and_files(&mut page);
    page.see_also(&["keiko(1)", "keiko-daemon(1)", "keiko.toml(5)", "keiko-rpc(7)"]);
    page.finish()
}

fn begun(command: &Command, name: &str, section: char, version: &str) -> Page {
    let mut page = Page::new(name, section, version, &within_a_line(&about(command)));
    page.section("SYNOPSIS");
    page.usage(&usages(command));
    page.section("DESCRIPTION");
    description(&mut page, command);
    page
}

/// Says what stands behind the first line of a command's description, or that line where it stands alone.
fn description(page: &mut Page, command: &Command) {
    let whole = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string).unwrap_or_default();
    let paragraphs: Vec<&str> = whole.split("\n\n").collect();
    let first = format!("{}.", paragraphs.first().copied().unwrap_or_default().trim_end_matches('.'));
    page.paragraph(&first);
    for paragraph in paragraphs.iter().skip(1) {
        page.paragraph(paragraph);
    }
}

/// Describes a command of a command.
fn part(page: &mut Page, action: &Command) {
    let name = action.get_display_name().unwrap_or_else(|| action.get_name()).replace('-', " ");
    page.part(&name);
    page.usage(&usages(action));
    page.end_of_paragraph();
    description(page, action);
    for (_, options) in grouped(action) {
        for option in options {
            described(page, option);
        }
    }
    let (_, rest) = examples(action);
    told(page, &rest);
    for deeper in action.get_subcommands().filter(|each| !each.is_hide_set()) {
        part(page, deeper);
    }
}

/// Returns how a command is typed, with its options as one word.
fn usages(command: &Command) -> Vec<String> {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    usage.lines().map(|line| line.trim().to_owned()).collect()
}

fn about(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    about.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}

/// Lists the options, each kind below its heading. Those that all commands take are told in keiko(1).
fn options(page: &mut Page, command: &Command) {
    let groups = grouped(command);
    if !groups.is_empty() {
        page.section("OPTIONS");
    }
    for (heading, options) in groups {
        if !heading.is_empty() {
            page.part(heading);
        }
        for option in options {
            described(page, option);
        }
    }
    if command.get_name() == "keiko" || command.get_name() == "keikod" {
        return;
    }
    if grouped(command).is_empty() {
        page.section("OPTIONS");
    } else {
        page.part(GLOBAL);
    }
    page.paragraph("--json, -q, --print-id, --color and --help are told in keiko(1).");
}

/// Returns the arguments and options that are shown, by their headings in the order in which those come up.
fn grouped(command: &Command) -> Vec<(&str, Vec<&Arg>)> {
    let is_own = command.get_name() == "keiko" || command.get_name() == "keikod";
    let mut groups: Vec<(&str, Vec<&Arg>)> = vec![("", Vec::new())];
    let positionals = command.get_positionals();
    let named = command.get_arguments().filter(|each| !each.is_positional());
    for each in positionals.chain(named).filter(|each| !each.is_hide_set()) {
        let heading = each.get_help_heading().unwrap_or("");
        if heading == GLOBAL && !is_own {
            continue;
        }
        match groups.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, group)) => group.push(each),
            None => groups.push((heading, vec![each])),
        }
    }
    groups.retain(|(_, group)| !group.is_empty());
    groups
}

fn described(page: &mut Page, argument: &Arg) {
    let values: Vec<String> = argument
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .filter(|_| argument.is_positional() || argument.get_num_args().is_some_and(|range| range.takes_values()))
        .map(|name| italic(name))
        .collect();
    let short = argument.get_short().map(|short| bold(&format!("-{short}")));
    let long = argument.get_long().map(|long| bold(&format!("--{long}")));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let several = argument.is_positional() && matches!(argument.get_action(), ArgAction::Append);
    let lead = [names.join(", "), values.join(" ")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let lead = format!("{}{}", lead.join(" "), if several { " ..." } else { "" });
    let help = argument.get_long_help().or_else(|| argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = if help.is_empty() { help } else { format!("{}.", help.trim_end_matches('.')) };
    let listed = argument.get_possible_values();
    let is_told = |each: &clap::builder::PossibleValue| each.get_help().map(ToString::to_string);
    if !listed.is_empty() && argument.get_num_args().is_some_and(|range| range.takes_values()) {
        let each: Vec<String> = listed
            .iter()
            .filter(|each| !each.is_hide_set())
            .map(|each| match is_told(each) {
                Some(told) => format!("{} ({})", each.get_name(), within_a_line(&told)),
                None => each.get_name().to_owned(),
            })
            .collect();
        text = format!("{text} One of {}.", each.join(", "));
    }
    page.tagged(&lead, &text);
}

/// Returns what begins a line so that it stands within one: its first word is small, unless it is a name such as JSON.
fn within_a_line(text: &str) -> String {
    let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_name = word.chars().skip(1).any(char::is_uppercase);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !is_name => first.to_lowercase().chain(letters).collect(),
        Some(_) | None => text.to_owned(),
    }
}

fn end_of_command(page: &mut Page, command: &Command) {
    let (own, rest) = examples(command);
    // Those of its actions stand with them.
    let actions = command.get_subcommands().flat_map(|action| examples(action).0);
    let mut all = own.clone();
    all.extend(actions.filter(|each| !own.contains(each)));
    listed(page, &all);
    told(page, &rest);
}

/// Says what stands at the end of a help page: what is further in, such as a recipe, as it stands there, the rest as prose.
fn told(page: &mut Page, text: &str) {
    let is_further_in = |line: &str| line.starts_with("  ");
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        let lines: Vec<&str> = paragraph.lines().collect();
        for part in lines.chunk_by(|one, next| is_further_in(one) == is_further_in(next)) {
            if part.iter().all(|line| is_further_in(line)) {
                let kept: Vec<String> =
                    part.iter().map(|line| escaped(line.strip_prefix("  ").unwrap_or(line))).collect();
                page.verbatim(&kept);
            } else {
                page.paragraph(&part.join(" "));
            }
        }
    }
}

fn listed(page: &mut Page, examples: &[String]) {
    if !examples.is_empty() {
        page.section("EXAMPLES");
        page.verbatim(&examples.iter().map(|example| bold(example)).collect::<Vec<_>>());
    }
}

fn environment_and_files(page: &mut Page) {
    page.section("ENVIRONMENT");
    for (name, meaning) in ENVIRONMENT {
        page.tagged(&bold(name), meaning);
    }
    page.section("FILES");
    for (path, meaning) in FILES {
        page.tagged(&italic(path), meaning);
    }
}

/// Returns whether times can be said to a command.
fn takes_times(command: &Command) -> bool {
    let is_time = |name: &str| matches!(name, "TIME" | "TIMES" | "RULE" | "RANGE" | "WHEN" | "SPAN");
    let of_one =
        |argument: &Arg| argument.get_value_names().is_some_and(|names| names.iter().any(|name| is_time(name)));
    matches!(command.get_name(), "add" | "remind" | "parse" | "snooze") || command.get_arguments().any(of_one)
}

/// Returns the commands that one thinks of beside this one.
fn alike(name: &str) -> &'static [&'static str] {
    match name {
        "add" => &["remind", "edit", "parse"],
        "remind" => &["add", "parse"],
        "list" => &["show", "agenda", "status"],
        "show" => &["list", "history", "why"],
        "edit" => &["add", "undo"],
        "done" => &["ack", "skip", "undo"],
        "ack" => &["done", "snooze"],
        "snooze" => &["ack", "pause"],
        "pause" => &["resume", "away", "snooze"],
        "resume" => &["pause"],
        "skip" => &["cancel", "done"],
        "cancel" => &["skip", "delete", "undo"],
        "delete" => &["cancel", "undo"],
        "retry" => &["run", "channel"],
        "run" => &["retry", "show"],
        "unblock" => &["add"],
        "undo" => &["op"],
        "op" => &["undo", "history"],
        "history" => &["why", "events"],
        "why" => &["history", "agenda"],
        "agenda" => &["list", "why"],
        "away" => &["pause"],
        "parse" => &["add"],
        "status" => &["channel", "daemon"],
        "channel" => &["status"],
        "daemon" => &["status"],
        "events" => &["watch", "history"],
        "watch" => &["events", "wait"],
        "wait" => &["watch"],
        "help" => &["completions"],
        "completions" => &["help"],
        _ => &[],
    }
}

impl Page {
    /// Says how something is typed: what stands in capitals is to be replaced.
    fn usage(&mut self, usages: &[String]) {
        for (index, usage) in usages.iter().enumerate() {
            if index > 0 {
                self.request(".br");
            }
            let word = |word: &str| if word.chars().any(char::is_uppercase) { escaped(word) } else { bold(word) };
            self.request(&usage.split(' ').map(word).collect::<Vec<_>>().join(" "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_capitals_within_a_line() {
        assert_eq!(within_a_line("Of Taskwarrior, or Friday"), "of Taskwarrior, or Friday");
        assert_eq!(within_a_line("JSON as Taskwarrior exports it"), "JSON as Taskwarrior exports it");
        assert_eq!(within_a_line("A"), "a");
        assert_eq!(within_a_line(""), "");
    }

    #[test]
    fn what_is_further_in_at_the_end_of_help_stands_as_it_is() {
        let program = crate::cli::help::program();
        let page = |name: &str| command(program.find_subcommand(name).expect("a command"), "1");
        let prompt = page("prompt");
        assert!(
            prompt.contains("\\fR\n.fi\n.RE\n.PP\nRecipes:\n.PP\n.RS 4\n.nf\nbash (\\(ti/.bashrc):\n  PS1="),
            "{prompt}"
        );
        assert!(prompt.contains("\n  [custom.keiko]\n  command = \\(dqkeiko prompt\\(dq\n"), "{prompt}");
        assert!(
            page("import").replace('\n', " ").contains("(JSON as Taskwarrior exports and imports it)"),
            "{}",
            page("import")
        );
    }

    #[test]
    fn no_page_shows_the_marks_of_the_source() {
        fn all(command: &Command, found: &mut Vec<String>) {
            found.push(command.clone().render_long_help().to_string());
            command.get_subcommands().for_each(|each| all(each, found));
        }
        let mut pages = Vec::new();
        all(&crate::cli::help::program(), &mut pages);
        for page in pages {
            assert!(!page.contains('`'), "{page}");
        }
    }
}
