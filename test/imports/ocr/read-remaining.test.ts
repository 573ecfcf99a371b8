import { expect, test } from 'vitest'
import type { Box } from '../../../src/imports/formats/picture/ink-components.ts'
import type { RecognisedWord } from '../../../src/imports/ocr/parse-words.ts'
import { readRemaining } from '../../../src/imports/ocr/read-remaining.ts'
import { RecognitionError } from '../../../src/imports/ocr/run-tesseract.ts'

function word(text: string, left: number, confidence = 95): RecognisedWord {
  return { text, confidence, box: { left, top: 100, right: left + 10 * text.length, bottom: 130 } }
}

const picture = { mediaType: 'image/png', width: 100, height: 100, bytes: new Uint8Array(), drawingMs: 0 } as const
const collageBox: Box = { left: 100, top: 54, right: 146, bottom: 90 }
const row = (text: string) => `5\t1\t1\t1\t1\t1\t100\t54\t46\t36\t95\t${text}`

/** Reads a line whose first word is at the place of the only part of the collage. */
async function readLine(words: readonly RecognisedWord[], answer: () => string) {
  const seen: Box[][] = []
  const from = words[0]?.box as Box
  const paragraphs = await readRemaining(
    {
      run: async () => answer(),
      renderer: {
        scanRemaining: async () => null,
        scanIsolated: async ({ read }) => {
          seen.push([...read])
          return { ...picture, parts: [{ from, to: collageBox }] }
        },
      },
    },
    {
      file: {
        name: 'scan',
        bytes: 0,
        async *read() {
          yield new Uint8Array()
        },
      },
      accountId: 'reader',
      page: 1,
    },
    { turn: 0, language: 'eng', paragraphs: [[[...words]]] },
  )
  return { text: paragraphs.flat(2).map(({ text }) => text), seen: seen.flat() }
}

const rest = [word('text', 140), word('follows', 190)]

test('a doubtful short word is read again, and replaced if it is a number', async () => {
  const { text, seen } = await readLine([word('oo', 100, 60), ...rest], () => row('99'))
  expect(text).toEqual(['9', 'text', 'follows'])
  expect(seen).toEqual(rest.map(({ box }) => box))
})

test.for([
  ['a sure word', word('oo', 100, 80), '99'],
  ['a longer word', word('oooo', 100, 60), '99'],
  ['a word with digits', word('3.2', 100, 60), '3232'],
  ['a word that is no number', word('oo', 100, 60), 'oooo'],
] as const)('%s stays', async ([, first, answer]) => {
  const { text } = await readLine([first, ...rest], () => row(answer))
  expect(text).toContain(first.text)
})

test('the text stays if Tesseract fails', async () => {
  const { text } = await readLine([word('oo', 100, 60), ...rest], () => {
    throw new RecognitionError('too much memory')
  })
  expect(text).toEqual(['oo', 'text', 'follows'])
})
