import { placeholder, type ClientCommand, type CommandField, type CommandTable } from './command-table.ts'
import { shortNames } from './derive-name.ts'
import { ownCommands, type OwnCommand } from './own-commands.ts'
import type { OptionDefinition } from './read-arguments.ts'
import { sharedOptions } from './read-input.ts'

/** The `--help` text for these words: all groups, one group, or one command; null if the name is unknown. */
export function helpFor(words: readonly string[], table: CommandTable): string | null {
  if (words.length === 0) return overview(table)
  const name = words.join(' ')
  const derived = table.commands.find((command) => command.name === name)
  if (derived) return commandHelp(derived)
  const own = ownCommands.find((command) => command.name === name)
  if (own) return ownHelp(own)
  const local = table.local.find((command) => command.name === name)
  if (local) return block(`Usage: ${usageOf(local)}`, local.summary)
  const ofTopic = table.commands.filter((command) => command.name.startsWith(`${name} `))
  if (ofTopic.length > 0) return topicHelp(name, ofTopic, table)
  const ofGroup = table.local.filter((command) => command.name.startsWith(`${name} `))
  if (ofGroup.length === 0) return null
  return `${ofGroup.map((command) => `  ${usageOf(command)}\n      ${command.summary}`).join('\n')}\n`
}

function usageOf({ name, usage }: { name: string; usage: string }): string {
  return `lectern ${name} ${usage}`.trim()
}

function ownHelp(command: OwnCommand): string {
  return block(`Usage: ${usageOf(command)}`, command.summary, optionRows(command.options))
}

function optionRows(options: Readonly<Record<string, OptionDefinition>>): string {
  return rows(Object.entries(options).map(([name, option]) => [optionForm(name, option), option.about ?? '']))
}

/** The form of an option: `--url URL`, `--help, -h`. */
export function optionForm(name: string, { value, short }: OptionDefinition): string {
  return `--${name}${value === undefined ? '' : ` ${value}`}${short === undefined ? '' : `, -${short}`}`
}

function overview({ topics, commands, local }: CommandTable): string {
  const daily = commands.filter(({ name }) => shortNames.some((short) => short.name === name) || name === 'whoami')
  const groups = Map.groupBy(local, ({ name }) => name.split(' ')[0] as string)
  return block(
    'Usage: lectern COMMAND … [options]',
    'Read, search and fill a library of books on a Lectern server, or run one. To use a server, sign in first:\nlectern login --url https://books.example.com. To run one on this machine: lectern start.',
    `Often used\n${rows(daily.map(({ name, title }) => [name, title]))}`,
    `Use a server\n${rows(Object.entries(topics))}`,
    `Sign in, send files\n${rows(ownCommands.map(({ name, summary }) => [name, firstSentence(summary)]))}`,
    `Options of all commands that use a server\n${optionRows(sharedOptions)}`,
    `Run and administer a server, on its own data\n${rows([...groups].map(([name, of]) => [name, groupSummary(name, of)]))}`,
    'lectern help COMMAND shows details, such as lectern help items or lectern help items list.\nlectern --version prints the version.',
  )
}

function groupSummary(name: string, commands: CommandTable['local']): string {
  if (commands.length === 1 && commands[0]?.name === name) return firstSentence(commands[0].summary)
  return commands.map((command) => command.name.slice(name.length + 1)).join(', ')
}

function topicHelp(name: string, commands: readonly ClientCommand[], { topics, local }: CommandTable): string {
  const ofGroup = local.filter((command) => command.name.startsWith(`${name} `))
  return block(
    `Usage: lectern ${name} COMMAND …`,
    `${topics[name] ?? name}.`,
    rows(
      [...commands, ...ofGroup.map((command) => ({ ...command, title: firstSentence(command.summary) }))].map(
        (command) => [command.name.slice(name.length + 1), command.title],
      ),
    ),
    `lectern help ${name} COMMAND shows details.`,
  )
}

