import { describe, expect, test } from 'vitest'
import { chapterOfPlace, createChapterLookup } from '../../src/reading/toc-tree.ts'

const toc = [
  { title: 'One', page: 2, level: 1 },
  { title: 'One and a half', page: 4, level: 2 },
  { title: 'Two', page: 4, level: 1 },
  { title: 'Deep', page: 4, level: 3 },
  { title: 'Three', page: 7, level: 1 },
]

describe('the chapters of a page', () => {
  test.for<[page: number, chapter: string[]]>([
    [1, []],
    [2, ['One']],
    [3, ['One']],
    [4, ['Two', 'Deep']],
    [6, ['Two', 'Deep']],
    [9, ['Three']],
  ])('of page %d are %j', ([page, chapter]) => {
    const lookup = createChapterLookup(toc)
    expect(lookup(page)).toEqual(chapter)
    // Cached pages are compared by the identity of their chapters.
    expect(createChapterLookup(toc)(page)).toBe(lookup(page))
  })

  test.for<[started: number | null, chapter: string[]]>([
    [0, ['One']],
    [1, ['One', 'One and a half']],
    [2, ['Two']],
    [3, ['Two', 'Deep']],
    [null, ['Two', 'Deep']],
  ])('of a place after %j of the chapters that begin on page 4 are %j', ([started, chapter]) => {
    const seen: (readonly string[])[] = []
    const found = chapterOfPlace(toc, 4, (titles) => {
      seen.push(titles)
      return started
    })
    expect(seen).toEqual([['One and a half', 'Two', 'Deep']])
    expect(found).toEqual(chapter)
  })

  test('of a place on a page on which no chapter begins need no headings', () => {
    const unexpected = () => {
      throw new Error('asked for headings')
    }
    expect(chapterOfPlace(toc, 5, unexpected)).toEqual(['Two', 'Deep'])
    expect(chapterOfPlace(toc, 1, unexpected)).toEqual([])
    // What comes before the first chapter belongs to it.
    expect(chapterOfPlace(toc, 2, unexpected)).toEqual(['One'])
    expect(chapterOfPlace([], 2, unexpected)).toEqual([])
  })
})
