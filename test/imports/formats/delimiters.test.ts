import createMarkdownIt from 'markdown-it'
import { expect, test } from 'vitest'
import { InlineWriter } from '../../../src/imports/formats/epub/inline-writer.ts'

const parser = new createMarkdownIt({ html: false })
const texts = [
  'a',
  'word',
  '.',
  '-',
  ',',
  '：',
  '字',
  '（注）',
  '(x)',
  '“q”',
  ' ',
  ' b ',
  'é',
  '1',
  '/',
  '.tar.gz',
  '*',
  '_',
]
texts.push('`', '😀', '!', '—', '„', '$', '~~', '#', '\\', '[', ']', '](y)', '[z]')
const elements = ['*', '**', 'code'] as const

/** Returns numbers from 0 to `below - 1`, the same ones in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

/** Writes a random paragraph with nested emphasis and code; returns its Markdown and its text. */
function writeParagraph(random: (below: number) => number): { markdown: string; text: string } {
  const writer = new InlineWriter()
  const open: (typeof elements)[number][] = []
  const close = () => (open.pop() === 'code' ? writer.closeCode() : writer.close())
  let text = ''
  for (let left = 2 + random(9); left > 0; left--) {
    const step = random(10)
    if (step === 0) {
      writer.lineBreak()
      text += '\n'
    } else if (step < 5) {
      const piece = texts[random(texts.length)] as string
      writer.text(piece)
      text += piece
    } else if (step < 8 && open.length < 3) {
      const element = elements[random(elements.length)] as (typeof elements)[number]
      if (element === 'code') writer.openCode()
      else writer.open(element, element)
      open.push(element)
    } else if (open.length > 0) close()
  }
  while (open.length > 0) close()
  return { markdown: writer.endParagraph(), text }
}

/** The text that a Markdown parser shows. */
function shownText(markdown: string): string {
  const [inline] = parser.parseInline(markdown, {})
  return (inline?.children ?? []).map(({ content }) => content).join('')
}

test('a Markdown parser shows the text of a paragraph without delimiters, whatever is emphasised', () => {
  const random = createRandom(1)
  for (let count = 0; count < 20_000; count++) {
    const { markdown, text } = writeParagraph(random)
    expect(shownText(markdown).replaceAll(/\s/g, ''), markdown).toBe(text.replaceAll(/\s/g, ''))
  }
})

test('writes a paragraph of many doubtful delimiters in linear time', () => {
  const writer = new InlineWriter()
  for (let count = 0; count < 20_000; count++) {
    writer.open('**', '**')
    writer.text('a.')
    writer.close()
    writer.text('b')
  }
  expect(writer.endParagraph()).toBe('**a**.b'.repeat(20_000))
})
