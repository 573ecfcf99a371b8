import { pageRefs, type PageRef } from '../reading/store.ts'
import { type Manifest } from '../reading/manifest.ts'
import type { IndexedBook, PageRun, Unit } from './book-index-store.ts'

/** A stored page: the write it came with and its place there. */
export interface PageKey {
  revision: string
  index: number
}

export interface WantedPage extends PageRef {
  key: PageKey
}

export interface Plan {
  /** Units that go on being used. */
  kept: Unit[]
  /** Units that are replaced. */
  dropped: Unit[]
  /** Stored pages that no kept unit holds, each once, in order of the book. */
  missing: WantedPage[]
}

/** Units of fewer pages are put together when there are many. */
const smallPages = 64
const mostSmall = 8

/**
 * Which units a version can use as they are and which of its pages have to be indexed. Small units are indexed anew in
 * one when there are many of them, and so are those of which most pages are gone.
 */
export function planUnits(manifest: Manifest, units: readonly Unit[]): Plan {
  const wanted = pagesOf(manifest)
  const keys = new Set(wanted.map(({ key }) => nameOf(key)))
  const alive = units.map((unit) => ({ unit, ...countLive(unit, keys) })).filter(({ live }) => live > 0)
  const worn = alive.filter(({ live, all }) => live * 2 < all)
  const small = alive.filter(({ live }) => live < smallPages)
  const replaced = new Set([...worn, ...(small.length >= mostSmall ? small : [])].map(({ unit }) => unit))
  const kept = alive.map(({ unit }) => unit).filter((unit) => !replaced.has(unit))
  const held = new Set(kept.flatMap((unit) => namesOf(unit)))
  const missing = new Map<string, WantedPage>()
  for (const page of wanted) {
    const name = nameOf(page.key)
    if (!held.has(name)) missing.set(name, missing.get(name) ?? page)
  }
  return { kept, dropped: units.filter((unit) => !kept.includes(unit)), missing: [...missing.values()] }
}

function pagesOf(manifest: Manifest): WantedPage[] {
  const refs = pageRefs(manifest, 1, manifest.pageCount)
  const pages: WantedPage[] = []
  for (const { revision, start, count } of manifest.segments) {
    for (let i = 0; i < count; i++) {
      const ref = refs.next().value
      if (ref) pages.push({ ...ref, key: { revision, index: start + i } })
    }
  }
  return pages
}

function countLive(unit: Unit, keys: ReadonlySet<string>) {
  const names = namesOf(unit)
  return { live: names.filter((name) => keys.has(name)).length, all: names.length }
}

function nameOf({ revision, index }: PageKey): string {
  return `${revision}.${index}`
}

function namesOf({ pages }: Pick<Unit, 'pages'>): string[] {
  return pages.flatMap(({ revision, start, count }) =>
    Array.from({ length: count }, (_, i) => nameOf({ revision, index: start + i })),
  )
}

/** Stored pages as runs. */
export function runsOf(keys: readonly PageKey[]): PageRun[] {
  const runs: PageRun[] = []
  for (const { revision, index } of keys) {
    const last = runs.at(-1)
    if (last?.revision === revision && last.start + last.count === index) last.count++
    else runs.push({ revision, start: index, count: 1 })
  }
  return runs
}

/** Where each page of a version stands in the units. */
export function layOut(manifest: Manifest, units: readonly Unit[]): IndexedBook['layout'] {
  const places = new Map<string, [unit: number, ordinal: number]>()
  for (const [unit, each] of units.entries()) {
    for (const [ordinal, name] of namesOf(each).entries()) places.set(name, [unit, ordinal])
  }
  const layout: IndexedBook['layout'] = []
  for (const { key } of pagesOf(manifest)) {
    const place = places.get(nameOf(key))
    if (!place) throw new Error(`Page ${nameOf(key)} of ${manifest.itemId} is not indexed`)
    const last = layout.at(-1)
    if (last && last[0] === place[0] && last[1] + last[2] === place[1]) last[2]++
    else layout.push([place[0], place[1], 1])
  }
  return layout
}

/** The page number of each page of a unit; 0 for those that are no longer in the book. */
export function pageNumbers({ layout, units }: Pick<IndexedBook, 'layout' | 'units'>): Uint32Array[] {
  const numbers = units.map(({ pages }) => new Uint32Array(pages.reduce((sum, { count }) => sum + count, 0)))
  let pageNum = 1
  for (const [unit, start, count] of layout) {
    for (let i = 0; i < count; i++) (numbers[unit] as Uint32Array)[start + i] = pageNum++
  }
  return numbers
}
