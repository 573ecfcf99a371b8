import JSZip from 'jszip'

/**
 * The content of a book according to a second, simpler parser that shares no code with the importer: regular
 * expressions on the files.
 */
export interface ReferenceReading {
  /** Number of occurrences of each word in the reading order. */
  words: Map<string, number>
  /** The lines of each preformatted block. */
  fences: string[][]
  /** For each table of contents entry, the letters that follow its target in its file. */
  toc: string[]
}

const htmlEntities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '' }
const inlineTags =
  /<\/?(?:a|abbr|b|big|bdo|cite|code|dfn|em|font|i|kbd|mark|s|samp|small|span|strong|sub|sup|tt|u|var)\b[^>]*>/gi

/** Reads a trusted EPUB, without limits. */
export async function readReference(bytes: Uint8Array): Promise<ReferenceReading> {
  const zip = await JSZip.loadAsync(bytes)
  const readEntry = async (path: string): Promise<string> => (await zip.file(path)?.async('text')) ?? ''
  const container = await readEntry('META-INF/container.xml')
  const packagePath = /full-path="([^"]+)"/.exec(container)?.[1] ?? ''
  const opf = await readEntry(packagePath)
  const folder = packagePath.includes('/') ? packagePath.slice(0, packagePath.lastIndexOf('/') + 1) : ''
  const hrefs = new Map<string, string>()
  let nav: string | null = null
  for (const [item] of opf.matchAll(/<(?:opf:)?item\b[^>]*>/g)) {
    const id = /\bid="([^"]*)"/.exec(item)?.[1] ?? ''
    hrefs.set(id, /\bhref="([^"]*)"/.exec(item)?.[1] ?? '')
    if (/properties="[^"]*\bnav\b/.test(item)) nav = id
  }
  const order = [...opf.matchAll(/<(?:opf:)?itemref\b[^>]*\bidref="([^"]*)"/g)].map((match) => match[1] ?? '')
  const paths = new Set(
    order.filter((id) => id !== nav).map((id) => decodeURIComponent(hrefs.get(id) ?? '').replace(/#.*/, '')),
  )
  const reference: ReferenceReading = { words: new Map(), fences: [], toc: [] }
  for (const path of paths) {
    const source = await readEntry(folder + path)
    const body = source.replace(/^[^]*?<body\b[^>]*>/i, '').replace(/<!--[^]*?-->|<(script|style)\b[^]*?<\/\1>/gi, '')
    for (const [, pre = ''] of body.matchAll(/<pre\b[^>]*>([^]*?)<\/pre>/gi)) {
      const lines = decodeEntities(pre.replace(/<br\b[^>]*>/gi, '\n').replace(/<[^>]+>/g, '')).split('\n')
      if (lines.some((line) => line.trim() !== '')) reference.fences.push(lines)
    }
    countWords(decodeEntities(body.replace(inlineTags, '').replace(/<[^>]+>/g, ' ')), reference.words)
  }
  const contents = nav === null ? /href="([^"]*\.ncx)"/.exec(opf)?.[1] : hrefs.get(nav)
  const source = await readEntry(folder + (contents ?? ''))
  const links = nav === null ? source : (/<nav\b[^>]*epub:type="toc"[^]*?<\/nav>/.exec(source)?.[0] ?? '')
  for (const [, , href = ''] of links.matchAll(/<(a|content)\b[^>]*(?:href|src)="([^"]*)"/g)) {
    const [path = '', id] = decodeURIComponent(href).split('#')
    const body = (await readEntry(folder + path)).replace(/^[^]*?(?=<body\b)/i, '')
    const at = id === undefined ? 0 : body.search(new RegExp(`\\b(?:id|name)=["']${id.replace(/[^\w-]/g, '\\$&')}["']`))
    reference.toc.push(
      normalizeLetters(
        decodeEntities(
          body
            .slice(body.indexOf('>', Math.max(at, 0)) + 1)
            .slice(0, 2_000)
            .replace(/<[^>]*>/g, ' '),
        ),
      ),
    )
  }
  return reference
}

/** The letters and digits of a text in lower case, which do not depend on the markup. */
export function normalizeLetters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** Adds the words of a text (runs of letters and digits, lower case) to a count. */
export function countWords(text: string, counts: Map<string, number>): void {
  for (const [word] of text
    .replace(/[\u00AD\uFEFF]/g, '')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (...[all, hexadecimal, decimal, name]: string[]) => {
    if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16))
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    return htmlEntities[name ?? ''] ?? all ?? ''
  })
}
