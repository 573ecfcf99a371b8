import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../core/errors.ts'
import type { BookSource } from './book-source.ts'
import { openCalibreLibrary } from './calibre-library.ts'
import { catalogueName, isCalibreLibrary } from './is-calibre-library.ts'
import { walkFolder } from './walk-folder.ts'

/**
 * Opens a folder as a Calibre library if it has a catalogue, otherwise as a folder of files. Refuses a path that is not
 * a folder with NOT_FOUND.
 */
export async function openBookSource(folder: string): Promise<BookSource & { isCalibre: boolean }> {
  const found = await stat(folder).catch(() => null)
  if (!found) throw new AppError('NOT_FOUND', `Folder not found: ${folder}`)
  if (!found.isDirectory()) {
    throw new AppError(
      'INVALID_INPUT',
      `${folder} is a file. Add a single file with: lectern book add --file ${folder}`,
    )
  }
  if (await isCalibreLibrary(folder)) return { ...(await openCalibreLibrary(folder)), isCalibre: true }
  if (await stat(join(folder, catalogueName)).catch(() => null)) {
    const message = `${join(folder, catalogueName)} is damaged: it is not an SQLite file. If this is a Calibre library, repair it in Calibre (Library maintenance, Restore database); if not, remove the file.`
    throw new AppError('INVALID_INPUT', message)
  }
  return { ...(await walkFolder(folder)), isCalibre: false }
}
