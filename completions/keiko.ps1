# Completes keiko in PowerShell; made by `keiko completions powershell`. The program itself says what fits.

Register-ArgumentCompleter -Native -CommandName keiko -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $before = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() } })
    $program = Get-Command -Name keiko -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
    if (-not $program) { return }

    # An empty last word is lost on its way to a program unless it is quoted.
    $current = if ($wordToComplete) { $wordToComplete } elseif ($PSVersionTable.PSVersion -ge '7.3') { '' } else { '""' }
    $answer = @(& $program __complete powershell @before $current 2>$null)
    if ($answer.Count -eq 0) { return }

    if ($answer[0] -match '[fdc]') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
    }
    foreach ($line in $answer | Select-Object -Skip 1) {
        $value, $about = $line -split "`t", 2
        if (-not $about) { $about = $value }
        # What PowerShell would look into stands in quotes.
        $text = if ($value -match '^[\p{L}\p{N}_./:=+-]+$') { $value } else { "'" + $value.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
