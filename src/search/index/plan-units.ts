import { pageRefs, type PageRef } from '../../reading/store.ts'
import { type Manifest } from '../../reading/manifest.ts'
import type { IndexedBook, PageRun, IndexUnit } from './book-index-store.ts'

/** The key of a stored page: its revision and its index in that revision. */
export interface PageKey {
  revision: string
  index: number
}

export interface PageToIndex extends PageRef {
  key: PageKey
}

export interface UnitPlan {
  /** The units to keep. */
  kept: IndexUnit[]
  /** The stored pages that are in no kept unit, each once, in page order. */
  missing: PageToIndex[]
}

/** Units with fewer pages are merged as soon as there are `maxSmallUnits` of them. */
const smallUnitPages = 64
const maxSmallUnits = 8

/**
 * Selects the units that a version can keep, and the pages to index. Merges small units if there are many, and rewrites units that have
 * lost most of their pages.
 */
export function planUnits(manifest: Manifest, units: readonly IndexUnit[]): UnitPlan {
  const pages = pagesOf(manifest)
  const keys = new Set(pages.map(({ key }) => pageName(key)))
  const liveUnits = units.map((unit) => ({ unit, ...countLive(unit, keys) })).filter(({ live }) => live > 0)
  const sparse = liveUnits.filter(({ live, all }) => live * 2 < all)
  const small = liveUnits.filter(({ live }) => live < smallUnitPages)
  const replaced = new Set([...sparse, ...(small.length >= maxSmallUnits ? small : [])].map(({ unit }) => unit))
  const kept = liveUnits.map(({ unit }) => unit).filter((unit) => !replaced.has(unit))
  const covered = new Set(kept.flatMap((unit) => pageNames(unit)))
  const missing = new Map<string, PageToIndex>()
  for (const page of pages) {
    const name = pageName(page.key)
    if (!covered.has(name)) missing.set(name, missing.get(name) ?? page)
  }
  return { kept, missing: [...missing.values()] }
}

function pagesOf(manifest: Manifest): PageToIndex[] {
  const refs = pageRefs(manifest, 1, manifest.pageCount)
  const pages: PageToIndex[] = []
  for (const { revision, start, count } of manifest.runs) {
    for (let i = 0; i < count; i++) {
      const ref = refs.next().value
      if (ref) pages.push({ ...ref, key: { revision, index: start + i } })
    }
  }
  return pages
}

function countLive(unit: IndexUnit, keys: ReadonlySet<string>) {
  const names = pageNames(unit)
  return { live: names.filter((name) => keys.has(name)).length, all: names.length }
}

function pageName({ revision, index }: PageKey): string {
  return `${revision}.${index}`
}

function pageNames({ pages }: Pick<IndexUnit, 'pages'>): string[] {
  return pages.flatMap(({ revision, start, count }) =>
    Array.from({ length: count }, (_, i) => pageName({ revision, index: start + i })),
  )
}

/** Joins consecutive stored pages into runs. */
export function toRuns(keys: readonly PageKey[]): PageRun[] {
  const runs: PageRun[] = []
  for (const { revision, index } of keys) {
    const last = runs.at(-1)
    if (last?.revision === revision && last.start + last.count === index) last.count++
    else runs.push({ revision, start: index, count: 1 })
  }
  return runs
}

/** Maps each page of a version to its position in the units. Throws if a page is in no unit. */
export function buildLayout(manifest: Manifest, units: readonly IndexUnit[]): IndexedBook['layout'] {
  const positions = new Map<string, [unit: number, ordinal: number]>()
  for (const [unit, each] of units.entries()) {
    for (const [ordinal, name] of pageNames(each).entries()) positions.set(name, [unit, ordinal])
  }
  const layout: IndexedBook['layout'] = []
  for (const { key } of pagesOf(manifest)) {
    const position = positions.get(pageName(key))
    if (!position) throw new Error(`Page ${pageName(key)} of ${manifest.itemId} is not indexed`)
    const last = layout.at(-1)
    if (last && last[0] === position[0] && last[1] + last[2] === position[1]) last[2]++
    else layout.push([position[0], position[1], 1])
  }
  return layout
}

/** Returns for each unit the page number of each of its pages; 0 if the page is no longer in the book. */
export function pageNumbers({ layout, units }: Pick<IndexedBook, 'layout' | 'units'>): Uint32Array[] {
  const numbers = units.map(({ pages }) => new Uint32Array(pages.reduce((sum, { count }) => sum + count, 0)))
  let pageNum = 1
  for (const [unit, start, count] of layout) {
    for (let i = 0; i < count; i++) (numbers[unit] as Uint32Array)[start + i] = pageNum++
  }
  return numbers
}
