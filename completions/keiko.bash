# Completes keiko in bash; made by `keiko completions bash`. The program itself says what fits, and reads the line as it
# stands: nothing of it is expanded here.

_keiko() {
    local program=$1 directive='' entry
    COMPREPLY=()
    [[ $program == '~/'* ]] && program=$HOME/${program#'~/'}
    while IFS= read -r entry; do
        if [[ -z $directive ]]; then
            directive=$entry
        else
            COMPREPLY+=("$entry")
        fi
    done < <(command "$program" __complete bash "${COMP_TYPE:-9}" "${COLUMNS:-80}" "${COMP_LINE:0:COMP_POINT}" "$2" \
        2>/dev/null </dev/null)
    # The words stand in their order; bash before 4.4 sorts them, and before 4.0 knows none of these.
    compopt -o nosort 2>/dev/null
    case $directive in
    *f*) compopt -o default 2>/dev/null ;;
    *d*) compopt -o dirnames 2>/dev/null ;;
    *c*)
        while IFS= read -r entry; do
            COMPREPLY+=("$entry")
        done < <(compgen -c -- "$2")
        compopt -o default 2>/dev/null
        ;;
    esac
    [[ $directive == *+* ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -F _keiko keiko
