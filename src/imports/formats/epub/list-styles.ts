import { listTypeOf } from '../list-number.ts'
import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { decodeMarkup } from './decode-markup.ts'

/** The types of ordered lists in style sheets, by class name; `ol` is the key for lists without a class. */
export type ListStyles = ReadonlyMap<string, string>

const maxSheets = 20
const maxSheetBytes = 512 * 1024
const rule = /([^{}]{1,300})\{([^{}]{0,3000})\}/g
/** The last part of a selector that matches a list by its element or class name. */
const selector = /(?:^|[\s>])(?:(ol)|(?:ol|li)?\.([\w-]{1,60}))$/

/** Reads from the style sheets of a book which lists have letters or Roman numerals. */
export async function readListStyles(archive: Archive): Promise<ListStyles> {
  const styles = new Map<string, string>()
  for (const path of archive.paths.filter((name) => name.endsWith('.css')).slice(0, maxSheets)) {
    const sheet = await readSheet(archive, path)
    if (!sheet.includes('list-style')) continue
    for (const [, selectors = '', declarations = ''] of sheet.matchAll(rule)) {
      const type = declarations.includes('list-style') ? listTypeOf(declarations) : null
      if (type === null) continue
      for (const one of selectors.split(',')) {
        const found = selector.exec(one.trim())
        if (found) styles.set(found[1] ?? `.${found[2] ?? ''}`, type)
      }
    }
  }
  return styles
}

async function readSheet(archive: Archive, path: string): Promise<string> {
  try {
    return decodeMarkup(await archive.readPicture(path, maxSheetBytes))
  } catch (error) {
    if (error instanceof FormatError) return ''
    throw error
  }
}

/** The list type that style sheets give to classes; null if they give none. */
export function typeByClass(styles: ListStyles | undefined, classes: string): string | null {
  if (styles === undefined || styles.size === 0) return null
  const named = classes.split(/\s+/).map((name) => styles.get(`.${name}`))
  return named.find((type) => type !== undefined) ?? styles.get('ol') ?? null
}
