import type { ReadArguments } from './read-arguments.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Shell scripts that complete words with `lectern --complete WORDS…`; the last word is being typed. */
export const scripts: Record<string, string> = {
  bash: `_lectern() {
  local IFS=$'\\n'
  COMPREPLY=($(lectern --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _lectern lectern
`,
  zsh: `#compdef lectern
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
_lectern() {
  local -a found
  found=("\${(@f)$(lectern --complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
}
compdef _lectern lectern
`,
  fish: `function __lectern_complete
  set -l words (commandline -opc) (commandline -ct)
  lectern --complete $words[2..-1] 2>/dev/null
end
complete -c lectern -a '(__lectern_complete)'
`,
}

/** Prints the completion script of a shell. */
export async function printCompletion({ words }: ReadArguments, { stdout }: Terminal): Promise<number> {
  const [shell = ''] = words
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined || words.length > 1) throw new UsageError('name a shell: bash, zsh or fish')
  stdout.write(script)
  return 0
}
