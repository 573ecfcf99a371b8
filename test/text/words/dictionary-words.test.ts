import { expect, test } from 'vitest'
import { crossesWords } from '../../../src/text/words/dictionary-words.ts'

/** Returns the pairs of neighbouring characters of a text that mean something. */
function meaningfulPairs(text: string): string[] {
  const crosses = crossesWords(text)
  const starts = Array.from({ length: text.length - 1 }, (_, start) => start)
  return starts.filter((start) => !crosses(start, start + 2)).map((start) => text.slice(start, start + 2))
}

test.for([
  [
    'all pairs of a Japanese compound of Chinese characters',
    '文字列関数の一覧',
    ['文字', '字列', '列関', '関数', '一覧'],
  ],
  [
    'all pairs of a Japanese compound in katakana',
    'パッケージマネージャを使う',
    ['パッ', 'ッケ', 'ケー', 'ージ', 'ジマ', 'マネ', 'ネー', 'ージ', 'ジャ', '使う'],
  ],
  ['no pair of the last and the first character of two Chinese words', '文件格式转换', ['文件', '格式', '转换']],
  ['the pair of two words of one character', '京都の寺', ['京都', 'の寺']],
] as const)('%s', ([, text, pairs]) => {
  expect(meaningfulPairs(text)).toEqual(pairs)
})
