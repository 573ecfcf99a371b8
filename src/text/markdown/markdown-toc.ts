import { bodyStart } from './split-pages.ts'
import { scanHeadings } from './scan-headings.ts'

const maxTitleLength = 500

/** A heading and its page number, from 1. */
interface HeadingEntry {
  title: string
  page: number
  level: number
}

/** The headings of all six levels, outside code, lists and quotations, with their page numbers. */
export function markdownToc(pages: readonly string[]): HeadingEntry[] {
  const entries: HeadingEntry[] = []
  for (const [index, page] of pages.entries()) {
    scanHeadings(page, index === 0 ? bodyStart(page) : 0, ({ level, from, to }) => {
      const title = stripInline(page.slice(from, Math.min(to, from + maxTitleLength)))
      if (title !== '') entries.push({ title, page: index + 1, level })
    })
  }
  return entries
}

/** Attributes after a heading in the style of Pandoc: `{#id .class key=value}` and `{-}`. */
export const headingAttributes = /[ \t]{1,9}\{(?:[#.][^{}]{0,200}|-)\}\s*$/

const codeOrEscape = /(?:(`+)([^`]|[^`][^]*?[^`])\1(?!`))|\\([!-/:-@[-`{-~])/g
const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** The text of inline Markdown without its markup. Not linear: pass at most 500 characters. */
export function stripInline(markdown: string): string {
  const literals: string[] = []
  const protect = (...[, , code, escaped]: string[]): string =>
    `\uE000${literals.push(code?.trim() ?? escaped ?? '') - 1}\uE001`
  return markdown
    .replace(/[\uE000\uE001]/g, '')
    .replace(codeOrEscape, protect)
    .replace(/<((?:https?|mailto):[^<>\s]*)>/gi, '$1')
    .replace(/<\/?[a-z][^<>]*>|<!--[^]*?-->/gi, '')
    .replace(/!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1')
    .replace(headingAttributes, '')
    .replace(/\*+(?=\S)|(?<=\S)\*+|~~/g, '')
    .replace(/(?<![\p{L}\p{N}])_+(?=\S)|(?<=\S)_+(?![\p{L}\p{N}])/gu, '')
    .replace(/&([a-z]+);/gi, (all, name: string) => namedEntities[name] ?? all)
    .replace(/&#(\d{1,7});/g, (_all, decimal) => character(Number(decimal)))
    .replace(/&#x([\da-f]{1,6});/gi, (_all, hexadecimal: string) => character(Number.parseInt(hexadecimal, 16)))
    .replace(/\uE000(\d+)\uE001/g, (_all, index) => literals[Number(index)] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}

function character(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'
}
