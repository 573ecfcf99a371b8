import { expect, test } from 'vitest'
import { countWords } from '../../src/reading/count-words.ts'

test.for([
  ['', 0],
  [' \n\t ', 0],
  ['one', 1],
  [' two\nwords ', 2],
  ['don’t “stop” now—ok', 3],
  ['a\u00a0b\u2003c\u3000d', 4],
  ['안녕 세상', 2],
  ['🐝 buzz', 2],
  ['汉字测试文本，这是', 4],
  ['see [the map](page:12), or [here](https://a.org/b)', 5],
  ['[汉字](page:12)测试', 2],
  ['a 汉字 b', 3],
  ['カタカナ', 2],
  ['ภาษาไทย', 2],
] as const)('%j has %i words', ([text, words]) => {
  expect(countWords(text)).toBe(words)
})
