import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findQuote, prepareQuote } from '../../src/citations/find-quote.ts'
import { normalizeText } from '../../src/citations/normalize-text.ts'

const normal = (raw: string) => normalizeText(raw).text
const find = (raw: string, quote: string) => findQuote({ raw, normal: normalizeText(raw) }, prepareQuote(quote))

describe('the normal form', () => {
  test.for<[what: string, raw: string, form: string]>([
    ['white space of any kind is one space', 'a\t b\n\nc\u00a0\u2009d\r\ne', 'a b c d e'],
    ['none is left at either end', '\n a \n', 'a'],
    ['a word that is hyphenated across lines is whole', 'docu-\nment, docu\u00ad\nment', 'document, docu ment'],
    [
      'hyphens inside words go, so that both ways of breaking are the same',
      'well-known well\u2010\n known',
      'wellknown wellknown',
    ],
    ['hyphens elsewhere stay', 'word- and -5, 10-20, a -b', 'word- and -5, 10-20, a -b'],
    ['soft hyphens and invisible characters go', 'so\u00adft\u200b a\u2060b \u202ex\u202c', 'soft ab x'],
    ['typographic quotes are plain', '“a” ‘b’ «c» ‚d‘ „e“ f’s', '"a" \'b\' "c" \'d\' "e" f\'s'],
    ['dashes are one', 'a – b — c ― d −5 e -- f --- g', 'a - b - c - d -5 e - f - g'],
    ['dots are three', 'so…', 'so...'],
    ['ligatures and wide letters are plain', 'ﬁsh ﬂow oﬃce ＡＢ１', 'fish flow office AB1'],
    ['accents are composed', 'cafe\u0301 A\u030a', 'café Å'],
    ['superscripts stay', 'x² H₂O', 'x² H₂O'],
    ['case stays', 'The THE the', 'The THE the'],
    ['emphasis goes', '*a* **b** _c_ __d__ ~~e~~ `f` bo**ld**', 'a b c d e f bold'],
    ['stars and lines that are none stay', 'snake_case 2 * 3 a*b', 'snake_case 2 * 3 a*b'],
    ['escaped marks are as if they were not', '5 \\* 3 foo\\_bar \\[x\\] \\#1', '5 * 3 foo_bar [x] #1'],
    ['a link is its text', 'see [the *map*](http://x.y/z_(1) "T"), ![img](a.png)', 'see the map, img'],
    ['brackets that are no link stay', 'a [sic] b[0] (c)', 'a [sic] b[0] (c)'],
    ['marks of lines go', '# Of x\n\n> a\n> b\n\n- c\n* d\n+ e\n1. f', 'Of x a b c d e 1. f'],
    ['tables are their cells', '| a | b |\n|:--|---|\n| c | d |\n\ne', 'a b c d e'],
    ['fences go and code stays', '```js\nif (a || b) c()\n```\nend', 'if (a || b) c() end'],
    ['lines of a script without spaces are joined', '私は\n東京都 に\n住む', '私は東京都に住む'],
    ['Korean words stay apart', '아버지가 방에\n들어가신다', '아버지가 방에 들어가신다'],
    ['nothing but marks is nothing', '*** \n> ``` \u200b', ''],
  ])('%s', ([, raw, form]) => {
    expect(normal(raw)).toBe(form)
  })

  test('is its own normal form, for words and marks in any order', () => {
    const piece = fc.constantFrom(
      'a',
      'Word',
      'well-known',
      '*',
      '_',
      '**',
      ' ',
      '\n',
      '- ',
      '"',
      '“',
      '…',
      'ﬁ',
      '5',
      '.',
      ',',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const once = normal(pieces.join(''))
        // A mark may come to stand where it is one only when others are gone; words never change.
        const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '')
        expect(letters(normal(once))).toBe(letters(once))
        expect(letters(once)).toBe(letters(pieces.join('').normalize('NFKC')))
      }),
    )
  })

  test('every place in it leads back to the place that it was made from', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('x', 'ﬁ', '…', ' ', '\n', '*', '-', '\u00ad', 'e\u0301', '\\', '#', '😀')),
        (pieces) => {
          const raw = pieces.join('')
          const { text, offsets: way } = normalizeText(raw)
          let last = 0
          for (let at = 0; at < text.length; at++) {
            const [start, end] = [way.originalStart(at), way.originalEnd(at + 1)]
            expect(start).toBeGreaterThanOrEqual(last)
            expect(end).toBeGreaterThan(start)
            expect(end).toBeLessThanOrEqual(raw.length)
            expect(normal(`1 ${raw.slice(start, end)} 1`)).toContain(text[at])
            last = start
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  // Anything but linear time would not end here before the test's time is over.
  test.for<[string, string]>([
    ['spaces', ' '],
    ['stars', '* '],
    ['hyphens', 'a-\n'],
    ['brackets', '['],
    ['open links', '[a](b'],
    ['ends of links', ']((" '],
    ['accents', 'a\u0301'],
    ['quotations', '\n>'],
    ['fences', '\n```'],
    ['cells', ' |'],
    ['escapes', '\\*'],
    ['Chinese with spaces', '漢 '],
  ])('takes linear time for a page of nothing but %s', ([, unit]) => {
    const raw = unit.repeat(Math.floor(300_000 / unit.length))
    expect(normal(raw).length).toBeLessThanOrEqual(raw.length)
  })
})

