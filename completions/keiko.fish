# Completes keiko in fish; made by `keiko completions fish`. The program itself says what fits, and reads the words as they
# stand: nothing of them is expanded here.

function __keiko_complete
    set -l before (commandline -opc)
    # A quote that is still open belongs to no word.
    set -l current (string trim --left --chars='"\'' -- (commandline -ct))
    set -l program (string replace -r '^~/' "$HOME/" -- $before[1])
    set -l answer (command $program __complete fish $before "$current" 2>/dev/null </dev/null)
    set -l directive "$answer[1]"
    set -e answer[1]
    # Behind --name= the rest is the value.
    set -l lead (string match -r -- '^--[^=]*=' "$current")
    set -l value (string replace -r -- '^--[^=]*=' '' "$current")
    switch "$directive"
        case '*f*'
            set -a answer "$lead"(__fish_complete_path "$value")
        case '*d*'
            set -a answer "$lead"(__fish_complete_directories "$value" '')
        case '*c*'
            set -a answer (complete -C "$value")
    end
    if set -q answer[1]
        printf '%s\n' $answer
    end
end

complete -c keiko -e
complete -c keiko -f -k -a '(__keiko_complete)'
