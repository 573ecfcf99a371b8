import { describe, expect, test } from 'vitest'
import { readDocument } from '../../support/read-document.ts'

const read = (source: string) => readDocument(Buffer.from(source), 'text')
const wrapped = 'It was a dark and stormy night, and the rain fell in torrents on the roof\nof the house.'
const prose = wrapped.replace('\n', ' ')

describe('a plain text', () => {
  test.for([
    ['letters printed twice', 'N\bNA\bAM\bME\bE of Großß\bß', 'NAME of Großß'],
    ['underlined letters', '_\bf_\bi_\bl_\be and f\b_i\b_l\b_e', 'file and file'],
    ['letters printed twice and underlined', '_\bA\bA_\bB\bB', 'AB'],
    ['drawn bullets', '+\bo one', 'o one'],
    ['colours', '\u001b[1mbold\u001b[0m and \u001b[38;5;12mblue\u001b[39;49m', 'bold and blue'],
    ['links of a terminal', '\u001b]8;;https://example.org\u001b\\there\u001b]8;;\u0007', 'there'],
  ] as const)('is read without the codes for %s', async ([, source, shown]) => {
    expect((await read(source)).text).toBe(shown)
  })

  test.for([
    ['a word', 'so _very_ dark', 'so *very* dark'],
    ['words over lines, with punctuation', `He said (_${wrapped}_).`, `He said (*${prose}*).`],
    ['a quotation', '_"Never!"_ she said--_so_--and left', '*"Never!"* she said--*so*--and left'],
    ['separate lines', '_One\nTwo_', '*One  \nTwo*'],
  ] as const)('has emphasis between underscores: %s', async ([, source, shown]) => {
    expect((await read(source)).text).toBe(shown)
  })

  test.for(['snake_case_name and __init__', 'Name: ____ Date: ____', 'lib/_build_/x', '-_- and -_-', 'a _ b _ c'])(
    'keeps other underscores: %s',
    async (source) => {
      expect((await read(source)).text.replaceAll('\\', '')).toBe(source)
    },
  )

  test('has the names of its chapters in capitals as headings', async () => {
    const source = [
      'CONTENTS',
      'CHAPTER I.',
      'THE STORM',
      'CHAPTER II.',
      'THE CALM',
      'CHAPTER I.',
      'THE STORM\nAND THE SEA',
      wrapped,
      'CHAPTER II',
      'Prose follows.',
      'CHAPTER THREE',
      'THE CALM',
      wrapped,
    ]
    const { toc, text } = await read(source.join('\n\n'))
    expect(toc.map(({ title }) => title)).toEqual([
      'CHAPTER I: THE STORM AND THE SEA',
      'CHAPTER II',
      'CHAPTER THREE: THE CALM',
    ])
    expect(text.match(/THE STORM/g)).toHaveLength(2)
  })
})
