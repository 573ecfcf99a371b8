import { expect, test } from 'vitest'
import { createProgress } from '../../src/admin/progress.ts'

function writtenBy(isTTY: boolean): string {
  let written = ''
  const progress = createProgress({ isTTY, write: (text: string) => (written += text) })
  progress.show('Waiting …', null)
  progress.show('Waiting …', null)
  progress.show('Reading …', 10)
  progress.show('Reading …', 20)
  progress.clear()
  progress.clear()
  return written
}

test('on a terminal, progress is one updating line that is cleared at the end', () => {
  const erase = '\r\u001B[K'
  expect(writtenBy(true)).toBe(`${erase}Waiting …${erase}Reading … 10 %${erase}Reading … 20 %${erase}`)
})

test('elsewhere, progress is a line for each stage', () => {
  expect(writtenBy(false)).toBe('Waiting …\nReading …\n')
})
