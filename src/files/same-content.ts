import { createHash } from 'node:crypto'
import type { FileStore } from './store.ts'

/** True if two files have the same bytes; reads both. */
export async function hasSameContent(store: Pick<FileStore, 'read'>, a: string, b: string): Promise<boolean> {
  return (await sha256Of(store.read(a))) === (await sha256Of(store.read(b)))
}

async function sha256Of(body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of body) hash.update(chunk)
  return hash.digest('hex')
}
