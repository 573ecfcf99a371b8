import type { VersionChanges } from '../../writing/read-history.ts'

const reasons: ReadonlyMap<string, string> = new Map(
  Object.entries({
    create: 'The book was created',
    import: 'The file was imported',
    reprocess: 'The file was read again',
    ocr: 'Text was recognised (OCR)',
    replace: 'The whole text was replaced',
    restore: 'An earlier version was restored',
  }),
)

/** Describes the changes of a version for people: the changed pages, and the reason unless the pages imply it. */
export function versionWords(reason: string, changes: VersionChanges | null): string {
  const parts = changes ? changeWords(changes) : []
  const [first = ''] = parts
  const why = reasons.get(reason)
  if (why !== undefined) return parts.length > 0 ? `${why}: ${parts.join(', ')}` : why
  if (first === '') return changes ? 'The text was stored again' : 'The text was changed'
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}${parts
    .slice(1)
    .map((part) => `, ${part}`)
    .join('')}`
}

function changeWords({ changed, added, removed }: VersionChanges): string[] {
  return [
    changed.length > 0 ? `${pageWords(changed)} changed` : '',
    added.length > 0 ? `${pageWords(added)} added` : '',
    removed > 0 ? `${removed === 1 ? '1 page' : `${removed} pages`} removed` : '',
  ].filter((part) => part !== '')
}

/** Maximum number of ranges that are listed; further ones are counted. */
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
