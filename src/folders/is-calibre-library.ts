import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** The file name of the catalogue of a Calibre library. */
export const catalogueName = 'metadata.db'

const sqliteHeader = 'SQLite format 3\0'

/** True for a folder with a Calibre catalogue, recognised by the first bytes of the file. */
export async function isCalibreLibrary(folder: string): Promise<boolean> {
  try {
    const file = await open(join(folder, catalogueName))
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(sqliteHeader.length), 0, sqliteHeader.length, 0)
      return buffer.toString('latin1', 0, bytesRead) === sqliteHeader
    } finally {
      await file.close()
    }
  } catch {
    return false
  }
}
