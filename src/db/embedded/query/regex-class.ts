import { invalidPattern, sets, translateCharacter } from './regex-escape.ts'
import type { Piece } from './regex-escape.ts'

const posix: Readonly<Record<string, string | undefined>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: '0-9A-Za-z',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\t-\\r ',
  blank: '\\t ',
  punct: '!-\\x2f:-@\\x5b-`\\x7b-~',
  xdigit: '0-9A-Fa-f',
  word: '0-9A-Za-z_',
  cntrl: '\\0-\\x1f\\x7f',
  print: ' -~',
  graph: '!-~',
}

/** One member of a class: a single character can be the end of a range, a set cannot. */
type Member = Piece & { single: boolean }

/** Translates a character class `[…]` that begins at the position. */
export function translateClass(source: string, at: number): Piece {
  const negated = source[at + 1] === '^'
  const first = at + (negated ? 2 : 1)
  let members = ''
  let next = first
  while (source[next] !== ']' || next === first) {
    if (next >= source.length) throw invalidPattern('missing terminating ] for character class')
    const member = memberAt(source, next)
    const range = rangeAt(source, member)
    members += range?.text ?? member.text
    next = range?.next ?? member.next
  }
  return { text: `[${negated ? '^' : ''}${members}]`, next: next + 1 }
}

function rangeAt(source: string, from: Member): Piece | undefined {
  if (!from.single || source[from.next] !== '-' || source[from.next + 1] === ']') return undefined
  if (from.next + 1 >= source.length) return undefined
  const to = memberAt(source, from.next + 1)
  return to.single ? { text: `${from.text}-${to.text}`, next: to.next } : undefined
}

function memberAt(source: string, at: number): Member {
  const rest = source.slice(at)
  const named = /^\[:(\^?)([a-z]+):\]/.exec(rest)
  if (named) {
    const set = Object.hasOwn(posix, named[2] ?? '') ? posix[named[2] ?? ''] : undefined
    if (set === undefined || named[1] === '^') throw invalidPattern(`class ${named[0]}`)
    return { text: set, next: at + named[0].length, single: false }
  }
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0)
  if (character === '\\') return escapedMember(source, at)
  const text = /[[\]^\\-]/.test(character) ? `\\${character}` : character
  return { text, next: at + character.length, single: true }
}

function escapedMember(source: string, at: number): Member {
  const letter = source[at + 1] ?? ''
  if (letter === 'b') return { text: '\\x08', next: at + 2, single: true }
  if (letter === 'D' || letter === 'W') return { text: `\\${letter}`, next: at + 2, single: false }
  if (letter === 'S') return { text: '\\0-\\x08\\x0e-\\x1f!-\\u{10ffff}', next: at + 2, single: false }
  const set = Object.hasOwn(sets, letter) ? sets[letter] : undefined
  if (set !== undefined) return { text: set, next: at + 2, single: false }
  const piece = translateCharacter(source, at)
  return { ...piece, single: !/^\\[pP]\{/.test(piece.text) }
}
