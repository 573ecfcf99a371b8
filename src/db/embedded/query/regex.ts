import { CommandError } from '../errors/command-error.ts'
import { translateClass } from './regex-class.ts'
import { escapeLiteral, invalidPattern, translateEscape } from './regex-escape.ts'
import type { Piece } from './regex-escape.ts'

/** The options that change what a construct means while a pattern is translated. */
export type Flags = { i: boolean; m: boolean; s: boolean; x: boolean }

/**
 * Compiles a pattern in PCRE syntax, as MongoDB takes it, to a JavaScript one that matches the same strings. What has no exact
 * equivalent (back references, atomic groups, recursion, possessive quantifiers) is refused.
 */
export function compileRegex(pattern: string, options: string): RegExp {
  const invalid = [...options].find((option) => !'imsxu'.includes(option))
  if (invalid !== undefined) throw new CommandError('Location51108', `invalid flag in regex options: ${invalid}`)
  if (pattern.includes('\0')) {
    throw new CommandError('Location51109', 'Regular expression cannot contain an embedded null byte')
  }
  const { flags, rest } = leadingFlags(pattern, {
    i: options.includes('i'),
    m: options.includes('m'),
    s: options.includes('s'),
    x: options.includes('x'),
  })
  const source = translate(rest, flags)
  try {
    return new RegExp(source, flags.i ? 'iu' : 'u')
  } catch {
    throw invalidPattern(pattern)
  }
}

/** `(?i)` and the like at the very start hold for the whole pattern. */
function leadingFlags(pattern: string, flags: Flags): { flags: Flags; rest: string } {
  const found = /^\(\?([imsx]*)(?:-([imsx]+))?\)/.exec(pattern)
  if (!found) return { flags, rest: pattern }
  return { flags: changed(flags, found[1], found[2]), rest: pattern.slice(found[0].length) }
}

function changed(flags: Flags, on = '', off = ''): Flags {
  const value = (name: keyof Flags) => (flags[name] || on.includes(name)) && !off.includes(name)
  return { i: value('i'), m: value('m'), s: value('s'), x: value('x') }
}

function translate(source: string, flags: Flags): string {
  let out = ''
  let at = 0
  const open: Flags[] = [flags]
  while (at < source.length) {
    const now = open.at(-1) ?? flags
    const character = String.fromCodePoint(source.codePointAt(at) ?? 0)
    if (character === '(') {
      const group = translateGroup(source, at, now)
      if (group.inner) open.push(group.inner)
      out += group.text
      at = group.next
    } else if (character === ')') {
      if (open.length > 1) open.pop()
      out += ')'
      at += 1
    } else {
      const piece = translateAtom(source, at, now)
      out += piece.text
      at = piece.next
    }
  }
  return out
}

function translateAtom(source: string, at: number, flags: Flags): Piece {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0)
  const next = at + character.length
  switch (character) {
    case '\\':
      return translateEscape(source, at)
    case '[':
      return translateClass(source, at)
    case '.':
      return { text: flags.s ? '[^]' : '[^\\n]', next }
    case '^':
      return { text: flags.m ? '(?:^|(?<=\\n)(?=[^]))' : '^', next }
    case '$':
      return { text: flags.m ? '(?=\\n|$)' : '(?=\\n?$)', next }
    case '|':
      return { text: '|', next }
    case '*':
    case '+':
    case '?':
      return quantifier(source, at, character)
    case '{':
      return counted(source, at)
    default:
      if (flags.x && /[ \t-\r]/.test(character)) return { text: '', next }
      if (flags.x && character === '#') return { text: '', next: afterComment(source, at) }
      return { text: escapeLiteral(character), next }
  }
}

function afterComment(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end < 0 ? source.length : end + 1
}

function counted(source: string, at: number): Piece {
  const found = /^\{\d+(?:,\d*)?\}/.exec(source.slice(at))
  return found ? quantifier(source, at, found[0]) : { text: '\\{', next: at + 1 }
}

function quantifier(source: string, at: number, text: string): Piece {
  const next = at + text.length
  if (source[next] === '+') throw invalidPattern('possessive quantifier')
  return source[next] === '?' ? { text: `${text}?`, next: next + 1 } : { text, next }
}

/** The start of a group; `inner` are the options within it, missing for what needs no closing (a comment). */
function translateGroup(source: string, at: number, flags: Flags): Piece & { inner?: Flags } {
  const rest = source.slice(at)
  if (rest.startsWith('(*')) throw invalidPattern('(*VERB)')
  if (!rest.startsWith('(?')) return { text: '(', next: at + 1, inner: flags }
  if (rest.startsWith('(?#')) {
    const end = source.indexOf(')', at)
    if (end < 0) throw invalidPattern('comment without an end')
    return { text: '', next: end + 1 }
  }
  const plain = /^\(\?(?:[:=!]|<[=!])/.exec(rest)
  if (plain) return { text: plain[0], next: at + plain[0].length, inner: flags }
  const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest)
  if (named) return { text: `(?<${named[1]}>`, next: at + named[0].length, inner: flags }
  const scoped = /^\(\?([imsx]*)(?:-([imsx]+))?:/.exec(rest)
  if (!scoped) throw invalidPattern(`group ${rest.slice(0, 4)}`)
  const inner = changed(flags, scoped[1], scoped[2])
  const text = inner.i === flags.i ? '(?:' : inner.i ? '(?i:' : '(?-i:'
  return { text, next: at + scoped[0].length, inner }
}
