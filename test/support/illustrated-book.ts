import { pageRefs } from '../../src/reading/store.ts'
import { findFigureMarkers, type FigureMarker } from '../../src/text/figure-markers.ts'
import { buildEpub } from './epub.ts'
import { photograph, transparentPng } from './figures.ts'
import type { Person, TestServer } from './server.ts'
import { importFile } from './uploads.ts'

/** An EPUB of a page each chapter, with a figure on its first two and none on the others. */
export function illustratedEpub({ title = 'Illustrated', chapters = 3 } = {}): Promise<Uint8Array> {
  const bodies = [
    '<p>Whales swim before the figure.</p><img src="boat.jpg" alt="A grand boat"/><p>Herons wait behind it.</p>',
    '<figure><img src="squares.png" alt=""/><figcaption>Fig. 2: Squares</figcaption></figure><p>Second page.</p>',
  ]
  const names = Array.from({ length: chapters }, (_, at) => [`c${at}.xhtml`, bodies[at] ?? `<p>Page ${at + 1}.</p>`])
  return buildEpub({
    metadata: `<dc:title>${title}</dc:title>`,
    chapters: Object.fromEntries(names) as Record<string, string>,
    files: { 'OEBPS/boat.jpg': photograph(1), 'OEBPS/squares.png': transparentPng() },
  })
}

export interface IllustratedBook {
  itemId: string
  boat: FigureMarker
  squares: FigureMarker
}

/** Imports an illustrated EPUB through the front door. */
export async function importIllustrated(
  server: TestServer,
  owner: Pick<Person, 'id' | 'key'>,
  options: Parameters<typeof illustratedEpub>[0] = {},
): Promise<IllustratedBook> {
  const { itemId, job } = await importFile(server, owner, {
    filename: 'book.epub',
    bytes: await illustratedEpub(options),
  })
  if (job.status !== 'SUCCEEDED') throw new Error(`the import ended as ${job.status}: ${job.error}`)
  const { contents, books } = server.running.opened.services
  const [book] = await books.byIds([itemId])
  const manifest = await contents.getManifest(itemId, Number(book?.version))
  const pages = manifest ? await contents.getPages([...pageRefs(manifest, 1, 2)]) : []
  const [boat, squares] = pages.flatMap(({ content }) => findFigureMarkers(content))
  if (!boat || !squares) throw new Error('the book has no figures')
  return { itemId, boat, squares }
}

/** The storage keys of the figures of a book. */
export async function figureKeys({ running }: Pick<TestServer, 'running'>, itemId: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of running.opened.services.files.list(`figures/${itemId}/`)) keys.push(key)
  return keys
}
