import { FileStoreError, type FileStore } from './store.ts'

/** The bytes of a file in memory as a stream for a store. */
export async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The bytes of a file that fits into memory; null if it does not exist. Throws the store's other errors. */
export async function readSmallFile(files: FileStore, key: string): Promise<Uint8Array | null> {
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of files.read(key)) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch (error) {
    if (error instanceof FileStoreError && error.code === 'NOT_FOUND') return null
    throw error
  }
}
