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
