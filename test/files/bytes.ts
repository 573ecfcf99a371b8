import { createHash, randomBytes } from 'node:crypto'

/** Random bytes with their SHA-256. */
export function randomFile(length: number): { bytes: Buffer; sha256: string } {
  const bytes = randomBytes(length)
  return { bytes, sha256: sha256(bytes) }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The bytes as a stream of uneven chunks; throws `failure`, if given, after the last one. */
export async function* streamOf(bytes: Uint8Array, failure?: Error): AsyncGenerator<Uint8Array> {
  const sizes = [1, 70_001, 16_384, 3]
  for (let start = 0, piece = 0; start < bytes.byteLength; piece++) {
    const end = start + sizes[piece % sizes.length]!
    yield bytes.subarray(start, end)
    start = end
  }
  if (failure) throw failure
}

export async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await toArray(body))
}

export async function toArray<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of source) found.push(one)
  return found
}

/** Returns the numbered file of one megabyte. */
export function numberedFile(n: number): Buffer {
  return Buffer.alloc(1_000_000, `${n},`)
}
