import { bodyStart } from './split-pages.ts'
import { scanHeadings } from './scan-headings.ts'

const maxTitleLength = 500
/** The maximum length of a title with its markup: the addresses of pictures and links can be long. */
const maxMarkupLength = 2_000

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
      const title = headingTitle(page.slice(from, Math.min(to, from + maxMarkupLength)))
      if (title !== '') entries.push({ title, page: index + 1, level })
    })
  }
  return entries
}

/** The title of a heading without its markup, at most 500 characters. Reads at most 2,000 characters of the Markdown. */
export function headingTitle(markdown: string): string {
  return stripInline(markdown.slice(0, maxMarkupLength)).slice(0, maxTitleLength)
}

/** Attributes after a heading in the style of Pandoc: `{#id .class key=value}` and `{-}`. */
export const headingAttributes = /[ \t]{1,9}\{(?:[#.][^{}]{0,200}|-)\}\s*$/

const codeOrEscape = /(?:(`+)([^`]|[^`][^]*?[^`])\1(?!`))|\\([!-/:-@[-`{-~])/g
const namedEntities: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }),
)

const address = /(?:\((?:[^()]|\([^()]*\))*\)|\[[^[\]]*\])/.source
const pictures = new RegExp(String.raw`!\[([^[\]]*)\]${address}`, 'g')
const linkedPictures = new RegExp(String.raw`\[\s*!\[[^[\]]*\]${address}\s*\]${address}`, 'g')
const links = new RegExp(String.raw`\[([^[\]]*)\]${address}`, 'g')

/**
 * The text of inline Markdown without its markup. Pictures become their alternative texts, but pictures with links only if there is no other
 * text: beside a title, they are badges such as the state of a build. Not linear: pass at most 2,000 characters.
 */
function stripInline(markdown: string): string {
  return stripMarkup(markdown.replace(linkedPictures, '')) || stripMarkup(markdown)
}

function stripMarkup(markdown: string): string {
  const literals: string[] = []
  const protect = (...[, , code, escaped]: string[]): string =>
    `\uE000${literals.push(code?.trim() ?? escaped ?? '') - 1}\uE001`
  return markdown
    .replace(/[\uE000\uE001]/g, '')
    .replace(codeOrEscape, protect)
    .replace(/<((?:https?|mailto):[^<>\s]*)>/gi, '$1')
    .replace(/<\/?[a-z][^<>]*>|<!--[^]*?-->/gi, '')
    .replace(pictures, '$1')
    .replace(links, '$1')
    .replace(headingAttributes, '')
    .replace(/\*+(?=\S)|(?<=\S)\*+|~~/g, '')
    .replace(/(?<![\p{L}\p{N}])_+(?=\S)|(?<=\S)_+(?![\p{L}\p{N}])/gu, '')
    .replace(/&([a-z]+);/gi, (all, name: string) => namedEntities.get(name) ?? all)
    .replace(/&#(\d{1,7});/g, (_all, decimal) => character(Number(decimal)))
    .replace(/&#x([\da-f]{1,6});/gi, (_all, hexadecimal: string) => character(Number.parseInt(hexadecimal, 16)))
    .replace(/\uE000(\d+)\uE001/g, (_all, index) => literals[Number(index)] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}

function character(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'
}
