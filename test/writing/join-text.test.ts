import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../src/core/errors.ts'
import { splitPages } from '../../src/text/markdown/split-pages.ts'
import { ensureTrailingNewline, appendText, prependText, requireSinglePage } from '../../src/writing/join-text.ts'

/** Lines that begin, end or hide page boundaries. */
const line = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('# One', '# Two', 'text', '') },
  fc.constantFrom(
    '  # indented',
    '```',
    '~~~',
    '<!--',
    '-->',
    '<div>',
    '</div>',
    '- item',
    '  more',
    '1. first',
    '> quote',
    '---',
    '...',
    'a: b',
    '===',
    '    code',
    '\t# tab',
    '## lower',
    '# ',
    '\uFEFF# marked',
    '<script>',
    '[a]: b',
    '2. second',
  ),
)
const ending = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r')
const text = fc
  .tuple(fc.array(fc.tuple(line, ending), { maxLength: 12 }), fc.boolean(), fc.boolean())
  .map(([lines, open, marked]) => {
    const joined = lines.map(([content, end]) => content + end).join('')
    return (marked ? '\uFEFF' : '') + (open ? joined.replace(/[\r\n]+$/, '') : joined)
  })

function added(pages: readonly string[], content: string, position: 'start' | 'end'): string[] | null {
  const [first = '', next = null] = pages
  try {
    if (position === 'start') return [...prependText({ first, next }, content).pages, ...pages.slice(1)]
    const seam = { first: pages.length > 1 ? first : null, last: pages.at(-1) ?? '' }
    return [...pages.slice(0, -1), ...appendText(seam, content).pages]
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

describe.for(['start', 'end'] as const)('text added at the %s', (position) => {
  test('gives the same pages as splitting the whole text, and does not move other pages', () => {
    let refused = 0
    let done = 0
    fc.assert(
      fc.property(text, text, (book, content) => {
        const pages = splitPages(book)
        if (pages.length === 0 || content === '') return
        const result = added(pages, content, position)
        if (result === null) {
          refused++
          return
        }
        done++
        expect(splitPages(result.join(''))).toEqual(result)
        expect(result.length).toBeGreaterThanOrEqual(pages.length)
        if (position === 'end') {
          expect(result.slice(0, pages.length - 1)).toEqual(pages.slice(0, -1))
          expect(result[pages.length - 1]?.startsWith(pages.at(-1) as string)).toBe(true)
          expect(result.join('')).toBe(ensureTrailingNewline(book) + content)
        } else {
          expect(pages.length > 1 ? result.slice(1 - pages.length) : []).toEqual(pages.slice(1))
          expect(result.join('')).toContain(content)
        }
      }),
      { numRuns: 20_000 },
    )
    expect(done).toBeGreaterThan(refused * 3)
  })
})

test.for<[string, string, string, string[]]>([
  ['a heading after a last page without a line end', '# A\na', '# B\n', ['# A\na\n', '# B\n']],
  ['a heading after a line end', '# A\na\n', '# B', ['# A\na\n', '# B']],
  ['text without a heading joins the last page', '# A\na', 'more\n# B', ['# A\na\nmore\n', '# B']],
  ['a carriage return is a line end', '# A\r', '# B', ['# A\r', '# B']],
  ['an open code block absorbs the added text', '# A\n```\nx\n', '# B\n', ['# A\n```\nx\n# B\n']],
])('at the end: %s', ([, book, content, pages]) => {
  expect(added(splitPages(book), content, 'end')).toEqual(pages)
})

test.for<[string, string, string, string[]]>([
  ['a page before the first', '# A\n', '# Z', ['# Z\n', '# A\n']],
  ['text without a heading becomes a first page', '# A\n# B\n', 'intro', ['intro\n', '# A\n', '# B\n']],
  ['a first page without a heading joins the new page', 'intro\n# A\n', '# Z\n', ['# Z\nintro\n', '# A\n']],
  ['front matter stays at the top', '---\na: b\n---\n# A\n', '# Z\n', ['---\na: b\n---\n', '# Z\n', '# A\n']],
  ['a byte-order mark stays at the top', '\uFEFF# A\n', '# Z\n', ['\uFEFF# Z\n', '# A\n']],
])('at the start: %s', ([, book, content, pages]) => {
  expect(added(splitPages(book), content, 'start')).toEqual(pages)
})

test.for<[string, string, string, 'start' | 'end']>([
  ['a code block that absorbs the first page', '# A\n# B\n', '```\nopen\n', 'start'],
  ['a comment that absorbs the second page', 'intro\n# A\n', '<!-- open\n', 'start'],
  ['a list that absorbs an indented heading', 'x\n  # A\n', '- item\n', 'start'],
  ['front matter that a later page could close', '# A\n# B\n', '---\na: b\n', 'start'],
  ['text that closes open front matter and so hides pages', '---\na: b\n# A\n# B\n', 'text\n---\n', 'end'],
])('refuses %s', ([, book, content, position]) => {
  expect(added(splitPages(book), content, position)).toBeNull()
})

test.for<[string, number, string]>([
  ['a heading and text', 2, '# A\ntext'],
  ['text alone', 2, 'text'],
  ['lower headings', 1, '# A\n## B\n### C\n'],
  ['a heading in code', 3, '# A\n```\n# B\n```\n'],
  ['front matter on page 1', 1, '---\n# comment\na: b\n---\n'],
  ['blank lines', 1, '\n\n'],
])('%s is one page', ([, pageNum, content]) => {
  expect(requireSinglePage(content, pageNum)).toBe(content)
})

test.for<[string, number, string]>([
  ['empty text', 1, ''],
  ['two headings', 1, '# A\n# B\n'],
  ['text and a heading', 2, 'text\n# B\n'],
  ['text that is front matter only on page 1', 2, '---\n# comment\na: b\n---\n'],
])('%s is not one page', ([, pageNum, content]) => {
  expect(() => requireSinglePage(content, pageNum)).toThrow(/one page/)
})
