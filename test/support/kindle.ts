/** An entry of the table of contents of a test book. */
interface TestContents {
  title: string
  /** The entry's target is before these words. */
  at: string
  /** The index of its parent entry. */
  parent?: number
}

/** A MOBI or AZW3 for a test, with plain defaults for omitted fields. */
export interface KindleParts {
  title?: string
  /** KF7: one HTML file. KF8: the files, each as a skeleton and the content of its body. */
  html?: string
  files?: string[]
  /** KF8 sections after the text, such as drawings. */
  flows?: string[]
  /** The record that divides the text of KF8 into sections, in place of the right one. */
  sectionsAt?: number
  contents?: TestContents[]
  /** The record where the table of contents begins, in place of the right one. */
  contentsAt?: number
  pictures?: Uint8Array[]
  extended?: [kind: number, value: string | number][]
  compression?: 'none' | 'palmdoc' | 'huffman'
  /** Phrases of the dictionary for `huffman`, in addition to all single bytes; `codes` are those of other phrases. */
  phrases?: (string | { codes: number[] })[]
  encoding?: 'utf-8' | 'latin1'
  /** Trailing bytes of each text record, with the flags that announce them. */
  trailing?: { bytes: number[]; flags: number }
  encryption?: number
  type?: string
}

const none = 0xffffffff
const recordLength = 4096

/** Creates a KF7 book, or with `files` a KF8 book. */
export function buildKindle(parts: KindleParts): Buffer {
  const { encoding = 'utf-8', contents = [], pictures = [], flows = [] } = parts
  const encode: Encode = (text) => Buffer.from(text, encoding)
  const newer = parts.files && writeFiles(parts.files.map(encode))
  const main = newer?.text ?? encode(parts.html ?? '<html><body><p>Text.</p></body></html>')
  const text = Buffer.concat([main, ...flows.map(encode)])
  const chunks = Array.from({ length: Math.ceil(text.length / recordLength) }, (_, at) =>
    text.subarray(at * recordLength, (at + 1) * recordLength),
  )
  const after = Buffer.from(parts.trailing?.bytes ?? [])
  const records: Buffer[] = chunks.map((chunk) => Buffer.concat([compress(chunk, parts), after]))
  const add = (added: Buffer[]) => (added.length === 0 ? none : records.push(...added) - added.length + 1)
  const phrases = parts.compression === 'huffman' ? writePhrases(parts.phrases ?? []) : []
  const phrasesAt = add(phrases)
  const contentsAt = add(
    contents.length > 0 ? writeContents(contents, newer?.places ?? placesIn(main, encode), encode) : [],
  )
  const fragments = add(newer ? writeIndex([2, 3, 4, 6], newer.fragments, []) : [])
  const skeletons = add(newer ? writeIndex([1, 6], newer.skeletons, []) : [])
  const sections = add(newer ? [writeSections(main, flows.map(encode))] : [])
  const picturesAt = add(pictures.map((bytes) => Buffer.from(bytes)))
  const header = writeHeader(parts, {
    0: { palmdoc: 2, none: 1, huffman: 17480 }[parts.compression ?? 'palmdoc'] << 16,
    4: text.length,
    8: (chunks.length << 16) | recordLength,
    12: (parts.encryption ?? 0) << 16,
    28: encoding === 'utf-8' ? 65001 : 1252,
    36: newer ? 8 : 6,
    92: 7,
    108: picturesAt,
    112: phrasesAt,
    116: phrases.length,
    192: parts.sectionsAt ?? sections,
    196: newer ? flows.length + 1 : 0,
    240: parts.trailing?.flags ?? 0,
    244: parts.contentsAt ?? contentsAt,
    248: fragments,
    252: skeletons,
    260: none,
  })
  return palmDatabase([header, ...records], parts.type)
}

/** A Palm database of these records. */
export function palmDatabase(records: readonly Buffer[], type = 'BOOKMOBI'): Buffer {
  const head = Buffer.alloc(78 + records.length * 8 + 2)
  head.write('A_book', 0)
  head.write(type, 60)
  head.writeUInt16BE(records.length, 76)
  let at = head.length
  for (const [index, record] of records.entries()) {
    head.writeUInt32BE(at, 78 + index * 8)
    at += record.length
  }
  return Buffer.concat([head, ...records])
}

