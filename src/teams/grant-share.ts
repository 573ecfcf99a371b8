import { AppError } from '../core/errors.ts'
import { departmentNotFoundError } from './find-department.ts'
import { notAMemberError } from './require-member.ts'
import type { Share, ShareStores } from './share-store.ts'
import type { BookStores } from '../books/store.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import type { DepartmentStores } from './department-store.ts'

type Stores = ShareStores & BookStores & TeamStores & MemberStores & DepartmentStores

/**
 * Shares a book from its current version on, or returns the existing share. If the book, its owner's membership or a
 * department is removed in the meantime, reverts the share and throws.
 */
export async function grantShare(
  stores: Stores,
  terms: Omit<Share, 'sinceVersion'>,
): Promise<{ share: Share; granted: boolean }> {
  const { teamId, itemId } = terms
  const [book] = await stores.books.findOwned(terms.ownerId, [itemId])
  // A deleted book is refused below.
  const share = { ...terms, sinceVersion: book?.version ?? 0 }
  if (!(await stores.shares.add(share))) {
    return { share: (await stores.shares.find(teamId, itemId)) ?? share, granted: false }
  }
  const problem = await findProblem(stores, share)
  if (problem) {
    await stores.shares.remove(teamId, itemId)
    throw problem
  }
  return { share, granted: true }
}

async function findProblem(stores: Stores, { teamId, itemId, ownerId, departments }: Share): Promise<AppError | null> {
  const [[book], team, member, existingDepartments] = await Promise.all([
    stores.books.findOwned(ownerId, [itemId]),
    stores.teams.byId(teamId),
    stores.members.find(teamId, ownerId),
    stores.departments.list(teamId),
  ])
  if (!team || !member) return notAMemberError()
  if (!book) return notOwnedError()
  const missing = departments.find((id) => !existingDepartments.some((department) => department.id === id))
  return missing === undefined ? null : departmentNotFoundError(missing)
}

/** The error for sharing a book that does not exist or belongs to another account. */
export function notOwnedError(): AppError {
  return new AppError(
    'ITEM_NOT_OWNED',
    'This book is not in your library, or it is not yours. Only its owner may share it.',
  )
}

/** The error for a new share with a team whose subscription is inactive. */
export function subscriptionRequiredError(): AppError {
  const message = 'An active team subscription is needed to share. Ask the administrator of this server.'
  return new AppError('TEAM_SUBSCRIPTION_REQUIRED', message)
}
