import type { FormatLimits } from '../../format.ts'
import { FormatError } from '../../format.ts'
import type { EmbeddedFile } from './html-pictures.ts'
import { elementsOf, type MarkupElement } from './markup-tree.ts'

/** A page that a browser saved with its pictures and style sheets in one file (MHTML, RFC 2557). */
export interface WebArchive {
  /** The bytes of the page. */
  page: Uint8Array
  /** The encoding that the archive declares for the page; null if none. */
  charset: string | null
  /** The file with an address that the page uses, relative or absolute or as `cid:`; null if it is not in the archive. */
  find(address: string): EmbeddedFile | null
  /** Shortens links to places of the page, which browsers write with its full address, to `#place`. */
  shortenLinks(root: MarkupElement): void
}

interface Part {
  headers: ReadonlyMap<string, string>
  from: number
  to: number
}

const maxParts = 10_000
const maxDepth = 4
const maxHeaderBytes = 64 * 1024
const parameters = /;\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s;]+))/g

/** Opens a web archive. Throws `BROKEN` if it contains no page, and `TOO_LARGE` for more parts or bytes than the limits. */
export function openWebArchive(bytes: Uint8Array, limits: FormatLimits): WebArchive {
  if (bytes.length > limits.totalBytes) throw new FormatError('TOO_LARGE', `a web archive of ${bytes.length} bytes`)
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const root = readPart(file, 0, file.length)
  const parts = leavesOf(file, root)
  const page = findPage(root, parts)
  if (page === undefined) throw new FormatError('BROKEN', 'a web archive without a page')
  if (page.to - page.from > limits.entryBytes)
    throw new FormatError('TOO_LARGE', `a page of ${page.to - page.from} bytes`)
  const base = page.headers.get('content-location') ?? root.headers.get('snapshot-content-location') ?? ''
  const byAddress = new Map<string, Part>()
  for (const part of parts.toReversed()) {
    const location = part.headers.get('content-location')
    if (location !== undefined) byAddress.set(resolve(location, base), part)
    const id = part.headers.get('content-id')
    if (id !== undefined) byAddress.set(`cid:${id.replaceAll(/^<|>$/g, '')}`, part)
  }
  return {
    page: decode(file, page),
    charset: parameter(page.headers.get('content-type'), 'charset'),
    find(address) {
      const part = byAddress.get(resolve(address.trim(), base))
      return part === undefined ? null : { bytes: part.to - part.from, read: () => decode(file, part) }
    },
    shortenLinks(tree) {
      const prefix = `${resolve(base, '').replace(/#.*$/s, '')}#`
      for (const { name, attributes } of elementsOf(tree)) {
        const { href } = attributes
        if (name === 'a' && href?.startsWith(prefix))
          (attributes as Record<string, string>)['href'] = href.slice(prefix.length - 1)
      }
    },
  }
}

/** The root that the archive names, otherwise the first page. */
function findPage(root: Part, parts: readonly Part[]): Part | undefined {
  const start = parameter(root.headers.get('content-type'), 'start')
  const pages = parts.filter(({ headers }) => /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(typeOf(headers)))
  return pages.find(({ headers }) => start !== null && headers.get('content-id') === start) ?? pages[0]
}

/** The parts of a multipart body that are not multipart themselves, in order. */
function leavesOf(file: Buffer, root: Part, depth = 0): Part[] {
  const boundary = parameter(root.headers.get('content-type'), 'boundary')
  if (boundary === null || depth > maxDepth || !/^\s*multipart\//i.test(typeOf(root.headers))) return [root]
  const leaves: Part[] = []
  for (const [from, to] of bodiesOf(file, root, boundary)) {
    leaves.push(...leavesOf(file, readPart(file, from, to), depth + 1))
    if (leaves.length > maxParts) throw new FormatError('TOO_LARGE', `more than ${maxParts} parts`)
  }
  return leaves
}

/** Where the parts of a multipart body begin and end, in bytes (RFC 2046, section 5.1). A body without its end is read to its end. */
function* bodiesOf(file: Buffer, { from, to }: Part, boundary: string): Generator<[from: number, to: number]> {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1')
  // Nested bodies are not searched beyond their end, so that the time is linear.
  const body = file.subarray(0, to)
  let start: number | null = null
  for (let at = body.indexOf(delimiter, from); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    const after = body.toString('latin1', at + delimiter.length, at + delimiter.length + 2)
    if ((at > from && body[at - 1] !== 0x0a) || !/^(?:--|\s)/.test(after)) continue
    if (start !== null) yield [start, endOfLineBefore(body, at)]
    if (after === '--') return
    start = body.indexOf('\n', at) + 1
    if (start === 0) return
  }
  if (start !== null && start < to) yield [start, to]
}

/** The position of the line break that belongs to the delimiter at `at`. */
function endOfLineBefore(file: Buffer, at: number): number {
  return file[at - 2] === 0x0d ? at - 2 : at - 1
}

/** Reads the headers of a part; names in lower case, folded lines joined. */
function readPart(file: Buffer, from: number, to: number): Part {
  const headers = new Map<string, string>()
  const end = Math.min(to, from + maxHeaderBytes)
  let at = from
  let name = ''
  while (at < end) {
    const feed = file.indexOf('\n', at)
    const next = feed < 0 ? to : feed + 1
    const line = file.toString('latin1', at, Math.min(next, end)).trimEnd()
    at = next
    if (line === '') break
    const field = /^([\w-]+):\s*(.*)$/.exec(line)
    if (field?.[1] !== undefined) {
      name = field[1].toLowerCase()
      headers.set(name, field[2] ?? '')
    } else if (/^\s/.test(line)) headers.set(name, `${headers.get(name) ?? ''} ${line.trim()}`)
  }
  return { headers, from: Math.min(at, to), to }
}

function decode(file: Buffer, { headers, from, to }: Part): Uint8Array {
  const encoding = (headers.get('content-transfer-encoding') ?? '').trim().toLowerCase()
  if (encoding === 'base64') return Buffer.from(file.toString('latin1', from, to), 'base64')
  if (encoding !== 'quoted-printable') return file.subarray(from, to)
  const text = file.toString('latin1', from, to).replaceAll(/=[ \t]*\r?\n/g, '')
  return Buffer.from(
    text.replaceAll(/=([\da-f]{2})/gi, (_escaped, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )
}

function typeOf(headers: ReadonlyMap<string, string>): string {
  return headers.get('content-type') ?? ''
}

/** A parameter of a header field; null if it has none with this name. */
function parameter(field: string | undefined, name: string): string | null {
  for (const [, found, quoted, plain] of (field ?? '').matchAll(parameters))
    if (found?.toLowerCase() === name) return quoted ?? plain ?? null
  return null
}

/** An absolute address; an address that is not a URL stays as it is. */
function resolve(address: string, base: string): string {
  return URL.parse(address, base || undefined)?.href ?? address
}
