import { nearestName } from '../text/nearest-name.ts'
import type { ClientCommand, CommandTable } from './command-table.ts'
import { ownCommands, type OwnCommand } from './own-commands.ts'
import { sharedOptions } from './read-input.ts'
import { UsageError } from './usage-error.ts'

/** The command that a command line names, and its arguments; options before the name are kept. */
export type FoundCommand =
  | { kind: 'derived'; command: ClientCommand; args: string[] }
  | { kind: 'own'; command: OwnCommand; args: string[] }
  | { kind: 'help'; words: string[] }
  | { kind: 'version' }
  /** A command for administrators, or a mistyped one. */
  | { kind: 'local' }
  | { kind: 'unknown'; words: string[] }

/** Finds the command of a command line. */
export function findCommand(args: readonly string[], table: CommandTable): FoundCommand {
  const [before, after] = splitOptions(args)
  const [first, second] = after
  const flags = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined)
  const asksHelp = flags.some((arg) => arg === '--help' || arg === '-h')
  if (first === undefined)
    return before.includes('--version') || before.includes('-V') ? { kind: 'version' } : { kind: 'help', words: [] }
  if (first === 'help') return { kind: 'help', words: after.slice(1).filter((word) => !word.startsWith('-')) }
  const names = [`${first} ${second ?? ''}`, first]
  for (const name of names) {
    const rest = [...before, ...after.slice(name.split(' ').length)]
    const command = table.commands.find((candidate) => candidate.name === name)
    const own = ownCommands.find((candidate) => candidate.name === name)
    if (asksHelp && (command || own)) return { kind: 'help', words: name.split(' ') }
    if (command) return { kind: 'derived', command, args: rest }
    if (own) return { kind: 'own', command: own, args: rest }
  }
  if (asksHelp) return { kind: 'help', words: after.filter((word) => !word.startsWith('-')) }
  return isLocalGroup(first, table) ? { kind: 'local' } : { kind: 'unknown', words: after }
}

/** Refuses an unknown name and suggests the nearest one. Throws `UsageError`. */
export function refuseUnknown(words: readonly string[], table: CommandTable): never {
  const [first = ''] = words
  const typed = words
    .filter((word) => !word.startsWith('-'))
    .slice(0, 2)
    .join(' ')
  const names = [...table.commands, ...ownCommands, ...table.local].map(({ name }) => name)
  const firsts = [...new Set(names.map((name) => name.split(' ')[0] as string))]
  const meant = nearestName(typed, names) ?? nearestName(first, firsts)
  const group = names.filter((name) => name.startsWith(`${first} `))
  if (typed === first && group.length > 0) throw new UsageError(describeGroup(first, group))
  const hint =
    meant !== null && meant !== first
      ? `Did you mean ${meant}?\n`
      : group.length > 0
        ? `The commands are: ${group.join(', ')}.\n`
        : ''
  throw new UsageError(`unknown command: ${typed}\n${hint}\nlectern help lists all commands.`)
}

/** The message for a command line that ends after the first word of several commands. */
export function describeGroup(first: string, names: readonly string[]): string {
  return `${first} needs a second word.\nThe commands are: ${names.join(', ')}.\n\nlectern help ${first} explains them.`
}

/** Splits off the options of all commands that precede the name. */
function splitOptions(args: readonly string[]): [before: string[], after: string[]] {
  let i = 0
  while (args[i]?.startsWith('-')) {
    const name = (args[i] as string).slice(2)
    const takesValue = Object.hasOwn(sharedOptions, name) && sharedOptions[name]?.takesValue === true
    i += takesValue ? 2 : 1
  }
  return [args.slice(0, i), args.slice(i)]
}

function isLocalGroup(word: string, { local }: CommandTable): boolean {
  return local.some(({ name }) => name.split(' ')[0] === word)
}
