/** The entries of an EXTH header, which contains the metadata of a book. */
export interface ExtendedHeader {
  /** The first value of an entry as text; null if it is missing. */
  text(kind: number): string | null
  /** All values of an entry as text. */
  texts(kind: number): string[]
  /** The first value of an entry as a number; null if it is missing or has the special value for "none". */
  number(kind: number): number | null
}

const headerLength = 12
const entryHeaderLength = 8
const maxTextBytes = 64 * 1024
const none = 0xffffffff

/** Parses the complete entries of an EXTH header; empty for anything else. */
export function readExtendedHeader(bytes: Buffer, encoding: string): ExtendedHeader {
  const entries = new Map<number, Buffer[]>()
  const isHeader = bytes.length >= headerLength && bytes.toString('latin1', 0, 4) === 'EXTH'
  const count = isHeader ? bytes.readUInt32BE(8) : 0
  for (let at = headerLength, read = 0; read < count && at + entryHeaderLength <= bytes.length; read++) {
    const length = bytes.readUInt32BE(at + 4)
    if (length < entryHeaderLength || at + length > bytes.length) break
    const kind = bytes.readUInt32BE(at)
    const value = bytes.subarray(at + entryHeaderLength, at + length)
    const others = entries.get(kind)
    if (others) others.push(value)
    else entries.set(kind, [value])
    at += length
  }
  const texts = (kind: number) =>
    (entries.get(kind) ?? [])
      .slice(0, 100)
      .map((value) => new TextDecoder(encoding).decode(value.subarray(0, maxTextBytes)).replaceAll('\0', '').trim())
      .filter((text) => text !== '')
  return {
    texts,
    text: (kind) => texts(kind)[0] ?? null,
    number(kind) {
      const [value] = entries.get(kind) ?? []
      const number = value?.length === 4 ? value.readUInt32BE(0) : none
      return number === none ? null : number
    },
  }
}
