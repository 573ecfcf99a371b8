import { FormatError } from '../format.ts'
import { sniffPicture, type PictureType } from '../picture/sniff-picture.ts'
import type { PalmDatabase } from './palm-database.ts'

/** The pictures of a book by number (from 1). */
export interface Pictures {
  /** The file name of a picture; null if the number has no picture. */
  pictureName(number: number): string | null
  /** The names of all pictures. */
  names: readonly string[]
  /** The bytes of a picture by its name. Throws `BROKEN` if the name is unknown. */
  bytes(name: string): Buffer
}

const endings: Record<PictureType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** Finds the pictures in the records from `first` on; null: the book has none. */
export function findPictures(database: PalmDatabase, first: number | null): Pictures {
  const recordOf = new Map<string, number>()
  const nameOf = new Map<number, string>()
  for (let at = first ?? database.count; at < database.count; at++) {
    const found = sniffPicture(database.record(at))
    if (!found || first === null) continue
    const number = at - first + 1
    const name = `image${String(number).padStart(5, '0')}.${endings[found.mediaType]}`
    nameOf.set(number, name)
    recordOf.set(name, at)
  }
  return {
    names: [...recordOf.keys()],
    pictureName: (number) => nameOf.get(number) ?? null,
    bytes(name) {
      const record = recordOf.get(name)
      if (record === undefined) throw new FormatError('BROKEN', `no picture ${name}`)
      return database.record(record)
    },
  }
}