/** The usage of a command: `lectern shelves add SHELF ITEM_IDS… [options]`. */
export function usageLine(command: ClientCommand): string {
  const { name, fields, positionals, rest } = command
  const words = positionals.map((positional, i) => {
    const field = fields.find((candidate) => candidate.name === positional) as CommandField
    const word = `${placeholder(field)}${rest === 'list' && i === positionals.length - 1 ? '…' : ''}`
    return field.required || i === 0 ? word : `[${word}]`
  })
  const required = fields
    .filter((field) => field.required && !positionals.includes(field.name))
    .map((field) => optionUsage(field))
  const isMore = fields.some((field) => !field.required && !positionals.includes(field.name))
  return ['lectern', name, ...words, ...required, ...(isMore ? ['[options]'] : [])].join(' ')
}

function commandHelp(command: ClientCommand): string {
  const { description, fields, positionals, example, file } = command
  const own = positionals.map((name) => fields.find((field) => field.name === name) as CommandField)
  const options = fields.filter((field) => !own.includes(field))
  const hasLists = fields.some(({ kind }) => kind === 'list')
  const hasFiles = fields.some(({ long, kind }) => long || kind === 'json')
  const notes = [
    ...(hasLists ? ['Give a list as one value with commas, by repeating the option, or as a JSON array.'] : []),
    ...(hasFiles ? ['@FILE means the text of a file, - the text from stdin.'] : []),
  ]
  return block(
    `Usage: ${usageLine(command)}`,
    description,
    rows(own.map((field) => [placeholder(field), explain(field, command)])),
    rows([
      ...options.map((field) => [optionUsage(field), explain(field, command)] as [string, string]),
      ...(file ? ([['--output FILE, -o', 'Where to write the file; - is stdout.']] as [string, string][]) : []),
      ['--json', file ? 'Write the file to stdout, and refusals as JSON.' : 'Print the answer as the server sends it.'],
    ]),
    notes.join('\n'),
    example === undefined ? '' : `Example:\n  lectern ${command.name} ${example}`,
    'Options for the server are --url, --key and --profile: see lectern help.',
  )
}

/** The form of a derived option with its value: `--role OWNER|ADMIN|MEMBER`. */
export function optionUsage({ option, kind, values, long, nullable }: CommandField): string {
  if (kind === 'switch') return `--[no-]${option}`
  const forms = { text: long ? 'TEXT|@FILE|-' : 'TEXT', number: 'N', list: 'A,B', json: 'JSON|@FILE|-', switch: '' }
  const shown = values && values.join('|').length <= 40 ? values.join('|') : forms[kind]
  return `--${option} ${shown}${nullable ? `, --no-${option}` : ''}`
}

/** The description of a value, with field names replaced by their options. */
export function explain(
  { name, option, description = '', values, nullable }: CommandField,
  { fields, positionals }: ClientCommand,
): string {
  const said = description.replaceAll(/`(\w+)`/g, (quoted, word: string) => {
    const field = fields.find((candidate) => candidate.name === word)
    if (!field) return quoted
    return positionals.includes(word) ? placeholder(field) : `--${field.option}`
  })
  const allowed = values && values.join('|').length > 40 ? `One of ${values.join(', ')}.` : ''
  const full = description.includes(values?.[0] ?? '\0') ? '' : allowed
  const empties = nullable && !positionals.includes(name) ? `--no-${option}: none.` : ''
  return [said.replace('; null removes it', ''), full, empties].filter((text) => text !== '').join(' ')
}

/** Formats two columns; a long left side gets a line of its own. */
function rows(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.min(30, Math.max(0, ...pairs.map(([left]) => left.length)))
  return pairs
    .map(([left, right]) => {
      if (right === '') return `  ${left}`
      const [first = '', ...others] = wrap(right, 96 - width)
      const below = others.map((line) => `\n${' '.repeat(width + 4)}${line}`).join('')
      return left.length > width
        ? `  ${left}\n${' '.repeat(width + 4)}${first}${below}`
        : `  ${left.padEnd(width)}  ${first}${below}`
    })
    .join('\n')
}

function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) as string
    if (line !== '' && line.length + word.length + 1 > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}

/** The first sentence of a summary. */
function firstSentence(text: string): string {
  return /^.*?(?=[.:;](?: |$)|$)/.exec(text.replaceAll(/ \([^)]*\)/g, ''))?.[0] ?? text
}

function block(...parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}
