import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import JSZip from 'jszip'

const run = promisify(execFile)

export interface OutlineEntry {
  title: string
  page: number
  level: number
}

/** The number of pages of a PDF according to poppler. */
export async function pdfPages(path: string): Promise<number> {
  const { stdout } = await run('pdfinfo', [path])
  return Number(/^Pages:\s+(\d+)$/m.exec(stdout)?.[1])
}

/** The outline of a PDF according to poppler, without entries that lead to no page. */
export async function pdfOutline(path: string): Promise<OutlineEntry[]> {
  const { stdout } = await run('pdftohtml', ['-xml', '-i', '-l', '1', '-stdout', path], {
    maxBuffer: 256 * 1024 * 1024,
  })
  const entries: OutlineEntry[] = []
  let level = 0
  const from = stdout.indexOf('<outline>')
  for (const [tag, page, title] of from < 0
    ? []
    : stdout.slice(from).matchAll(/<outline>|<\/outline>|<item(?: page="(\d+)")?>([^<]*)<\/item>/g)) {
    if (tag === '<outline>') level += 1
    else if (tag === '</outline>') level -= 1
    else if (page !== undefined) entries.push({ title: textOfMarkup(title ?? ''), page: Number(page), level })
  }
  return entries
}

/**
 * The titles of an EPUB's table of contents in order, from its navigation document or else its NCX. Uses regular
 * expressions.
 */
export async function epubTitles(bytes: Uint8Array): Promise<string[]> {
  const zip = await JSZip.loadAsync(bytes)
  const readEntry = async (end: string): Promise<string> =>
    (await Object.values(zip.files)
      .find(({ name }) => name.endsWith(end))
      ?.async('text')) ?? ''
  const opf = await readEntry('.opf')
  const item = /<item\b[^>]*properties="[^"]*\bnav\b[^>]*>/.exec(opf)?.[0]
  const href = item && /href="([^"]+)"/.exec(item)?.[1]
  if (href) {
    const nav = /<nav\b[^>]*epub:type="toc"[^]*?<\/nav>/.exec(await readEntry(href))
    return [...(nav?.[0] ?? '').matchAll(/<a\b[^>]*>([^]*?)<\/a>/g)].map(([, title = '']) => textOfMarkup(title))
  }
  const ncx = await readEntry('.ncx')
  const points = /<navMap>([^]*?)<\/navMap>/.exec(ncx)?.[1] ?? ''
  return [...points.matchAll(/<text>([^]*?)<\/text>/g)].map(([, title = '']) => textOfMarkup(title))
}

const htmlEntities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Normalizes a text to composed characters and single spaces. */
export function normalizeSpaces(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}

/** The text of some markup, without tags and entities. */
function textOfMarkup(markup: string): string {
  const text = markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&(\w+);/g, (whole, name: string) => htmlEntities[name] ?? whole)
  return normalizeSpaces(text)
}
