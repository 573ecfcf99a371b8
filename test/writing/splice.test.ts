import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { countText } from '../../src/text/page-counts.ts'
import { splitPages } from '../../src/text/markdown/split-pages.ts'
import { markdownToc } from '../../src/text/markdown/markdown-toc.ts'
import { changedPages } from '../../src/reading/changed-pages.ts'
import { pageRefs } from '../../src/reading/store.ts'
import { type Manifest } from '../../src/reading/manifest.ts'
import { splicePages } from '../../src/writing/splice-pages.ts'

const blank: Manifest = {
  itemId: 'book',
  version: 0,
  runs: [],
  pageCount: 0,
  bytes: 0,
  words: 0,
  toc: [],
  createdAt: new Date(0),
  createdBy: 'somebody',
  reason: 'create',
  jobId: null,
}

/** A book in memory, with the storage model of the store. */
class Shelf {
  readonly pages = new Map<string, string>()
  manifest = blank
  stored = 0

  replace(from: number, count: number, pages: readonly string[]): void {
    const old = this.texts().slice(from, from + count)
    const { pages: fresh, runs: segments, ...shape } = splicePages(this.manifest, { from, old, pages })
    const revision = `r${this.manifest.version + 1}`
    const runs = segments.map((run) => ({ ...run, revision: run.revision ?? revision }))
    this.manifest = { ...blank, ...shape, runs, version: this.manifest.version + 1 }
    fresh.forEach((text, index) => this.pages.set(`book:${revision}:${String(index).padStart(6, '0')}`, text))
    this.stored += fresh.length
  }

  texts(manifest = this.manifest): string[] {
    return [...pageRefs(manifest, 1, manifest.pageCount)].map(({ id }) => this.pages.get(id) as string)
  }
}

const page = fc.constantFrom('# A\n', '# B\n\nwords here\n', '# C\n## c\n', '# 漢字\n仮名\n', 'text\n', '# \n***\n')
const edit = fc.record({ at: fc.nat(), count: fc.nat({ max: 3 }), pages: fc.array(page, { maxLength: 4 }) })

test('after any replacements the version equals its pages, and every earlier version still exists', () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 8 }), (edits) => {
      const shelf = new Shelf()
      let model: string[] = []
      const history: [Manifest, string[]][] = []
      for (const { at, count, pages } of edits) {
        const from = at % (model.length + 1)
        const removed = Math.min(count, model.length - from)
        shelf.replace(from, removed, pages)
        model = model.toSpliced(from, removed, ...pages)
        history.push([shelf.manifest, model])
        const { pageCount, bytes, words, toc } = shelf.manifest
        expect(shelf.texts()).toEqual(model)
        expect(pageCount).toBe(model.length)
        expect(bytes).toBe(Buffer.byteLength(model.join('')))
        expect(words).toBe(model.reduce((sum, text) => sum + countText(text).words, 0))
        expect(toc).toEqual(markdownToc(model))
      }
      for (const [manifest, texts] of history) expect(shelf.texts(manifest)).toEqual(texts)
    }),
    { numRuns: 2000 },
  )
})

test('front matter at the start is not in the outline, and elsewhere it is text', () => {
  const shelf = new Shelf()
  const matter = '---\na: b\n---\n'
  shelf.replace(0, 0, [matter, '# A\n'])
  expect(shelf.manifest.toc).toEqual([{ title: 'A', page: 2, level: 1 }])
  shelf.replace(2, 0, [matter])
  expect(shelf.manifest.toc.at(-1)).toEqual({ title: 'a: b', page: 3, level: 2 })
})

test('a replacement stores only new pages, at any position', () => {
  const shelf = new Shelf()
  const texts = Array.from({ length: 100 }, (_, index) => `# ${index}\n`)
  shelf.replace(0, 0, texts)
  expect(shelf.stored).toBe(100)
  shelf.replace(0, 100, texts.with(40, '# new\n').with(70, '# new too\n'))
  expect(shelf.stored).toBe(102)
  shelf.replace(0, 100, shelf.texts().toSpliced(10, 0, '# between\n'))
  expect(shelf.stored).toBe(103)
  shelf.replace(0, 101, shelf.texts().toSpliced(20, 5))
  expect(shelf.stored).toBe(103)
  expect(shelf.manifest.runs.length).toBeLessThan(12)
})

test('changed pages are those stored elsewhere and those that only one version has', () => {
  const shelf = new Shelf()
  shelf.replace(0, 0, splitPages('# A\n# B\n# C\n'))
  const first = shelf.manifest
  shelf.replace(1, 1, ['# X\n'])
  const second = shelf.manifest
  shelf.replace(3, 0, ['# D\n'])
  const third = shelf.manifest
  shelf.replace(0, 1, [])
  expect(changedPages(first, first)).toEqual([])
  expect(changedPages(first, second)).toEqual([2])
  expect(changedPages(second, third)).toEqual([4])
  expect(changedPages(first, third)).toEqual([2, 4])
  expect(changedPages(third, second)).toEqual([4])
  expect(changedPages(third, shelf.manifest)).toEqual([1, 2, 3, 4])
})

test('a book may grow to 1,000 pages and 20 MB, and a larger one may still be changed', () => {
  const shelf = new Shelf()
  shelf.replace(
    0,
    0,
    Array.from({ length: 1000 }, () => '# x\n'),
  )
  expect(() => shelf.replace(1000, 0, ['# y\n'])).toThrow(/1001 pages; a book may have 1000/)
  const heavy = new Shelf()
  heavy.replace(0, 0, ['x'.repeat(10_000_000), 'x'.repeat(10_000_000)])
  expect(() => heavy.replace(2, 0, ['# y\n'])).toThrow(/20000004 bytes; a book may have 20000000/)
  expect(() => new Shelf().replace(0, 0, ['é'.repeat(7_500_001)])).toThrow(
    /15000002 bytes; a page may have 15000000\. Start a new page/,
  )
  shelf.manifest = { ...shelf.manifest, pageCount: 1200, runs: [{ revision: 'r1', start: 0, count: 1200 }] }
  expect(() => splicePages(shelf.manifest, { from: 0, old: ['# x\n'], pages: ['# z\n'] })).not.toThrow()
})
