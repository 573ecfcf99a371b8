import { loadCommands } from './command-table.ts'
import { ownCommands } from './own-commands.ts'
import { optionsOf } from './read-input.ts'
import type { ReadArguments } from './read-arguments.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** What a shell runs to complete words: `lectern --complete WORDS…`, the last of which is being typed. */
const scripts: Record<string, string> = {
  bash: `_lectern() {
  local IFS=$'\\n'
  COMPREPLY=($(lectern --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _lectern lectern
`,
  zsh: `#compdef lectern
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

/** Prints the script of a shell. */
export async function printCompletion({ words }: ReadArguments, { stdout }: Terminal): Promise<number> {
  const script = scripts[words[0] ?? '']
  if (script === undefined || words.length > 1) throw new UsageError('name a shell: bash, zsh or fish')
  stdout.write(script)
  return 0
}

/** Prints what the last word may become. */
export async function complete(words: readonly string[], { stdout }: Terminal): Promise<number> {
  const typed = words.at(-1) ?? ''
  const found = candidates(words.slice(0, -1), typed).filter((candidate) => candidate.startsWith(typed))
  if (found.length > 0) stdout.write(`${found.join('\n')}\n`)
  return 0
}

function candidates(before: readonly string[], typed: string): string[] {
  const { commands, local } = loadCommands()
  const names = before.filter((word) => !word.startsWith('-'))
  const line = names.join(' ')
  const isCommand = ({ name }: { name: string }) => line === name || line.startsWith(`${name} `)
  const derived = commands.find(isCommand)
  const last = before.at(-1) ?? ''
  const field = derived?.fields.find(({ option }) => last === `--${option}`)
  if (field?.values) return field.values
  if (typed.startsWith('-')) {
    const own = ownCommands.find(isCommand)
    if (derived || own)
      return Object.keys(derived ? optionsOf(derived) : (own?.options ?? {})).map((name) => `--${name}`)
    return [...new Set((local.find(isCommand)?.usage ?? '').match(/--[a-z-]+/g))]
  }
  if (line === 'completion') return Object.keys(scripts)
  const words = names[0] === 'help' ? names.slice(1) : names
  const all = [...commands, ...ownCommands, ...local, { name: 'help' }].map(({ name }) => name.split(' '))
  return [
    ...new Set(
      all.filter((name) => words.every((word, i) => name[i] === word)).map((name) => name[words.length] ?? ''),
    ),
  ].filter((word) => word !== '')
}
