import { createHash } from 'node:crypto'
import type { FileStore } from './store.ts'

/** Whether two files hold the same bytes, by reading both. */
export async function sameContent(store: Pick<FileStore, 'read'>, a: string, b: string): Promise<boolean> {
  return (await digest(store.read(a))) === (await digest(store.read(b)))
}

async function digest(body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of body) hash.update(chunk)
  return hash.digest('hex')
}