function writeHeader({ title = 'A book', extended = [] }: KindleParts, numbers: Record<number, number>): Buffer {
  const header = Buffer.alloc(16 + 264)
  header.write('MOBI', 16)
  header.writeUInt32BE(264, 20)
  const entries = extended.map(([kind, value]) => {
    const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from([0, 0, value >> 8, value & 255])
    return Buffer.concat([bigEndian(kind, bytes.length + 8), bytes])
  })
  const length = 12 + entries.reduce((sum, entry) => sum + entry.length, 0)
  const all = Buffer.concat([Buffer.from('EXTH'), bigEndian(length, entries.length), ...entries])
  for (const [at, value] of Object.entries(numbers)) header.writeUInt32BE(value >>> 0, Number(at))
  header.writeUInt32BE(header.length + all.length, 84)
  header.writeUInt32BE(Buffer.byteLength(title), 88)
  header.writeUInt32BE(0x40, 128)
  return Buffer.concat([header, all, Buffer.from(title)])
}

function bigEndian(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, at * 4)
  return bytes
}

/** Compresses a chunk: PalmDOC with its four kinds of codes, or one byte for each of the first 256 phrases. */
function compress(chunk: Buffer, { compression = 'palmdoc', phrases = [] }: KindleParts): Buffer {
  if (compression === 'none') return chunk
  const out: number[] = []
  for (let at = 0; at < chunk.length;) {
    if (compression === 'huffman') {
      const rest = chunk.subarray(at)
      const index = phrases.findIndex((one) => typeof one === 'string' && one !== '' && rest.indexOf(one) === 0)
      out.push(index < 0 ? 255 : 254 - index)
      if (index < 0) out.push(255 - (chunk[at] as number))
      at += index < 0 ? 1 : Buffer.byteLength(phrases[index] as string)
      continue
    }
    const back = chunk.subarray(0, at).lastIndexOf(chunk.subarray(at, at + 10))
    const [byte, next = 0] = [chunk[at] as number, chunk[at + 1]]
    if (back >= 0 && at - back < 2048 && at + 10 <= chunk.length) {
      const pair = 0x8000 | ((at - back) << 3) | 7
      out.push(pair >> 8, pair & 255)
      at += 10
    } else if (byte === 0x20 && next >= 0x40 && next < 0x80) {
      out.push(next | 0x80)
      at += 2
    } else {
      if (byte === 0 || (byte >= 9 && byte < 0x80)) out.push(byte)
      else out.push(1, byte)
      at++
    }
  }
  return Buffer.from(out)
}

/** Encodes 255 phrases with 8 bits, and single bytes with 16 bits that begin with 255. */
function writePhrases(phrases: NonNullable<KindleParts['phrases']>): Buffer[] {
  const [byFirst, byLength] = [24, 24 + 256 * 4]
  const codes = Buffer.alloc(byLength + 64 * 4)
  codes.write('HUFF')
  codes.writeUInt32BE(byFirst, 8)
  codes.writeUInt32BE(byLength, 12)
  for (let at = 0; at < 256; at++) codes.writeUInt32BE(at === 255 ? 9 : (254 << 8) | 0x80 | 8, byFirst + at * 4)
  for (let length = 9; length < 16; length++) codes.writeUInt32BE(2 ** length, byLength + (length - 1) * 8)
  codes.writeUInt32BE(0xff00, byLength + 15 * 8)
  codes.writeUInt32BE(0xffff + 255, byLength + 15 * 8 + 4)
  const entries = Array.from({ length: 255 }, (_, at) => phraseEntry(phrases[at] ?? ''))
  for (let byte = 0; byte < 256; byte++) entries.push(Buffer.from([0x80, 1, byte]))
  const head = Buffer.concat([Buffer.from('CDIC'), bigEndian(16, entries.length, 16)])
  const offsets = Buffer.alloc(entries.length * 2)
  let at = offsets.length
  for (const [index, entry] of entries.entries()) {
    offsets.writeUInt16BE(at, index * 2)
    at += entry.length
  }
  return [codes, Buffer.concat([head, offsets, ...entries])]
}

function phraseEntry(phrase: string | { codes: number[] }): Buffer {
  const bytes = typeof phrase === 'string' ? Buffer.from(phrase) : Buffer.from(phrase.codes)
  const length = bytes.length | (typeof phrase === 'string' ? 0x8000 : 0)
  return Buffer.concat([Buffer.from([length >> 8, length & 255]), bytes])
}

type Encode = (text: string) => Buffer<ArrayBuffer>

interface TestEntry {
  name: string
  /** The values of each tag. */
  values: Record<number, number[]>
}

