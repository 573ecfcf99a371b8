import { expect, test } from 'vitest'
import { analyse } from '../../../src/text/words/analyse.ts'
import { fold } from '../../../src/text/words/fold.ts'
import { unspacedPattern } from '../../../src/text/words/scripts.ts'
import { randomFrom } from '../../../bench/search-queries.ts'

/** Han, its variation selector and a rare character, kana in both widths with their marks, Hangul and its letters, Bopomofo, others. */
const characters = [
  ...('漢字葛\u{e0100}𠮷かがか\u3099カガｶﾞハﾟー한글\u1112\u1161\u11abㄅ〇a1é'.match(/./gsu) as string[]),
  '\ud842', // half of a character
]
const stretchPattern = new RegExp(`(?:${unspacedPattern.source}\\p{M}*)+|(?:(?!${unspacedPattern.source}).)+`, 'gsu')
const characterPattern = /[^\p{M}\uff9e\uff9f][\p{M}\uff9e\uff9f]*/gu

/** Returns the pairs of neighbouring characters of scripts without spaces, and the characters, with their ranges. */
function expectedTokens(text: string) {
  const tokens: [string, number, number][] = []
  for (const { 0: stretch, index } of text.matchAll(stretchPattern)) {
    if (!unspacedPattern.test(stretch)) continue
    const found = [...stretch.matchAll(characterPattern)].map((match) => {
      const start = index + match.index
      return { folded: fold(match[0]), start, end: start + match[0].length }
    })
    for (const [at, { folded, start, end }] of found.entries()) {
      const before = found[at - 1]
      if (before) tokens.push([before.folded + folded, before.start, end])
      tokens.push([folded, start, end])
    }
  }
  return tokens
}

test('texts of scripts without spaces are divided into characters with their marks, and pairs of them', () => {
  const random = randomFrom(3)
  for (let nth = 0; nth < 5000; nth++) {
    const length = 1 + Math.floor(random() * (nth % 10 === 0 ? 60 : 6))
    const text = Array.from({ length }, () => characters[Math.floor(random() * characters.length)] as string).join('')
    const found: [string, number, number][] = []
    analyse(text, ({ term, kind, start, end }) => {
      if (kind === 'bigram' || kind === 'unigram') found.push([term, start, end])
    })
    expect([text, found]).toEqual([text, expectedTokens(text)])
  }
})
