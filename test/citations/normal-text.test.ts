import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findQuote, prepareQuote } from '../../src/citations/find-quote.ts'
import { normalizeText } from '../../src/citations/normalize-text.ts'
import { prepareText } from '../../src/citations/searchable-text.ts'

const normal = (raw: string) => normalizeText(raw).text
const find = (raw: string, quote: string) => findQuote(prepareText(raw), prepareQuote(quote))

describe('the normal form', () => {
  test.for<[what: string, raw: string, form: string]>([
    ['white space of any kind becomes one space', 'a\t b\n\nc\u00a0\u2009d\r\ne', 'a b c d e'],
    ['white space at the ends is removed', '\n a \n', 'a'],
    ['a word hyphenated across lines is joined', 'docu-\nment, docu\u00ad\nment', 'document, docu ment'],
    ['hyphens inside words are removed, also at line ends', 'well-known well\u2010\n known', 'wellknown wellknown'],
    ['hyphens elsewhere stay', 'word- and -5, 10-20, a -b', 'word- and -5, 10-20, a -b'],
    ['soft hyphens and invisible characters are removed', 'so\u00adft\u200b a\u2060b \u202ex\u202c', 'soft ab x'],
    ['typographic quotes become plain ones', '“a” ‘b’ «c» ‚d‘ „e“ f’s', '"a" \'b\' "c" \'d\' "e" f\'s'],
    ['dashes become a hyphen', 'a – b — c ― d −5 e -- f --- g', 'a - b - c - d -5 e - f - g'],
    ['an ellipsis becomes three dots', 'so…', 'so...'],
    ['ligatures and full-width letters become plain letters', 'ﬁsh ﬂow oﬃce ＡＢ１', 'fish flow office AB1'],
    ['accents are composed', 'cafe\u0301 A\u030a', 'café Å'],
    ['superscript digits after a word become plain', 'note¹² note^12 note[^12] km²', 'note12 note12 note12 km2'],
    ['a note reference with a link becomes plain', 'note[^12](page:7) and', 'note12 and'],
    ['a power differs from a number and from a name', '10² 10^2 102 x² x^2 x2', '10^2 10^2 102 x^2 x^2 x2'],
    ['subscript digits become plain', 'H₂O H2O', 'H2O H2O'],
    ['symbols of notes stay, and bullets of any kind are removed', '† This\n\n● that\n◦ so', '†This that so'],
    ['two apostrophes become a quotation mark', '’’a’’ don’t', '"a" don\'t'],
    ['Arabic presentation forms become letters', '\ufef3\ufeea\ufe8d \ufefb', 'يها لا'],
    ['kaf, yeh and digits of Arabic and Persian are the same', 'کتاب یک ۱۲ كتاب يك ١٢', 'كتاب يك 12 كتاب يك 12'],
    [
      'digits of Devanagari, Bengali, Tamil, Thai and Khmer are plain',
      'सन १८५७ ১৯৭১ ௧௯௪௭ ๒๔๗๕ ១៩',
      'सन 1857 1971 1947 2475 19',
    ],
    ['Arabic vowel signs and the tatweel are removed', 'كِتَابٌ كتـــاب', 'كتاب كتاب'],
    ['a hamza is composed with its letter', '\u0627\u0655\u0644\u0649', '\u0625\u0644\u064a'],
    ['an accent before its letter is composed with it', 'na¨ıve pr¨ufen m¨ı', 'naïve prüfen mï'],
    ['jamo are composed', '\u1112\u1161\u11ab', '한'],
    ['letters of mathematics become plain', '𝐱 𝑎', 'x a'],
    ['case is kept', 'The THE the', 'The THE the'],
    ['emphasis is removed', '*a* **b** _c_ __d__ ~~e~~ `f` bo**ld**', 'a b c d e f bold'],
    ['underscores of names with emphasised parts stay', '**dh**\\_*clean* dh_*foo* *a*\\_b', 'dh_clean dh_foo a_b'],
    ['asterisks and underscores that are not emphasis stay', 'snake_case 2 * 3 a*b', 'snake_case 2 * 3 a*b'],
    ['escaped marks lose their backslash', '5 \\* 3 foo\\_bar \\[x\\] \\#1', '5 * 3 foo_bar [x] #1'],
    ['a link becomes its text', 'see [the *map*](http://x.y/z_(1) "T"), ![img](a.png)', 'see the map, img'],
    ['escaped text that looks like a link becomes what it would be as one', 'the [map]\\(x) [b\\](y)', 'the map b'],
    ['brackets that are not a link stay', 'a [sic] b[0] (c)', 'a [sic] b[0] (c)'],
    [
      'markers of headings, quotations and lists are removed',
      '# Of x\n\n> a\n> b\n\n- c\n* d\n+ e\n1. f',
      'Of x a b c d e 1. f',
    ],
    ['tables become their cells', '| a | b |\n|:--|---|\n| c | d |\n\ne', 'a b c d e'],
    ['code fences are removed and code stays', '```js\nif (a || b) c()\n```\nend', 'if (a || b) c() end'],
    ['lines of a script without spaces are joined', '私は\n東京都 に\n住む', '私は東京都に住む'],
    ['Korean words stay separate', '아버지가 방에\n들어가신다', '아버지가 방에 들어가신다'],
    ['text of only marks becomes empty', '*** \n> ``` \u200b', ''],
  ])('%s', ([, raw, form]) => {
    expect(normal(raw)).toBe(form)
  })

  test('is stable: normalising it again changes nothing', () => {
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
        // Removing a mark may turn another one into a mark; words never change.
        const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '')
        expect(letters(normal(once))).toBe(letters(once))
        expect(letters(once)).toBe(letters(pieces.join('').normalize('NFKC')))
      }),
    )
  })

  test('maps every offset back to its origin', () => {
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

  // Anything slower than linear time would exceed the timeout of the test.
  test.for<[string, string]>([
    ['spaces', ' '],
    ['stars', '* '],
    ['hyphens', 'a-\n'],
    ['brackets', '['],
    ['open links', '[a](b'],
    ['link ends', ']((" '],
    ['accents', 'a\u0301'],
    ['quotations', '\n>'],
    ['fences', '\n```'],
    ['cells', ' |'],
    ['escapes', '\\*'],
    ['Chinese with spaces', '漢 '],
  ])('takes linear time for a page of only %s', ([, unit]) => {
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

/**
 * Rewrites words as another edition or a careful typist would: other line ends, hyphenation, quotes, ligatures,
 * emphasis.
 */
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

describe('a quotation taken from a page', () => {
  const choices = fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 })
  const cut = fc.record({
    page: sentence,
    from: fc.nat(1000),
    length: fc.integer({ min: 1, max: 30 }),
    choices,
    setting: choices,
  })

  test('is found regardless of line breaks, hyphenation and typography', () => {
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

  test('is not found when one word is changed, omitted, added or has another case', () => {
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
        // Omitting one of several equal words, or changing the case of a word without letters, changes nothing.
        const whole = ` ${normal(page.join(' '))} `
        fc.pre(!whole.includes(` ${normal(changed.join(' '))} `))
        expect(find(rewrite(page, setting), rewrite(changed, quoted))).toBeNull()
      }),
      { numRuns: 1000 },
    )
  })
})
