import { pageRefs } from '../../src/reading/store.ts'
import { findFigureMarkers, type FigureMarker } from '../../src/text/figure-markers.ts'
import { buildEpub } from './epub.ts'
import { buildKindle } from './kindle.ts'
import { photograph, transparentPng } from './figures.ts'
import { showLines, writePdf } from './pdf.ts'
import type { Person, TestServer } from './server.ts'
import { importFile } from './uploads.ts'

/** An EPUB with one page per chapter, with a figure on the first two and none on the others. */
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

/** A MOBI of one page with two figures. */
export function illustratedMobi(): Uint8Array {
  const body = '<p>Whales swim before the figure.</p><img recindex="00001"/><p>Herons.</p><img recindex="00002"/>'
  return buildKindle({ html: `<html><head></head><body>${body}</body></html>`, pictures: kindlePictures() })
}

/** An AZW3 of two pages with a figure each. */
export function illustratedAzw3(): Uint8Array {
  const files = ['0001', '0002'].map(
    (name) => `<h1>Chapter</h1><p>Whales swim before it.</p><img src="kindle:embed:${name}?mime=image/jpeg"/>`,
  )
  return buildKindle({ files, pictures: kindlePictures() })
}

const kindlePictures = () => [photograph(1), photograph(2)]

/** A PDF of two pages, each with words above and below a figure. */
export function illustratedPdf(): Uint8Array {
  const words = (text: string, y: number) =>
    showLines([text, 'and the line goes on to its end, as in books.'], { x: 72, y })
  const page = (name: string) => ({
    content: `${words('Whales swim above', 700)}q 300 0 0 200 150 450 cm /${name} Do Q\n${words('Herons wait below', 400)}`,
  })
  return writePdf({ pages: [page('P0'), page('P1')], pictures: [pictureObject(1), pictureObject(2)] })
}

/** An image object of a JPEG for `writePdf`. */
export function pictureObject(seed: number, [width, height]: [number, number] = [160, 120]) {
  const entries = `/Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`
  return { entries, data: photograph(seed, [width, height]) }
}

export interface IllustratedBook {
  itemId: string
  boat: FigureMarker
  squares: FigureMarker
}

/** Imports an illustrated EPUB through the API. */
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
export async function figureKeys({ running }: { running: TestServer['running'] }, itemId: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of running.opened.services.files.list(`figures/${itemId}/`)) keys.push(key)
  return keys
}
