import { cleanLine } from '../imports/extract/clean-text.ts'
import { CreateShelf } from '../shelves/schema.ts'

const maxLength = 50
const separator = ' / '
const ellipsis = '…'

/**
 * The shelf name for a folder, made of the folder names in its path: `Science / Physics`. If it is too long, omits the
 * first folders (`… / Optics / Lenses`). Null for the top folder, whose files are put on no shelf, and for names
 * without a letter or digit.
 */
export function shelfNameOfFolder(folders: readonly string[]): string | null {
  const names = folders.map((folder) => cleanLine(folder.normalize('NFC'), 200)).filter((name) => name !== null)
  for (let from = 0; from < names.length; from++) {
    const name = [...(from === 0 ? [] : [ellipsis]), ...names.slice(from)].join(separator)
    if (lengthOf(name) <= maxLength) return usableName(name)
  }
  return usableName(names.at(-1) ?? '')
}

/** A text as a shelf name, truncated to the limit; null if it contains no letter or digit. */
export function usableName(text: string): string | null {
  const line = cleanLine(text.normalize('NFC'), 1000) ?? ''
  const name =
    lengthOf(line) <= maxLength
      ? line
      : `${[...line]
          .slice(0, maxLength - 1)
          .join('')
          .trimEnd()}${ellipsis}`
  return CreateShelf.safeParse({ name }).success ? name : null
}

function lengthOf(text: string): number {
  return [...text].length
}
