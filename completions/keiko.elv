# Completes keiko in elvish; made by `keiko completions elvish`. The program itself says what fits.

use str

set edit:completion:arg-completer[keiko] = {|@words|
    var answer = [((external keiko) __complete elvish $@words 2>/dev/null </dev/null | from-lines)]
    if (> (count $answer) 0) {
        var directive = $answer[0]
        var end = ' '
        if (str:contains $directive '+') {
            set end = ''
        }
        each {|line|
            var parts = [(str:split "\t" $line)]
            if (> (count $parts) 1) {
                edit:complex-candidate $parts[0] &display=$parts[0]'  '$parts[1] &code-suffix=$end
            } else {
                edit:complex-candidate $parts[0] &code-suffix=$end
            }
        } $answer[1..]
        if (or (str:contains $directive 'f') (str:contains $directive 'd') (str:contains $directive 'c')) {
            edit:complete-filename $words[-1]
        }
    }
}
