import { placeholder, type ClientCommand, type CommandField } from './command-table.ts'
import { readArguments, type OptionDefinition, type ReadArguments } from './read-arguments.ts'
import { UsageError } from './usage-error.ts'

/** Options of all client commands. */
export const sharedOptions: Record<string, OptionDefinition> = {
  url: {
    takesValue: true,
    value: 'URL',
    about:
      'The address of the server, such as https://books.example.com. Default: LECTERN_URL, then the address in the profile.',
  },
  key: {
    takesValue: true,
    value: 'KEY',
    about: 'An API key; - asks for it, or reads it from stdin. Default: LECTERN_KEY, then the key in the profile.',
  },
  profile: {
    takesValue: true,
    value: 'NAME',
    about: 'The profile that lectern login has stored; lectern profiles lists them.',
  },
  json: { takesValue: false, about: 'Print the answer as the server sends it, and refusals as JSON.' },
  help: { takesValue: false, short: 'h', about: 'Show the arguments and options of the command.' },
}

/** Reads the texts that `@FILE` and `-` refer to. */
export interface TextSource {
  readFile(path: string): Promise<string>
  readStdin(): Promise<string>
}

/** The parsed input of a command. */
export interface CommandInput {
  /** Values by field name, as JSON. */
  values: Record<string, unknown>
  /** Values of `sharedOptions` and `--output`. */
  options: ReadArguments['options']
}

/** Parses the arguments of a command. Throws a `UsageError` that names the option. */
export async function readInput(
  command: ClientCommand,
  args: readonly string[],
  source: TextSource,
): Promise<CommandInput> {
  const { words, options } = readArguments(args, optionsOf(command))
  const texts = new Map<CommandField, (string | true | null)[]>()
  for (const field of command.fields) {
    const given = [
      ...(options.get(field.option) ?? []),
      ...(options.has(`no-${field.option}`) ? [field.kind === 'switch' ? 'false' : null] : []),
    ]
    if (given.length > 0) texts.set(field, given)
  }
  if (!options.has('help')) assignWords(command, { words, texts })
  const values: Record<string, unknown> = {}
  for (const [field, given] of texts) values[field.name] = await readValue(field, given, source)
  const missing = command.fields.find((field) => field.required && values[field.name] === undefined)
  if (missing && !options.has('help')) throw new UsageError(describeMissing(command, missing))
  return { values, options }
}

/** All options of a command. The names of its fields take precedence over those of all commands. */
export function optionsOf({ fields, file }: ClientCommand): Record<string, OptionDefinition> {
  const own = fields.flatMap((field) => [
    [field.option, { takesValue: field.kind !== 'switch' }] as const,
    ...(field.kind === 'switch' || field.nullable ? [[`no-${field.option}`, { takesValue: false }] as const] : []),
  ])
  return { ...sharedOptions, ...(file ? { output: { takesValue: true, short: 'o' } } : {}), ...Object.fromEntries(own) }
}

/** Assigns words to the positionals whose option is not given. */
function assignWords(
  { fields, positionals, rest }: ClientCommand,
  { words, texts }: { words: readonly string[]; texts: Map<CommandField, (string | true | null)[]> },
): void {
  const open = positionals
    .map((name) => fields.find((field) => field.name === name) as CommandField)
    .filter((field) => !texts.has(field))
  const remaining = [...words]
  for (const [i, field] of open.entries()) {
    if (remaining.length === 0) break
    const isLast = i === open.length - 1 && field.name === positionals.at(-1)
    const taken = isLast && rest ? remaining.splice(0) : remaining.splice(0, 1)
    texts.set(field, isLast && rest === 'words' ? [taken.join(' ')] : taken)
  }
  if (remaining.length > 0) throw new UsageError(`unexpected word: ${remaining[0]}. A value with spaces needs quotes.`)
}

function describeMissing({ positionals }: ClientCommand, field: CommandField): string {
  return positionals.includes(field.name) ? `${placeholder(field)} is missing` : `--${field.option} is missing`
}

async function readValue(
  field: CommandField,
  given: readonly (string | true | null)[],
  source: TextSource,
): Promise<unknown> {
  const [first = null] = given
  if (field.kind !== 'list' && given.length > 1) throw new UsageError(`--${field.option} is given twice`)
  if (first === null) return null
  if (first === true) return true
  if (field.kind === 'list') return readList(field, given as string[])
  if (field.kind === 'switch') return first === 'true'
  if (field.kind === 'number') return readNumber(field, first)
  if (field.kind === 'json') return readJson(field, await readText(first, source))
  if (field.values && !field.values.includes(first))
    throw new UsageError(`--${field.option}: must be one of ${field.values.join(', ')}`)
  return field.long ? readText(first, source) : first
}

/** A single text is split at commas, unless it is JSON; several texts are used as they are. */
function readList(field: CommandField, given: readonly string[]): unknown[] {
  const [first = ''] = given
  if (given.length === 1 && first.startsWith('[')) {
    const list = readJson(field, first)
    if (!Array.isArray(list)) throw new UsageError(`--${field.option}: must be a JSON array`)
    return list
  }
  const texts = given.length === 1 ? first.split(',').map((text) => text.trim()) : given
  return field.numbers ? texts.map((text) => readNumber(field, text)) : [...texts]
}

function readNumber({ option }: CommandField, text: string): number {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new UsageError(`--${option}: must be a number`)
  return Number(text)
}

function readJson({ option }: CommandField, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--${option}: must be JSON, or @FILE with JSON`)
  }
}

/** Reads a text value: `@FILE` reads a file, `-` reads stdin, and `@@` escapes a leading `@`. */
function readText(text: string, source: TextSource): Promise<string> | string {
  if (text === '-') return source.readStdin()
  if (text.startsWith('@@') || text === '@-') return text.slice(1)
  return text.startsWith('@') ? source.readFile(text.slice(1)) : text
}
