import { BSONRegExp } from 'bson'
import type { Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'

/** A regular expression as BSON stores it. */
export type Regex = Pick<BSONRegExp, 'pattern' | 'options'>

/** The parts of a regular expression of the supported kind. */
export type TextPattern = { text: string; anchored: boolean; ignoreCase: boolean }

/**
 * Parses a pattern of literal text with an optional leading `^` and the optional option `i`; a backslash escapes
 * special characters. Refuses other PCRE constructs (CommandNotSupported) and unknown options (MongoDB's error 51108).
 */
export function parsePattern({ pattern, options }: Regex): TextPattern {
  const invalid = [...options].find((option) => !'imsxu'.includes(option))
  if (invalid !== undefined) throw new CommandError('Location51108', `invalid flag in regex options: ${invalid}`)
  if (pattern.includes('\0')) {
    throw new CommandError('Location51109', 'Regular expression cannot contain an embedded null byte')
  }
  if (/[^i]/.test(options)) throw notSupported(`/${pattern}/${options}`)
  const anchored = pattern.startsWith('^')
  const literal = /^(?:[^\\.[\](){}*+?|^$]|\\[^A-Za-z0-9])*$/u.exec(anchored ? pattern.slice(1) : pattern)
  if (!literal) throw notSupported(`/${pattern}/${options}`)
  return { text: literal[0].replaceAll(/\\(.)/gsu, '$1'), anchored, ignoreCase: options !== '' }
}

function notSupported(regex: string): CommandError {
  return new CommandError(
    'CommandNotSupported',
    `The regular expression ${regex} is not supported by this store: only literal text, ^ at the start, and the option i are`,
  )
}

/** A test of strings against the pattern. */
export function textTest({ text, anchored, ignoreCase }: TextPattern): (value: string) => boolean {
  if (!ignoreCase) return anchored ? (value) => value.startsWith(text) : (value) => value.includes(text)
  const literal = text.replaceAll(/[\\.[\](){}*+?|^$/]/g, String.raw`\$&`)
  const compiled = new RegExp(anchored ? `^${literal}` : literal, 'iu')
  return (value) => compiled.test(value)
}

/** The regular expression that `$regex` and `$options` describe together. */
export function regexOf(pattern: Value, options: Value): Regex {
  if (options !== undefined && typeof options !== 'string') {
    throw new CommandError('BadValue', '$options has to be a string')
  }
  if (typeof pattern === 'string') return { pattern, options: options ?? '' }
  if (!(pattern instanceof BSONRegExp)) throw new CommandError('BadValue', '$regex has to be a string')
  if (options === undefined) return pattern
  if (pattern.options !== '') throw new CommandError('Location51075', 'options set in both $regex and $options')
  return { pattern: pattern.pattern, options }
}
