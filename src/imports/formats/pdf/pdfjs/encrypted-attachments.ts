/** The number of bytes of an encryption dictionary that are read. Real ones have a few hundred. */
const maxDictionaryBytes = 4_096

/**
 * A copy of a PDF in which only attachments are encrypted, without its reference to the encryption, so that its pages
 * can be read. In such a file, `EFF` names a filter, while streams and strings have the filter `Identity` (ISO 32000-2,
 * 7.6.6). Returns null for any other file.
 */
export function withoutAttachmentEncryption(bytes: Uint8Array): Uint8Array | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const references = findReferences(file)
  const [first] = references
  if (first === undefined || !references.every(({ object }) => object === first.object)) return null
  if (!isForAttachmentsOnly(dictionaryOf(file, first.object))) return null
  const copy = Buffer.from(file)
  for (const { from, to } of references) copy.fill(' ', from, to)
  return copy
}

/** The references to the encryption dictionary in trailers. */
function findReferences(file: Buffer): { from: number; to: number; object: string }[] {
  const references: { from: number; to: number; object: string }[] = []
  for (let from = file.indexOf('/Encrypt'); from >= 0; from = file.indexOf('/Encrypt', from + 1)) {
    const [text, object] =
      /^\/Encrypt\s{1,10}(\d{1,10}\s{1,10}\d{1,5})\s{1,10}R/.exec(file.toString('latin1', from, from + 60)) ?? []
    if (text !== undefined && object !== undefined) references.push({ from, to: from + text.length, object })
  }
  return references
}

function dictionaryOf(file: Buffer, object: string): string {
  const [number = '', generation = ''] = object.split(/\s+/)
  const marker = `${number} ${generation} obj`
  for (let at = file.lastIndexOf(marker); at >= 0; at = at === 0 ? -1 : file.lastIndexOf(marker, at - 1)) {
    // For example, `12 0 obj` contains the marker `2 0 obj`.
    if (at > 0 && /\d/.test(String.fromCharCode(file[at - 1] ?? 0))) continue
    const text = file.toString('latin1', at, at + maxDictionaryBytes)
    const end = text.indexOf('endobj')
    return end < 0 ? text : text.slice(0, end)
  }
  return ''
}

function isForAttachmentsOnly(dictionary: string): boolean {
  const found = dictionary.matchAll(/\/(EFF|StmF|StrF)\s{0,10}\/(\w{1,40})/g)
  const filters = new Map(Array.from(found, ([, key = '', filter = '']) => [key, filter]))
  const filterOf = (key: string): string => filters.get(key) ?? 'Identity'
  return filterOf('EFF') !== 'Identity' && filterOf('StmF') === 'Identity' && filterOf('StrF') === 'Identity'
}
