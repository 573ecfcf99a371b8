import { loadCommands } from './command-table.ts'
import { ownCommands } from './own-commands.ts'
import { scripts } from './print-completion.ts'
import { optionsOf } from './read-input.ts'
import type { Terminal } from './terminal.ts'

/** Prints the completions of the last word. */
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