/** An index with one record of entries, and one of text if there is any. */
function writeIndex(tags: readonly number[], entries: readonly TestEntry[], text: readonly Buffer[]): Buffer[] {
  const tagx = [...tags.map((tag, at) => [tag, tag === 6 ? 2 : 1, 1 << at, 0]), [0, 0, 0, 1]]
  const table = Buffer.concat([Buffer.from('TAGX'), bigEndian(12 + tagx.length * 4, 1), Buffer.from(tagx.flat())])
  const written = entries.map(({ name, values }) => {
    const control = tags.reduce((bits, tag, at) => bits | (values[tag] ? 1 << at : 0), 0)
    const numbers = tags.flatMap((tag) => (values[tag] ?? []).flatMap(variableLength))
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([control, ...numbers])])
  })
  const body = Buffer.concat(written)
  const offsets = Buffer.alloc(entries.length * 2)
  let at = 56
  for (const [index, entry] of written.entries()) {
    offsets.writeUInt16BE(at, index * 2)
    at += entry.length
  }
  const record = Buffer.concat([indexHeader(56 + body.length, entries.length, 0), body, Buffer.from('IDXT'), offsets])
  const header = Buffer.concat([indexHeader(0, 1, text.length > 0 ? 1 : 0), table])
  return text.length > 0 ? [header, record, Buffer.concat(text)] : [header, record]
}

function indexHeader(offsetsAt: number, count: number, texts: number): Buffer {
  const header = Buffer.concat([Buffer.from('INDX'), bigEndian(56), Buffer.alloc(48)])
  header.writeUInt32BE(offsetsAt, 20)
  header.writeUInt32BE(count, 24)
  header.writeUInt32BE(texts, 52)
  return header
}

/** A number in bytes with 7 bits each, of which the last one has the high bit. */
function variableLength(number: number): number[] {
  const bytes = [(number & 0x7f) | 0x80]
  for (let rest = number >> 7; rest > 0; rest >>= 7) bytes.unshift(rest & 0x7f)
  return bytes
}

/** The values for the position of words. */
type Places = (words: string) => TestEntry['values']

const placesIn =
  (text: Buffer, encode: Encode): Places =>
  (words) => ({ 1: [text.indexOf(encode(words))] })

function writeContents(contents: readonly TestContents[], where: Places, encode: Encode): Buffer[] {
  const text: Buffer[] = []
  let length = 0
  const entries = contents.map(({ title, at, parent }, index) => {
    const offset = length
    const bytes = encode(title)
    text.push(Buffer.from(variableLength(bytes.length)), bytes)
    length += variableLength(bytes.length).length + bytes.length
    const values: TestEntry['values'] = { ...where(at), 3: [offset] }
    if (parent !== undefined) values[21] = [parent]
    return { name: String(index), values }
  })
  return writeIndex([1, 3, 6, 21], entries, text)
}

/** Splits each file into a skeleton and two fragments, the second of which is inserted after the first. */
function writeFiles(files: readonly Buffer[]) {
  const fragments: TestEntry[] = []
  const skeletons: TestEntry[] = []
  const parts: Buffer[] = []
  const starts: number[] = []
  let at = 0
  for (const [index, body] of files.entries()) {
    const [before, after] = [Buffer.from('<html><body>'), Buffer.from('</body></html>')]
    const middle = body.length >> 1
    const pieces = [body.subarray(0, middle), body.subarray(middle)]
    skeletons.push({ name: `SKEL${index}`, values: { 1: [2], 6: [at, before.length + after.length] } })
    let insertAt = at + before.length
    for (const piece of pieces) {
      fragments.push({
        name: String(insertAt).padStart(10, '0'),
        values: { 3: [fragments.length], 6: [0, piece.length] },
      })
      insertAt += piece.length
    }
    starts.push(at + before.length)
    parts.push(before, after, ...pieces)
    at = insertAt + after.length
  }
  /** The first fragment of the file and the bytes before these words. */
  const places: Places = (words) => {
    const file = files.findIndex((body) => body.includes(words))
    return { 6: [file * 2, (files[file] ?? Buffer.alloc(0)).indexOf(words)] }
  }
  return { text: Buffer.concat(parts), fragments, skeletons, places }
}

function writeSections(main: Buffer, flows: readonly Buffer[]): Buffer {
  let at = 0
  const ranges = [main, ...flows].flatMap((flow) => [at, (at += flow.length)])
  return Buffer.concat([Buffer.from('FDST'), bigEndian(12, flows.length + 1, ...ranges)])
}

/** The URL of a position in KF8, for links. */
export function kindleLink(fragment: number, offset: number): string {
  const digits = (number: number, length: number) => number.toString(32).toUpperCase().padStart(length, '0')
  return `kindle:pos:fid:${digits(fragment, 4)}:off:${digits(offset, 10)}`
}
