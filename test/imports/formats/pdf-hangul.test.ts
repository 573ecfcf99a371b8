import { describe, expect, test } from 'vitest'
import { calibrate } from '../../../src/imports/formats/pdf/calibration.ts'
import { layOutPage } from '../../../src/imports/formats/pdf/lay-out-page.ts'
import { joinLineEnd, learnLines, newVocabulary } from '../../../src/imports/formats/pdf/page/hyphenation.ts'
import type { PageText, TextRun } from '../../../src/imports/formats/pdf/page/pdf-file.ts'

const font = { bold: false, italic: false, mono: false, vertical: false }
const sentences = [
  '도서관에서 책을 빌리려면 회원증이 있어야 합니다.',
  '회원증은 도서관 입구에 있는 안내 창구에서 만들 수 있습니다.',
  '책을 빌린 회원은 이 주일 안에 책을 돌려주어야 합니다.',
  '다른 회원이 책을 기다리지 않으면 기간을 한 번 늘릴 수 있습니다.',
  '안내 창구에서 책을 돌려주거나 입구에 있는 상자에 책을 넣을 수 있습니다.',
  '기간 안에 책을 돌려주지 않은 회원은 다른 책을 빌릴 수 없습니다.',
]
/** The sentences in the six orders that begin with each of them. */
const paragraphs = sentences.map((_, at) => [...sentences.slice(at), ...sentences.slice(0, at)].join(' '))

/** Breaks a text after every `width` characters and a following point, or at the last space before. */
function breakLines(text: string, kind: 'anywhere' | 'at spaces', width = 23): string[] {
  const lines: string[] = []
  for (let rest = text; rest !== '';) {
    const space = rest.lastIndexOf(' ', width)
    const end = kind === 'at spaces' && rest.length > width ? space : width + (rest[width] === '.' ? 1 : 0)
    lines.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trim()
  }
  return lines
}

function pageOf(texts: readonly (readonly string[])[]): PageText {
  let y = 60
  const runs = texts.flatMap((lines) => {
    y += 10
    return lines.map((text): TextRun => {
      y += 15
      const width = text.length * 10
      return { text, x: 50, y, width, size: 10, font, rotation: 0, hasSpaceBefore: false, rtl: false }
    })
  })
  return { width: 350, height: 2000, runs, garbled: 0, picture: false }
}

describe('a paragraph in Korean', () => {
  test.each(['anywhere', 'at spaces'] as const)('keeps its words where lines are broken %s', (kind) => {
    const page = pageOf(paragraphs.map((text) => breakLines(text, kind)))
    const { content } = layOutPage(page, [], calibrate(new Map([[1, page]])))
    expect(content.split('\n\n')).toEqual(paragraphs)
  })

  test('is joined with spaces while nothing is known of its words', () => {
    const vocabulary = newVocabulary()
    learnLines(vocabulary, ['도서관에', '있습니다'])
    expect(joinLineEnd('도서관에', '있습니다', vocabulary)).toEqual({ trimCharacters: 0, separator: ' ' })
  })

  test('is joined with spaces to Latin words, whose lines break at spaces', () => {
    const vocabulary = newVocabulary()
    for (const text of paragraphs) learnLines(vocabulary, breakLines(text, 'anywhere'))
    expect(joinLineEnd('회원은 도', '서관에서', vocabulary).separator).toBe('')
    expect(joinLineEnd('회원은', 'Lectern에서', vocabulary).separator).toBe(' ')
  })
})
