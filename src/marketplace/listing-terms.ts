import { AppError } from '../core/errors.ts'
import { slugify } from '../text/slugify.ts'
import { categories, isCategory, type Category } from './categories.ts'
import type { Tag } from './listing-store.ts'

/** Parses a category. Throws INVALID_INPUT with the allowed list for any other text. */
export function parseCategory(text: string): Category {
  if (isCategory(text)) return text
  const message = `Invalid \`category\`: it must be one of ${categories.join(', ')}`
  throw new AppError('INVALID_INPUT', message, { details: { allowed: [...categories] } })
}

/** Tags from their names; the first of several names with the same slug. */
export function parseTags(names: readonly string[]): Tag[] {
  const tags = new Map<string, Tag>()
  for (const name of names) {
    const slug = slugify(name)
    if (!tags.has(slug)) tags.set(slug, { name, slug })
  }
  return [...tags.values()]
}
