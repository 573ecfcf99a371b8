import { describe, expect, test } from 'vitest'
import type { ExtractedPage } from '../../src/imports/formats/format.ts'
import { extractionMessages } from '../../src/imports/extract/extraction-error.ts'
import { countPage, emptyPageCounts } from '../../src/text/page-counts.ts'
import { assessHealth, failedHealth } from '../../src/imports/assess-health.ts'

const kinds: Record<string, Omit<ExtractedPage, 'label'>> = {
  text: { content: 'word '.repeat(300), picture: false, garbled: 0 },
  blank: { content: '', picture: false, garbled: 0 },
  scan: { content: '', picture: true, garbled: 0 },
  'stamped scan': { content: 'Digitised by a library', picture: true, garbled: 0 },
  garbled: { content: '\ue001\ue002 \ue003 word', picture: false, garbled: 0.75 },
  lost: { content: '\ufffd\ufffd', picture: false, garbled: 1 },
  'page number': { content: '7', picture: false, garbled: 0 },
}

function healthOf(pages: Partial<Record<string, number>>) {
  const counts = emptyPageCounts()
  for (const [kind, count = 0] of Object.entries(pages)) {
    const page = { content: '', picture: false, garbled: 0, label: null, ...kinds[kind] }
    for (let n = 0; n < count; n += 1) countPage(counts, page)
  }
  return assessHealth({ counts })
}

describe('the health of a book of', () => {
  test.for([
    ['only text', { text: 10 }, 'ok'],
    ['text and as many blank pages', { text: 5, blank: 5 }, 'ok'],
    ['text and more blank pages', { text: 5, blank: 6 }, 'partial'],
    ['text and more scans', { text: 40, scan: 60 }, 'partial'],
    ['one page of text and a scan of a hundred', { text: 1, scan: 100 }, 'unreadable'],
    ['stamped scans', { 'stamped scan': 20 }, 'unreadable'],
    ['scans without a word', { scan: 20 }, 'empty'],
    ['only blank pages', { blank: 3 }, 'empty'],
    ['no pages', {}, 'empty'],
    ['page numbers and blank pages', { 'page number': 1, blank: 9 }, 'partial'],
    ['mostly garbled text', { garbled: 6, text: 5 }, 'unreadable'],
    ['half garbled text', { garbled: 5, text: 5 }, 'ok'],
    ['garbled text between blank pages', { garbled: 2, text: 1, blank: 10 }, 'unreadable'],
    ['only lost characters', { lost: 4 }, 'unreadable'],
    ['lost characters on a few pages and no word', { lost: 1, blank: 30 }, 'unreadable'],
  ] as const)('%s', ([, pages, health]) => {
    expect(healthOf(pages).health).toBe(health)
  })

  test('no mix of pages is ok without words, and every other health has a reason', () => {
    const names = Object.keys(kinds)
    for (let n = 0; n < 3 ** names.length; n += 1) {
      const pages = Object.fromEntries(names.map((name, at) => [name, Math.floor(n / 3 ** at) % 3]))
      const { health, healthReason } = healthOf(pages)
      const readable = ['text', 'stamped scan', 'garbled', 'page number'].some((name) => (pages[name] ?? 0) > 0)
      if (!readable) expect(health).not.toBe('ok')
      if (health === 'ok') expect(healthReason).toBeNull()
      else expect(healthReason).toMatch(/^[A-Z][^.!?\n]*(?:upload|add text)[^.!?\n]*\.$/)
    }
  })
})

test('the health of a failed import says what the owner can do', () => {
  expect(failedHealth('DRM')).toEqual({ health: 'failed', healthReason: extractionMessages.DRM })
})
