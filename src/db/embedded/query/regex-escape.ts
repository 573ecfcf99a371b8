import { CommandError } from '../errors/command-error.ts'

/** A translated piece and the position behind it. */
export type Piece = { text: string; next: number }

/** The refusal of a pattern that is wrong, or that this store cannot match exactly as MongoDB would. */
export function invalidPattern(what: string): CommandError {
  return new CommandError('Location51091', `Regular expression is invalid or not supported: ${what}`)
}

/** Character sets as PCRE defines them without Unicode properties; JavaScript's `\s` is wider. */
export const sets: Readonly<Record<string, string | undefined>> = {
  d: '0-9',
  w: '0-9A-Za-z_',
  s: '\\t-\\r ',
  h: '\\t \\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000',
  v: '\\n-\\r\\x85\\u2028\\u2029',
}

const assertions: Readonly<Record<string, string | undefined>> = {
  b: '\\b',
  B: '\\B',
  A: '(?<![^])',
  z: '(?![^])',
  Z: '(?=\\n?(?![^]))',
  R: '(?:\\r\\n|[\\n-\\r\\x85\\u2028\\u2029])',
  N: '[^\\n]',
  E: '',
}

const controls: Readonly<Record<string, string | undefined>> = {
  t: '\\t',
  n: '\\n',
  r: '\\r',
  f: '\\f',
  a: '\\x07',
  e: '\\x1b',
}

/** A character that stands for itself, in JavaScript's syntax. */
export function escapeLiteral(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character
}

/** Translates what follows a backslash outside a character class. */
export function translateEscape(source: string, at: number): Piece {
  const letter = String.fromCodePoint(source.codePointAt(at + 1) ?? 0)
  if (at + 1 >= source.length) throw invalidPattern('\\ at end of pattern')
  if (letter === 'Q') return quoted(source, at + 2)
  const next = at + 1 + letter.length
  const assertion = Object.hasOwn(assertions, letter) ? assertions[letter] : undefined
  if (assertion !== undefined) return { text: assertion, next }
  const lower = letter.toLowerCase()
  const set = Object.hasOwn(sets, lower) ? sets[lower] : undefined
  if (set !== undefined) return { text: letter === lower ? `[${set}]` : `[^${set}]`, next }
  return translateCharacter(source, at)
}

function quoted(source: string, from: number): Piece {
  const end = source.indexOf('\\E', from)
  const text = end < 0 ? source.slice(from) : source.slice(from, end)
  return { text: [...text].map(escapeLiteral).join(''), next: end < 0 ? source.length : end + 2 }
}

/** Translates an escape that means one character or one Unicode property, the same in and outside a class. */
export function translateCharacter(source: string, at: number): Piece {
  const rest = source.slice(at)
  const letter = String.fromCodePoint(source.codePointAt(at + 1) ?? 0)
  const control = Object.hasOwn(controls, letter) ? controls[letter] : undefined
  if (control !== undefined) return { text: control, next: at + 2 }
  const hex = /^\\x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{0,2}))/.exec(rest)
  if (hex) return { text: `\\u{${hex[1] ?? (hex[2] || '0')}}`, next: at + hex[0].length }
  const octal = /^\\(?:o\{([0-7]{1,7})\}|(0[0-7]{0,2}))/.exec(rest)
  if (octal)
    return { text: `\\u{${Number.parseInt(octal[1] ?? octal[2] ?? '0', 8).toString(16)}}`, next: at + octal[0].length }
  const property = /^\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Z]))/.exec(rest)
  if (property) {
    const negated = (property[1] === 'P') !== (property[2] === '^')
    return { text: `\\${negated ? 'P' : 'p'}{${property[3] ?? property[4]}}`, next: at + property[0].length }
  }
  if (/[A-Za-z0-9]/.test(letter)) throw invalidPattern(`\\${letter}`)
  return { text: letter === '-' ? '\\x2d' : escapeLiteral(letter), next: at + 1 + letter.length }
}
