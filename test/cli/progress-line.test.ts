import { expect, test } from 'vitest'
import { createProgressLine } from '../../src/cli/progress-line.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

function open(size: { isTTY?: boolean; columns?: number }) {
  const written: string[] = []
  const stderr = { ...size, write: (text: string | Uint8Array) => written.push(String(text)) }
  return { written, progress: createProgressLine({ stderr } as unknown as Terminal) }
}

const agoMs = (ms: number) => performance.now() - ms

test('a terminal shows a bar, details and the remaining time in one line', () => {
  const { written, progress } = open({ isTTY: true, columns: 120 })
  progress.show('book.pdf: reading', { share: 0.5, startedAt: agoMs(20_000) }, ', 40 of 80 pages')
  expect(written[0]).toMatch(/reading {2}█{12}░{12} {2}50 %, 40 of 80 pages, 2[01] s left$/)
  progress.show('long.pdf: reading', { share: 0.1, startedAt: agoMs(60_000) })
  expect(written[1]).toMatch(/ {2}10 %, (?:9|10) min left$/)
  progress.clear()
  expect(written.at(-1)).toBe(written[0]?.slice(0, 4))
})

test('a line is never wider than the terminal', () => {
  const { written, progress } = open({ isTTY: true, columns: 30 })
  progress.show(`${'a'.repeat(50)}.pdf: reading`, { share: 0.5, startedAt: agoMs(0) })
  expect(written[0]).toHaveLength(29 + 4)
})

test('elsewhere each stage is a line, without bars', () => {
  const { written, progress } = open({})
  progress.show('Sending a.md', { share: 0.1, startedAt: 0 })
  progress.show('Sending a.md', { share: 0.9, startedAt: 0 }, ', 1 of 2 pages')
  progress.show('a.md: reading', null)
  progress.clear()
  expect(written).toEqual(['Sending a.md\n', 'a.md: reading\n'])
})
