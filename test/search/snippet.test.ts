import { array, assert, constantFrom, oneof, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../src/search/parse-query.ts'
import { stripMarkdown } from '../../src/search/strip-markdown.ts'
import { finishSteps } from '../../src/runtime/turns.ts'
import { makeSnippet, makeOpening } from '../../src/search/snippet.ts'

const snippet = (markdown: string, query: string) => finishSteps(makeSnippet(markdown, parseQuery(query)))

describe('a snippet', () => {
  test('is the whole text of a short page', () => {
    expect(snippet('# Whales\n\nA *whale* is large.\n', 'whale')).toBe('Whales A whale is large.')
  })

  test('is the passage with the most query words', () => {
    const filler = 'Something else is told in this sentence. '
    const markdown = `A whale. ${filler.repeat(10)} The whale met a ship. ${filler.repeat(10)} A ship.`
    expect(snippet(markdown, 'ship whale')).toContain('The whale met a ship.')
  })

  test('prefers adjacent words', () => {
    const filler = 'Something else is told in this sentence. '
    const markdown = `A red house with a fox. ${filler.repeat(10)} The red fox. ${filler.repeat(10)}`
    expect(snippet(markdown, 'red fox')).toContain('The red fox.')
  })

  test('is cut between words, with an ellipsis at each end', () => {
    const text = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ')
    expect(snippet(text, 'word100')).toMatch(/^… (?:word\d+ )+word100 (?:word\d+ )+…$/)
  })

  test('is null for a page without any of the words', () => {
    expect(snippet('Nothing here.', 'whale')).toBeNull()
  })

  test('of a page without spaces has about 200 whole characters', () => {
    const found = snippet(`${'天地玄黄'.repeat(200)}東京都${'𠮷野家が'.repeat(200)}`, '東京') ?? ''
    expect(found).toContain('東京都')
    expect(found.length).toBeLessThan(230)
    expect(found.isWellFormed()).toBe(true)
  })

  test('of any text is well-formed, on one line and not much longer than 200 characters', () => {
    const piece = oneof(
      string({ unit: 'grapheme', maxLength: 40 }),
      constantFrom('whale', '𠮷', '👩‍👩‍👧', 'e\u0301', '\n', ' ', '**', '`', '[a](b)', '<br>', '\\', '\ud83d'),
    )
    assert(
      property(array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('').toWellFormed()
        for (const found of [snippet(`${text} whale ${text}`, 'whale'), makeOpening(text)]) {
          if (found === null) continue
          expect(found.isWellFormed()).toBe(true)
          expect(found).not.toMatch(/[\n\r\t]/)
          expect([...found].length).toBeLessThan(260)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('the plain text of a page', () => {
  test.for<[markdown: string, text: string]>([
    ['# A title #', 'A title'],
    ['Setext\n======', 'Setext'],
    ['* one\n* two\n  - three', 'one\ntwo\nthree'],
    ['1. one\n2) two', 'one\ntwo'],
    ['> quoted\n> > twice', 'quoted\ntwice'],
    ['**bold** and *it* and ***both*** and ~~gone~~', 'bold and it and both and gone'],
    ['__bold__ and _it_, snake_case_name, 2 * 3 * 4', 'bold and it, snake_case_name, 2 * 3 * 4'],
    ['a `co_de* [x]` b', 'a co_de* [x] b'],
    ['``a ` b`` c', 'a ` b c'],
    ['```js\nlet a_b = c ** d // # x\n```', 'let a_b = c ** d // # x'],
    ['~~~\n```\n~~~\nafter', '```\nafter'],
    ['[text](http://a.b/c_d "title") and [ref][1]', 'text and ref'],
    ['![alt](pic.png) [![in](a.png)](b.html)', 'alt in'],
    ['<https://a.b/c>', 'https://a.b/c'],
    ['a<br>b <b>c</b> x <int> y < z', 'a b c x <int> y < z'],
    ['<!-- hidden -->shown', 'shown'],
    ['\\*not bold\\* \\# \\_', '*not bold* # _'],
    ['AT&amp;T &lt;tag&gt; &nbsp;x', 'AT&T <tag> x'],
    ['| a | b |\n|---|:-:|\n| c | d |', 'a b\nc d'],
    ['---\n\n***\n', ''],
    ['e\u0301', 'é'],
  ])('%j is %j', ([markdown, text]) => {
    expect(stripMarkdown(markdown).text).toBe(text)
  })

  test('reports the ranges of headings', () => {
    const { text, headings } = stripMarkdown('intro\n\n## The *first* part\n\ntext\n\n# Second\n')
    expect(headings.map(([start, end]) => text.slice(start, end))).toEqual(['The first part', 'Second'])
  })

  test('takes linear time for any sequence of marks', () => {
    for (const mark of ['[', '![', '*', '_', '`', '<', '\\', '|', '<!--', '&amp;', '> ', '(', '**a', '[a](', '<a ']) {
      expect(stripMarkdown(mark.repeat(20_000)).text.length).toBeLessThanOrEqual(120_000)
    }
  }, 20_000)
})
