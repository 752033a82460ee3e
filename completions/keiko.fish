# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_keiko_global_optspecs
    string join \n json q/quiet print-id color= h/help V/version
end

function __fish_keiko_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_keiko_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_keiko_using_subcommand
    set -l cmd (__fish_keiko_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c keiko -n "__fish_keiko_needs_command" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_needs_command" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_needs_command" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_needs_command" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_needs_command" -s V -l version -d 'Print version'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "remind" -d 'Reminds you at a time'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "add" -d 'Adds a task'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "list" -d 'Lists tasks, what is due first'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "show" -d 'Shows all that is known of tasks, or what their commands said'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "edit" -d 'Changes what a task says or when it comes up'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "done" -d 'Marks tasks done'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "ack" -d 'Silences tasks without completing them'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "seen" -d 'Silences tasks without completing them'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "snooze" -d 'Lets tasks speak again later'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "pause" -d 'Pauses tasks until they are resumed'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "resume" -d 'Resumes paused tasks'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "skip" -d 'Passes over the open time of a repeating task'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "cancel" -d 'Ends tasks'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "delete" -d 'Removes tasks from sight, as if they had never been'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "retry" -d 'Sends what failed of a task again, at once'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "run" -d 'Runs the command of a task now, and shows how it goes'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "unblock" -d 'Lets a task go on without those that it waits for'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "undo" -d 'Takes back what was done: the last change, or the one that is named'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "op" -d 'Shows what was done, and what of it can be taken back'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "history" -d 'Shows what happened to tasks, and what was sent'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "agenda" -d 'Shows what will ring, day by day'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "away" -d 'Holds back what comes by itself while you are away'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "why" -d 'Tells why tasks rang, or did not, and what comes next'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "parse" -d 'Shows what a sentence means, without storing anything'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "status" -d 'Shows how things are: counts, what comes next, and who can be reached'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "channel" -d 'Shows where Keiko speaks; adds a target, tries, pauses, resumes or removes it'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "config" -d 'Shows, checks and changes the configuration'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "daemon" -d 'Looks after the daemon'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "backup" -d 'Copies all tasks and their history into a file'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "restore" -d 'Puts a backup in the place of all tasks and their history'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "export" -d 'Writes everything into a file, or some tasks for another program'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "import" -d 'Takes over what another Keiko or another program keeps'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "wait" -d 'Waits until tasks have fired or are done'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "watch" -d 'Shows what is due, next and paused, and keeps it up to date'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "events" -d 'Shows the changes of all tasks, oldest first, and what happened to the device'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "rpc" -d 'Calls a method of the daemon and prints its result as JSON'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "prompt" -d 'Shows what is due and what comes next in a few cells, for prompts and status bars'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "mcp" -d 'Serves assistants on standard input and output (Model Context Protocol)'
complete -c keiko -n "__fish_keiko_needs_command" -f -a "help" -d 'Tells what a command takes, or which commands there are'
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l at -d 'When: a time phrase; all words are then the title' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l in -d 'When: so long from now, such as 20m; all words are then the title' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l every -d 'How often: what would follow "every"; all words are then the title' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l cron -d 'How often: a cron expression of five to seven fields; all words are then the title' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l rrule -d 'How often: a recurrence rule of RFC 5545; all words are then the title' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l from -d 'The first time of a repetition: a time phrase' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l until -d 'The last time of a repetition, or the day of it: a time phrase' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l tz -d 'Keep the time in this zone, such as Europe/Paris, wherever the device is' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l note -d 'Free text' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l link -d 'Something to open, such as a URL' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l priority -d 'How much it matters' -r -f -a "low\t'Shown last'
normal\t'The default'
high\t'Shown first'"
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l via -d 'Where it speaks: desktop, terminal, webhook:NAME, webhook:URL' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l alert -d 'When it speaks, before due: 2d,1h,0; after due: +15m' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l retries -d 'How many times a program that does not take it is tried again, where no person is told (3), or a command that fails (0)' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l max-late -d 'How long past its time it is still sent, such as 2h; else until somebody has it or answers' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l deadline -d 'When it must be done at the latest, apart from due: a time phrase' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l deadline-alert -d 'When it speaks of its deadline: 1d,1h,0' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l nag -d 'Ring again so long after each ring, until it is done, snoozed or acked, such as 10m' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l nag-max -d 'How often it rings again at most (20)' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l missed -d 'What becomes of a time at which the machine was off: once (the latest rings late) or skip; of a command (skip) also all' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l waits-for -d 'Wait until these tasks are done, such as 7,8; it then comes up at its time, or at once' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l delay -d 'How long after the last of them was done it may come up, such as 30m' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l on-parent-fail -d 'What becomes of it where one of them never will be done: hold (it is blocked and says so), run or cancel' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l key -d 'An idempotency key: sent twice, added once' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l ping -d 'Tell a dead-man\'s switch, such as healthchecks.io, when its command starts, succeeds or fails' -r
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l auto-done -d 'It is done as soon as somebody was told'
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l no-alert -d 'Do not speak at all'
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l after-done -d 'Count the repetition from each completion, not from fixed dates'
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand remind" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand remind" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand remind" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand add" -l at -d 'When: a time phrase; all words are then the title' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l in -d 'When: so long from now, such as 20m; all words are then the title' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l every -d 'How often: what would follow "every"; all words are then the title' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l cron -d 'How often: a cron expression of five to seven fields; all words are then the title' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l rrule -d 'How often: a recurrence rule of RFC 5545; all words are then the title' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l from -d 'The first time of a repetition: a time phrase' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l until -d 'The last time of a repetition, or the day of it: a time phrase' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l tz -d 'Keep the time in this zone, such as Europe/Paris, wherever the device is' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l note -d 'Free text' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l link -d 'Something to open, such as a URL' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l priority -d 'How much it matters' -r -f -a "low\t'Shown last'
normal\t'The default'
high\t'Shown first'"
complete -c keiko -n "__fish_keiko_using_subcommand add" -l via -d 'Where it speaks: desktop, terminal, webhook:NAME, webhook:URL' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l alert -d 'When it speaks, before due: 2d,1h,0; after due: +15m' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l retries -d 'How many times a program that does not take it is tried again, where no person is told (3), or a command that fails (0)' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l max-late -d 'How long past its time it is still sent, such as 2h; else until somebody has it or answers' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l deadline -d 'When it must be done at the latest, apart from due: a time phrase' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l deadline-alert -d 'When it speaks of its deadline: 1d,1h,0' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l nag -d 'Ring again so long after each ring, until it is done, snoozed or acked, such as 10m' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l nag-max -d 'How often it rings again at most (20)' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l missed -d 'What becomes of a time at which the machine was off: once (the latest rings late) or skip; of a command (skip) also all' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l waits-for -d 'Wait until these tasks are done, such as 7,8; it then comes up at its time, or at once' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l delay -d 'How long after the last of them was done it may come up, such as 30m' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l on-parent-fail -d 'What becomes of it where one of them never will be done: hold (it is blocked and says so), run or cancel' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l key -d 'An idempotency key: sent twice, added once' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l ping -d 'Tell a dead-man\'s switch, such as healthchecks.io, when its command starts, succeeds or fails' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l sh -d 'Run this text with sh when it is due; - reads it from standard input, as at does' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l env -d 'A variable to keep besides PATH, HOME, TZ and the locale, or to set' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l dir -d 'Where it runs, unless here' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l timeout -d 'How long it may run; then it is ended with all that it started' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l overlap -d 'What becomes of a time at which it still runs: skip, queue or allow (skip)' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l nice -d 'How much it gives way to others, from 0 to 19 (0)' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l limit -d 'What it may use at most: memory=512M,cpu=10m,processes=50,files=64' -r
complete -c keiko -n "__fish_keiko_using_subcommand add" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand add" -l auto-done -d 'It is done as soon as somebody was told'
complete -c keiko -n "__fish_keiko_using_subcommand add" -l no-alert -d 'Do not speak at all'
complete -c keiko -n "__fish_keiko_using_subcommand add" -l after-done -d 'Count the repetition from each completion, not from fixed dates'
complete -c keiko -n "__fish_keiko_using_subcommand add" -l run -d 'Run what stands behind -- when it is due; -- alone says so too'
complete -c keiko -n "__fish_keiko_using_subcommand add" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand add" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand add" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand list" -l limit -d 'At most so many' -r
complete -c keiko -n "__fish_keiko_using_subcommand list" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand list" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand list" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand list" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand list" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand list" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand list" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand list" -s a -l all -d 'Also those that have ended'
complete -c keiko -n "__fish_keiko_using_subcommand list" -l done -d 'Only those that have ended'
complete -c keiko -n "__fish_keiko_using_subcommand list" -l full -d 'Every task on a line of its own, on a terminal too'
complete -c keiko -n "__fish_keiko_using_subcommand list" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand list" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand list" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand list" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand list" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand list" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand show" -l attempt -d 'Of this attempt, not of the latest run; 0: of the latest that keiko run asked for' -r
complete -c keiko -n "__fish_keiko_using_subcommand show" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand show" -l output -d 'What the latest run of its command said, of one that still runs until now'
complete -c keiko -n "__fish_keiko_using_subcommand show" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand show" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand show" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l title -d 'The new title' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l at -d 'The new time: a time phrase' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l every -d 'The new repetition: what would follow "every"' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l cron -d 'The new repetition: a cron expression of five to seven fields' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l rrule -d 'The new repetition: a recurrence rule of RFC 5545' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l from -d 'The new first time of a repetition: a time phrase' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l until -d 'The new last time of a repetition, or the day of it: a time phrase' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l tz -d 'Keep the new time in this zone, wherever the device is' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l note -d 'Free text' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l link -d 'Something to open, such as a URL' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l priority -d 'How much it matters' -r -f -a "low\t'Shown last'
normal\t'The default'
high\t'Shown first'"
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l via -d 'Where it speaks: desktop, terminal, webhook:NAME, webhook:URL' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l alert -d 'When it speaks, before due: 2d,1h,0; after due: +15m' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l retries -d 'How many times a program that does not take it is tried again, where no person is told (3), or a command that fails (0)' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l max-late -d 'How long past its time it is still sent, such as 2h; else until somebody has it or answers' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l deadline -d 'When it must be done at the latest, apart from due: a time phrase' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l deadline-alert -d 'When it speaks of its deadline: 1d,1h,0' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l nag -d 'Ring again so long after each ring, until it is done, snoozed or acked, such as 10m' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l nag-max -d 'How often it rings again at most (20)' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l missed -d 'What becomes of a time at which the machine was off: once (the latest rings late) or skip; of a command (skip) also all' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l waits-for -d 'Wait until these tasks are done, such as 7,8; it then comes up at its time, or at once' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l delay -d 'How long after the last of them was done it may come up, such as 30m' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l on-parent-fail -d 'What becomes of it where one of them never will be done: hold (it is blocked and says so), run or cancel' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l sh -d 'Run this text with sh when it is due; - reads it from standard input, as at does' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l env -d 'A variable to keep besides PATH, HOME, TZ and the locale, or to set' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l dir -d 'Where it runs, unless here' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l timeout -d 'How long it may run; then it is ended with all that it started' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l overlap -d 'What becomes of a time at which it still runs: skip, queue or allow (skip)' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l nice -d 'How much it gives way to others, from 0 to 19 (0)' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l limit -d 'What it may use at most: memory=512M,cpu=10m,processes=50,files=64' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l untag -d 'A tag to remove' -r
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l this -d 'Of a series: this time only'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l following -d 'Of a series: this time and all behind it'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l all -d 'Of a series: all its times'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -s y -l yes -d 'Do not ask which times of a series are meant: all of them; nor before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l auto-done -d 'It is done as soon as somebody was told'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l no-alert -d 'Do not speak at all'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l run -d 'Run what stands behind -- when it is due; -- alone says so too'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l no-command -d 'Run nothing any more: it is a reminder'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l no-timeout -d 'It may run for as long as it takes'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l no-link -d 'Nothing to open any more'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l no-max-late -d 'Send it however late'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l no-deadline -d 'No deadline any more'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l no-nag -d 'Ring once only'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l no-auto-done -d 'Wait for done, although somebody was told'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l after-done -d 'Count the new repetition from each completion, not from fixed dates'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand done" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand done" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand done" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand done" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand done" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand done" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand done" -l occurrence -d 'The occurrence that is meant, as `show --json` names it: KEY~GENERATION' -r
complete -c keiko -n "__fish_keiko_using_subcommand done" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand done" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand done" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand done" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand done" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand done" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand done" -l early -d 'Also an occurrence that has not spoken yet'
complete -c keiko -n "__fish_keiko_using_subcommand done" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand done" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand done" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand done" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l occurrence -d 'The occurrence that is meant, as `show --json` names it: KEY~GENERATION' -r
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand ack" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l early -d 'Also an occurrence that has not spoken yet'
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand ack" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand ack" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand ack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l occurrence -d 'The occurrence that is meant, as `show --json` names it: KEY~GENERATION' -r
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand seen" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l early -d 'Also an occurrence that has not spoken yet'
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand seen" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand seen" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand seen" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l for -d 'For how long, such as 30m' -r
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l until -d 'Until when, such as "tomorrow 9am"' -r
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l tz -d 'The zone in which the time is read' -r
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l occurrence -d 'The occurrence that is meant, as `show --json` names it: KEY~GENERATION' -r
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l early -d 'Also an occurrence that has not spoken yet'
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand snooze" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l tag -d 'All tasks with this tag' -r
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l for -d 'Resume by itself after so long, such as 2h' -r
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l until -d 'Resume by itself at a time, such as "monday 9am"' -r
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l tz -d 'The zone in which --until is read' -r
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l all -d 'All tasks; of a named series, all its times'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l this -d 'Of a series: this time only'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l following -d 'Of a series: this time and all behind it'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand pause" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l tag -d 'All tasks with this tag' -r
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l all -d 'All tasks; of a named series, all its times'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l shift -d 'Add what remained at the pause to now, for tasks of the wall clock too'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand resume" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand skip" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand skip" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand skip" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand skip" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l this -d 'Of a series: this time only'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l following -d 'Of a series: this time and all behind it'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l all -d 'The whole series, said on purpose: without the advice that skip would pass over one time only'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand cancel" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand delete" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand delete" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand delete" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand retry" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand retry" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand retry" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand retry" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand run" -l key -d 'An idempotency key: sent twice, run once' -r
complete -c keiko -n "__fish_keiko_using_subcommand run" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand run" -l no-wait -d 'Do not wait for its end'
complete -c keiko -n "__fish_keiko_using_subcommand run" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand run" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand run" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l dry-run -d 'Show which tasks a filter means, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -s y -l yes -d 'Do not ask before changing more than three tasks'
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand unblock" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand undo" -l key -d 'Do it once, however often it is sent with this key' -r
complete -c keiko -n "__fish_keiko_using_subcommand undo" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand undo" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand undo" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand undo" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand op; and not __fish_seen_subcommand_from list show" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand op; and not __fish_seen_subcommand_from list show" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand op; and not __fish_seen_subcommand_from list show" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand op; and not __fish_seen_subcommand_from list show" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand op; and not __fish_seen_subcommand_from list show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand op; and not __fish_seen_subcommand_from list show" -f -a "list" -d 'Shows what was done, latest first'
complete -c keiko -n "__fish_keiko_using_subcommand op; and not __fish_seen_subcommand_from list show" -f -a "show" -d 'Shows one change'
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from list" -l limit -d 'At most so many (20)' -r
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from list" -l before -d 'Go on with what came before: the number that the last line names' -r
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from list" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from list" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from list" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from show" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from show" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from show" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand op; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand history" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand history" -l full -d 'With --json: each event with the task as it then was'
complete -c keiko -n "__fish_keiko_using_subcommand history" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand history" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand history" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand history" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand agenda" -l limit -d 'At most so many lines' -r
complete -c keiko -n "__fish_keiko_using_subcommand agenda" -l tz -d 'The zone in which the days are read and shown' -r
complete -c keiko -n "__fish_keiko_using_subcommand agenda" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand agenda" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand agenda" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand agenda" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand agenda" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand away" -l except -d 'Tasks with this tag ring all the same, such as +med' -r
complete -c keiko -n "__fish_keiko_using_subcommand away" -l tz -d 'The zone in which the words are read' -r
complete -c keiko -n "__fish_keiko_using_subcommand away" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand away" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand away" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand away" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand away" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand why" -l since -d 'From when on: "yesterday 9am", "monday", or how long back, "2h"' -r
complete -c keiko -n "__fish_keiko_using_subcommand why" -l until -d 'Up to when' -r
complete -c keiko -n "__fish_keiko_using_subcommand why" -l limit -d 'Of at most so many events, the latest (1000)' -r
complete -c keiko -n "__fish_keiko_using_subcommand why" -l before -d 'Go on with what came before: the number that the first line of the story names' -r
complete -c keiko -n "__fish_keiko_using_subcommand why" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand why" -l all -d 'Tell each time, however alike they were'
complete -c keiko -n "__fish_keiko_using_subcommand why" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand why" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand why" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand why" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand parse" -l now -d 'What "now" is, as RFC 3339' -r
complete -c keiko -n "__fish_keiko_using_subcommand parse" -l tz -d 'The zone in which times are meant' -r
complete -c keiko -n "__fish_keiko_using_subcommand parse" -l dialect -d 'Whether 6/5 is in June (us) or in May (uk)' -r -f -a "us\t'Month first'
uk\t'Day first'"
complete -c keiko -n "__fish_keiko_using_subcommand parse" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand parse" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand parse" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand parse" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand parse" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand status" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand status" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand status" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand status" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -f -a "list" -d 'Show every target, how it does, and what waits for it'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -f -a "add" -d 'Add a target to the configuration; on a terminal it asks for what the kind needs'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -f -a "remove" -d 'Remove a target from the configuration, with the secrets that were kept for it'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -f -a "test" -d 'Send one message that is no task\'s, and say what came of it'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -f -a "pause" -d 'Send nothing there; what is for it is held'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and not __fish_seen_subcommand_from list add remove test pause resume" -f -a "resume" -d 'Send there again, and what was held for it'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from list" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from list" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from list" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l allow-redirects -d 'Whether to go where an answer points, true or false (webhook)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l answers-url -d 'Address of the topic on which its buttons answer (ntfy)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l answers-url-command -d 'A program that prints it, such as \'pass show keiko\' (answers_url)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l answers-url-env -d 'The variable of the daemon\'s environment that holds it (answers_url)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l answers-url-file -d 'A file that holds it; - reads it from standard input (answers_url)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l api-url -d 'Address of another server of the same interface (telegram)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l buttons -d 'Whether its messages have buttons, true or false (telegram)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l ca-file -d 'Certificates (PEM) to trust beside the system\'s' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l chat -d 'The number of a chat, or @name of a channel (telegram)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l command -d 'The program and its arguments (exec)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l from -d 'The address that mails come from (mail)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l host -d 'The server that takes mails (mail)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l password -d 'The password of that user (mail)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l password-command -d 'A program that prints it, such as \'pass show keiko\' (password)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l password-env -d 'The variable of the daemon\'s environment that holds it (password)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l password-file -d 'A file that holds it; - reads it from standard input (password)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l port -d 'The port of that server (mail)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l preset -d 'What it expects: generic, slack, discord or dingtalk (webhook)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l secret -d 'What requests are signed with (webhook, feishu)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l secret-command -d 'A program that prints it, such as \'pass show keiko\' (secret)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l secret-env -d 'The variable of the daemon\'s environment that holds it (secret)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l secret-file -d 'A file that holds it; - reads it from standard input (secret)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l security -d 'How the server is spoken to: tls, starttls or none (mail)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l timeout-s -d 'How long an attempt may take in all, in seconds' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l to -d 'The address that mails go to; give it once for each (mail)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l token -d 'The token of the bot (telegram), or of the topic (ntfy)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l token-command -d 'A program that prints it, such as \'pass show keiko\' (token)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l token-env -d 'The variable of the daemon\'s environment that holds it (token)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l token-file -d 'A file that holds it; - reads it from standard input (token)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l url -d 'The address, often the whole key to it (webhook, ntfy, feishu, wecom)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l url-command -d 'A program that prints it, such as \'pass show keiko\' (url)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l url-env -d 'The variable of the daemon\'s environment that holds it (url)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l url-file -d 'A file that holds it; - reads it from standard input (url)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l user -d 'The user of that server (mail)' -r
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l no-test -d 'Send no message to try it'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from remove" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from remove" -l force -d 'Also where tasks or rules name it: rules lose it, and what tasks say there waits'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from remove" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from remove" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from test" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from test" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from test" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from test" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from pause" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from pause" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from pause" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from pause" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from pause" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from resume" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from resume" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from resume" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from resume" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand channel; and __fish_seen_subcommand_from resume" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -f -a "show" -d 'Show every key, what holds, and where it comes from; secrets are not shown'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -f -a "get" -d 'Print what holds of one key'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -f -a "set" -d 'Let a key say something else; comments and order of the file stay'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -f -a "unset" -d 'Let a key say nothing, so that the default holds'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -f -a "check" -d 'Say all that is wrong with the file, and what is odd; exit code 1 where something is wrong or a key is unknown'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -f -a "default" -d 'Print a whole configuration that says what holds anyway, with every key explained'
complete -c keiko -n "__fish_keiko_using_subcommand config; and not __fish_seen_subcommand_from show get set unset check default path" -f -a "path" -d 'Print where the file is, or would be'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from show" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from show" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from show" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from get" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from get" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from get" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from set" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from set" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from set" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from set" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from unset" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from unset" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from unset" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from unset" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from unset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from check" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from check" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from check" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from default" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from default" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from default" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from default" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from default" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from path" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from path" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from path" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from path" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand config; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and not __fish_seen_subcommand_from status start reload stop" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and not __fish_seen_subcommand_from status start reload stop" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and not __fish_seen_subcommand_from status start reload stop" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and not __fish_seen_subcommand_from status start reload stop" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and not __fish_seen_subcommand_from status start reload stop" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and not __fish_seen_subcommand_from status start reload stop" -f -a "status" -d 'Show how it is; exit code 6 where there is none'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and not __fish_seen_subcommand_from status start reload stop" -f -a "start" -d 'Start it where there is none'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and not __fish_seen_subcommand_from status start reload stop" -f -a "reload" -d 'Let it read its configuration anew; one that is wrong is refused, and the former one holds'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and not __fish_seen_subcommand_from status start reload stop" -f -a "stop" -d 'Stop it in order; exit code 6 where there is none'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from status" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from status" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from status" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from start" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from start" -l empty -d 'Begin with no tasks where the database was damaged and is set aside'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from start" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from start" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from start" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from start" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from reload" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from reload" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from reload" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from reload" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from reload" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from stop" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from stop" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from stop" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from stop" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand daemon; and __fish_seen_subcommand_from stop" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand backup" -l keep -d 'Keep so many of the backups that were made there under a date, and remove older ones' -r
complete -c keiko -n "__fish_keiko_using_subcommand backup" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand backup" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand backup" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand backup" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand backup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand restore" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand restore" -l dry-run -d 'Check the backup and say what it holds, and change nothing'
complete -c keiko -n "__fish_keiko_using_subcommand restore" -s y -l yes -d 'Do not ask'
complete -c keiko -n "__fish_keiko_using_subcommand restore" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand restore" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand restore" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand export" -l format -d 'In which form; without it the file\'s name says so, else jsonl' -r -f -a "jsonl\t'Everything, as lines of JSON: what an empty Keiko becomes the same by'
ics\t'iCalendar: to-dos with their alarms'
taskwarrior\t'JSON as Taskwarrior exports and imports it'"
complete -c keiko -n "__fish_keiko_using_subcommand export" -l stage -d 'Those in a stage, such as due or late; several with commas' -r
complete -c keiko -n "__fish_keiko_using_subcommand export" -l text -d 'Those with words in title or note' -r
complete -c keiko -n "__fish_keiko_using_subcommand export" -l due -d 'Those due within days: today, this week, A..B' -r
complete -c keiko -n "__fish_keiko_using_subcommand export" -l before -d 'Those due before a day or time' -r
complete -c keiko -n "__fish_keiko_using_subcommand export" -l after -d 'Those due behind a day, or from a time on' -r
complete -c keiko -n "__fish_keiko_using_subcommand export" -l tag -d 'Those with a tag; several must all be there. +TAG says the same' -r
complete -c keiko -n "__fish_keiko_using_subcommand export" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand export" -s a -l all -d 'Also tasks that have ended, where only some are written'
complete -c keiko -n "__fish_keiko_using_subcommand export" -l force -d 'Take the place of a file that is there'
complete -c keiko -n "__fish_keiko_using_subcommand export" -l series -d 'Those that repeat'
complete -c keiko -n "__fish_keiko_using_subcommand export" -l one-shot -d 'Those that do not repeat'
complete -c keiko -n "__fish_keiko_using_subcommand export" -l attention -d 'Those with which something is wrong: failed or not sent, missed, past their deadline, due for an hour unanswered'
complete -c keiko -n "__fish_keiko_using_subcommand export" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand export" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand export" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand import; and not __fish_seen_subcommand_from crontab" -l format -d 'In which form; without it what the file says and its name tell' -r -f -a "jsonl\t'Everything, as lines of JSON: what an empty Keiko becomes the same by'
ics\t'iCalendar: to-dos with their alarms'
taskwarrior\t'JSON as Taskwarrior exports and imports it'"
complete -c keiko -n "__fish_keiko_using_subcommand import; and not __fish_seen_subcommand_from crontab" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand import; and not __fish_seen_subcommand_from crontab" -l dry-run -d 'Say what would be added, and add nothing'
complete -c keiko -n "__fish_keiko_using_subcommand import; and not __fish_seen_subcommand_from crontab" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand import; and not __fish_seen_subcommand_from crontab" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand import; and not __fish_seen_subcommand_from crontab" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand import; and not __fish_seen_subcommand_from crontab" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand import; and not __fish_seen_subcommand_from crontab" -a "crontab" -d 'Adds a task for each line of a crontab'
complete -c keiko -n "__fish_keiko_using_subcommand import; and __fish_seen_subcommand_from crontab" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand import; and __fish_seen_subcommand_from crontab" -l system -d 'Each line names for whom it is run, as those of /etc/crontab and /etc/cron.d do: only yours are taken'
complete -c keiko -n "__fish_keiko_using_subcommand import; and __fish_seen_subcommand_from crontab" -l dry-run -d 'Say what would be added, and add nothing'
complete -c keiko -n "__fish_keiko_using_subcommand import; and __fish_seen_subcommand_from crontab" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand import; and __fish_seen_subcommand_from crontab" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand import; and __fish_seen_subcommand_from crontab" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand import; and __fish_seen_subcommand_from crontab" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand wait" -l for -d 'What to wait for' -r -f -a "fired\t'It rings, or is due in silence'
done\t'It is done'"
complete -c keiko -n "__fish_keiko_using_subcommand wait" -l timeout -d 'How long at most: 5m, 1h 30m' -r
complete -c keiko -n "__fish_keiko_using_subcommand wait" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand wait" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand wait" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand wait" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand wait" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand watch" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand watch" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand watch" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand watch" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand events" -l since -d 'Only those behind this seq' -r
complete -c keiko -n "__fish_keiko_using_subcommand events" -l task -d 'Only those of this task: its number, the beginning of its id, or words of its title' -r
complete -c keiko -n "__fish_keiko_using_subcommand events" -l limit -d 'At most so many' -r
complete -c keiko -n "__fish_keiko_using_subcommand events" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand events" -s f -l follow -d 'Go on with what happens, until interrupted'
complete -c keiko -n "__fish_keiko_using_subcommand events" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand events" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand events" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand events" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand rpc" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand rpc" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand rpc" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand rpc" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand rpc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand prompt" -l format -d 'What is shown, such as \'[{due} due][, {next} {in}]\'' -r
complete -c keiko -n "__fish_keiko_using_subcommand prompt" -l width -d 'How many cells of a title are shown at most' -r
complete -c keiko -n "__fish_keiko_using_subcommand prompt" -l escape -d 'Double what that program takes for its own: % for zsh, # for tmux' -r -f -a "zsh\t'A prompt of zsh, in which % means something'
tmux\t'A status line of tmux, in which # means something'"
complete -c keiko -n "__fish_keiko_using_subcommand prompt" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand prompt" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand prompt" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand prompt" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand prompt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand mcp" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand mcp" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand mcp" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand mcp" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keiko -n "__fish_keiko_using_subcommand help" -l color -d 'Whether to show colours' -r -f -a "auto\t'On a terminal that knows colours, unless `NO_COLOR` is set'
always\t'Also into pipes and files'
never\t'Nowhere'"
complete -c keiko -n "__fish_keiko_using_subcommand help" -l json -d 'Give results and errors as JSON'
complete -c keiko -n "__fish_keiko_using_subcommand help" -s q -l quiet -d 'Leave out confirmations and hints'
complete -c keiko -n "__fish_keiko_using_subcommand help" -l print-id -d 'Print the UUID of the task and nothing else'
complete -c keiko -n "__fish_keiko_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'
