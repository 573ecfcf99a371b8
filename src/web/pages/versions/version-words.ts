import type { VersionChanges } from '../../../writing/read-history.ts'

const reasons: Record<string, string> = {
  create: 'The book was begun',
  import: 'The file was imported',
  reprocess: 'The file was read again',
  append: 'Text was added',
  page: 'A page was edited',
  replace: 'The whole text was replaced',
  restore: 'An earlier version was restored',
}

/** Why a version was written, for people. */
export function reasonWords(reason: string): string {
  return reasons[reason] ?? 'The text was changed'
}

/** Which pages a version changed, such as "page 3 changed, pages 5–7 added". */
export function changeWords({ changed, added, removed }: VersionChanges): string {
  const parts = [
    changed.length > 0 ? `${pageWords(changed)} changed` : '',
    added.length > 0 ? `${pageWords(added)} added` : '',
    removed > 0 ? `${removed === 1 ? '1 page' : `${removed} pages`} removed` : '',
  ].filter((part) => part !== '')
  return parts.length > 0 ? parts.join(', ') : 'no page changed'
}

/** Ranges that are named; more are counted. */
const maxRanges = 5

function pageWords(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last?.last === number - 1) last.last = number
    else ranges.push({ first: number, last: number })
  }
  if (numbers.length === 1) return `page ${numbers[0]}`
  if (ranges.length > maxRanges) return `${numbers.length} pages`
  return `pages ${ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ')}`
}
