import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { nearestName } from '../text/nearest-name.ts'
import { UsageError } from './usage-error.ts'

/** An option of a command; an option without a value is a switch. */
export interface OptionDefinition {
  takesValue: boolean
  short?: string
  /** The placeholder of the value in help, such as `URL`. */
  value?: string
  /** A description for help. */
  about?: string
}

/** A parsed command line: words, and the values of options in order; a switch has `true`. */
export interface ReadArguments {
  words: string[]
  options: Map<string, (string | true)[]>
}

/** Splits a command line into words and options: `--name value`, `--name=value`, `-o value`, `--` before words. Throws `UsageError`. */
export function readArguments(args: readonly string[], definitions: Record<string, OptionDefinition>): ReadArguments {
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(definitions).map(([name, { takesValue, short }]) => [
      name,
      { type: takesValue ? 'string' : 'boolean', ...(short === undefined ? {} : { short }) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
  const read: ReadArguments = { words: [], options: new Map() }
  for (const token of tokens) {
    if (token.kind === 'positional') read.words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined
    if (!definition) throw new UsageError(unknownOption(rawName, Object.keys(definitions)))
    if (!definition.takesValue && value !== undefined) throw new UsageError(`${rawName} takes no value`)
    if (definition.takesValue && (value === undefined || (!inlineValue && isOption(value, definitions))))
      throw new UsageError(`${rawName} needs a value`)
    read.options.set(name, [...(read.options.get(name) ?? []), value ?? true])
  }
  return read
}

function isOption(text: string, definitions: Record<string, OptionDefinition>): boolean {
  return text.startsWith('--') && (text === '--' || Object.hasOwn(definitions, text.slice(2).split('=')[0] as string))
}

function unknownOption(rawName: string, known: readonly string[]): string {
  const meant = rawName.startsWith('--') ? nearestName(rawName.slice(2), known) : null
  return `unknown option ${rawName}${meant === null ? '' : `. Did you mean --${meant}?`}`
}
