import { placeholder, type ClientCommand, type CommandField } from './command-table.ts'

type Fields = Pick<ClientCommand, 'fields' | 'positionals'>

/** The command line arguments for these field values. */
export function argumentsOf({ fields, positionals }: Fields, values: Record<string, unknown>): string[] {
  const missing = positionals.findIndex((name) => values[name] === undefined)
  const leading = positionals.slice(0, missing === -1 ? undefined : missing)
  const byName = (name: string) => fields.find((field) => field.name === name) as CommandField
  const words = leading.flatMap((name) => textsOf(byName(name), values[name]))
  const options = fields
    .filter(({ name }) => values[name] !== undefined && !leading.includes(name))
    .flatMap((field) => optionOf(field, values[field.name]))
  return words.some((word) => word.startsWith('-')) ? [...options, '--', ...words] : [...words, ...options]
}

/** The arguments as one shell line, with placeholders for ids and file names for pages. */
export function renderExample(command: Fields, values: Record<string, unknown>): string {
  const shown = command.fields.flatMap((field) => {
    const value = values[field.name]
    return value === undefined ? [] : [[field.name, exampleValue(field, value)] as const]
  })
  const words = argumentsOf(command, Object.fromEntries(shown)).map((word) => word.replace(/^@@/, '@'))
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
}

function exampleValue(field: CommandField, value: unknown): unknown {
  if (field.long && String(value).includes('\n')) return '@text.md'
  return JSON.parse(JSON.stringify(value).replaceAll(/"0\w*example\w*"/g, `"${placeholder(field)}"`))
}

function optionOf(field: CommandField, value: unknown): string[] {
  if (value === null) return [`--no-${field.option}`]
  if (field.kind === 'switch')
    return [value === true || value === 'true' ? `--${field.option}` : `--no-${field.option}`]
  return textsOf(field, value).flatMap((text) =>
    text.startsWith('-') ? [`--${field.option}=${text}`] : [`--${field.option}`, text],
  )
}

function textsOf({ kind, long }: CommandField, value: unknown): string[] {
  if (kind === 'json') return [JSON.stringify(value)]
  const texts = kind === 'list' ? [value].flat().map(String) : [String(value)]
  // An empty list, or one with a comma in a value, can only be passed as JSON.
  if (kind === 'list' && (texts.length === 0 || texts.some((text) => /^\[|,/.test(text))))
    return [JSON.stringify(value)]
  return long ? texts.map((text) => (/^(?:@|-$)/.test(text) ? `@${text}` : text)) : texts
}
