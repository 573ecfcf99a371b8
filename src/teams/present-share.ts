import type { Department } from './department-store.ts'
import type { SharedItem } from './share-schema.ts'
import type { Share } from './share-store.ts'

/** The audience and level of a share; names only the departments in `departments`. */
export function presentShareScope(
  { accessLevel, departments: ids }: Pick<Share, 'accessLevel' | 'departments'>,
  departments: readonly Department[],
): Pick<SharedItem, 'accessLevel' | 'teamWide' | 'departments' | 'department'> {
  const named = departments.filter(({ id }) => ids.includes(id))
  const [first] = named
  return {
    accessLevel,
    teamWide: ids.length === 0,
    departments: named.map(({ slug }) => slug),
    department: first ? { slug: first.slug, name: first.name } : null,
  }
}

/** A shared book in a list. */
export function presentShare(
  share: Share,
  { title, departments }: { title: string; departments: readonly Department[] },
): SharedItem {
  const { itemId, sharedAt } = share
  return { itemId, title, ...presentShareScope(share, departments), sharedAt: sharedAt.toISOString() }
}
