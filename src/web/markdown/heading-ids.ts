import { slugify } from '../../text/slugify.ts'

/**
 * Returns a function that gives each title of a page the id of its heading, in the order of the page: `p-` and the slug; from the second equal
 * title on with `-1`, `-2` … appended, as on GitHub. Null for a title without letters and digits.
 */
export function createHeadingIds(): (title: string) => string | null {
  const counts = new Map<string, number>()
  return (title) => {
    const slug = slugify(title)
    if (slug === '') return null
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? `p-${slug}` : `p-${slug}-${count}`
  }
}

/** Caches the ids of each table of contents, so that a page shows a part of a long one without naming all of it. */
const idsCache = new WeakMap<object, (string | null)[]>()

/** The id of the heading of each entry of a table of contents on its page; null for a title without letters and digits. */
export function headingIdsOf(toc: readonly { title: string; page: number }[]): readonly (string | null)[] {
  const known = idsCache.get(toc)
  if (known) return known
  const pages = new Map<number, (title: string) => string | null>()
  const ids = toc.map(({ title, page }) => {
    const idOf = pages.get(page) ?? createHeadingIds()
    pages.set(page, idOf)
    return idOf(title)
  })
  idsCache.set(toc, ids)
  return ids
}