const vocabulary = fc.constantFrom(
  'the',
  'sea',
  'Narwhal',
  'office',
  'flow',
  'committee',
  'decided',
  'Zürich',
  'café',
  'naïve',
  'whales',
  'well-known',
  '“tusk”',
  "it's",
  '5.2',
  '1,600',
  'and',
  'of',
  'Arctic',
)
const sentence = fc.array(vocabulary, { minLength: 8, maxLength: 60 })

/** Writes words as another edition or a careful typist would: other line ends, hyphenation, quotes, ligatures, emphasis. */
function rewrite(words: readonly string[], choices: readonly number[]): string {
  const gaps = [' ', '\n', '  \n', '\u00a0', ' \n> ', '\t']
  return words
    .map((word, at) => {
      const choice = choices[at % choices.length] as number
      const gap = at === 0 ? '' : (gaps[choice % gaps.length] as string)
      return gap + rewriteWord(word, choice)
    })
    .join('')
}

function rewriteWord(word: string, choice: number): string {
  const middle = Math.floor(word.length / 2)
  const letters = /^\p{L}{2}$/u.test(word.slice(middle - 1, middle + 1))
  switch (choice % 7) {
    case 0:
      return letters ? `${word.slice(0, middle)}-\n${word.slice(middle)}` : word
    case 1:
      return letters ? `${word.slice(0, middle)}\u00ad${word.slice(middle)}` : word
    case 2:
      return word.replaceAll('ffi', 'ﬃ').replaceAll('fl', 'ﬂ').replaceAll('-', '\u2010')
    case 3:
      return word.replaceAll(/[“”]/g, '"').replaceAll("'", '’')
    case 4:
      return word.normalize('NFD')
    case 5:
      return /^\p{L}/u.test(word) ? `*${word}*` : word
    default:
      return word
  }
}

describe('a quotation that is cut out of a page', () => {
  const choices = fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 })
  const cut = fc.record({
    page: sentence,
    from: fc.nat(1000),
    length: fc.integer({ min: 1, max: 30 }),
    choices,
    setting: choices,
  })

  test('is found however page and quotation are wrapped, hyphenated and set', () => {
    fc.assert(
      fc.property(cut, ({ page, from, length, choices: quoted, setting }) => {
        const start = from % page.length
        const words = page.slice(start, start + length)
        const raw = rewrite(page, setting)
        const match = find(raw, rewrite(words, quoted))
        expect(match).not.toBeNull()
        expect(normal(raw.slice(match?.start, match?.end))).toBe(normal(words.join(' ')))
      }),
      { numRuns: 1000 },
    )
  })

  test('is not found with one word changed, left out, added or with another case', () => {
    const change = fc.constantFrom('change', 'drop', 'add', 'case')
    fc.assert(
      fc.property(cut, change, fc.nat(1000), ({ page, from, length, choices: quoted, setting }, how, where) => {
        const start = from % page.length
        const words = page.slice(start, start + Math.max(3, length))
        fc.pre(words.length >= 3)
        const at = 1 + (where % (words.length - 2))
        const changed: string[] = [...words]
        if (how === 'change') changed[at] = 'elephant'
        else if (how === 'drop') changed.splice(at, 1)
        else if (how === 'add') changed.splice(at, 0, 'not')
        else
          changed[at] = (changed[at] as string).replace(/\p{L}/u, (letter) =>
            letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
          )
        // Left out of a row of the same words, or without a letter, nothing has changed.
        const whole = ` ${normal(page.join(' '))} `
        fc.pre(!whole.includes(` ${normal(changed.join(' '))} `))
        expect(find(rewrite(page, setting), rewrite(changed, quoted))).toBeNull()
      }),
      { numRuns: 1000 },
    )
  })
})
