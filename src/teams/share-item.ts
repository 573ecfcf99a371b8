import { AppError } from '../core/errors.ts'
import { announceShare } from './notify-share.ts'
import { requireDepartment } from './find-department.ts'
import { grant, notOwned, subscriptionRequired } from './grant-share.ts'
import { forbiddenRole, isLeader, requireMember, type Place } from './require-member.ts'
import type { SharedResult, ShareItem } from './share-schema.ts'
import type { Share, ShareStores } from './share-store.ts'
import { showScope } from './present-share.ts'
import type { Call } from '../core/context.ts'
import type { DepartmentStores } from './department-store.ts'
import type { BookStores } from '../books/store.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import type { NotificationStores } from '../notifications/store.ts'

/** Shares an own book with a team or departments of it; one that is shared already stays shared as it is. */
export async function shareItem(
  ctx: Call & DepartmentStores & BookStores & TeamStores & MemberStores & ShareStores & NotificationStores,
  input: ShareItem,
): Promise<SharedResult> {
  const { teamId, itemId, accessLevel } = input
  const place = await requireMember(ctx, teamId)
  const refs = departmentRefs(input) ?? []
  if (!isLeader(place) && (refs.length > 0 || accessLevel === 'WRITE')) {
    throw forbiddenRole('Only OWNER and ADMIN may share with departments or grant WRITE', place)
  }
  const departments = await ctx.departments.list(teamId)
  const ids = [...new Set(refs.map((ref) => requireDepartment(departments, ref).id))]
  const [book] = await ctx.books.owned(ctx.actor.id, [itemId])
  if (!book) throw notOwned()
  const { share, granted } = await once(ctx, place, { teamId, itemId, accessLevel, departments: ids })
  if (granted) await announceShare(ctx, { place, share, title: book.title, before: new Set() })
  return {
    item: { id: itemId, title: book.title },
    ...showScope(share, departments),
    granted,
    alreadyExisted: !granted,
  }
}

type Wanted = Pick<Share, 'teamId' | 'itemId' | 'accessLevel' | 'departments'>

async function once(
  ctx: Call & ShareStores & BookStores & TeamStores & MemberStores & DepartmentStores,
  { team }: Place,
  wanted: Wanted,
): Promise<{ share: Share; granted: boolean }> {
  const there = await ctx.shares.find(wanted.teamId, wanted.itemId)
  if (there) return { share: there, granted: false }
  if (!team.subscriptionActive) throw subscriptionRequired()
  return grant(ctx, { ...wanted, ownerId: ctx.actor.id, sharedBy: ctx.actor.id, sharedAt: ctx.now() })
}

/** The departments that a request names in either form; undefined when it names none, empty for the whole team. */
export function departmentRefs({
  departmentSlugs,
  departmentSlug,
}: Pick<ShareItem, 'departmentSlugs' | 'departmentSlug'>): string[] | undefined {
  if (departmentSlugs !== undefined) return departmentSlugs
  if (departmentSlug === undefined) return undefined
  return departmentSlug === null ? [] : [departmentSlug]
}

/** Shares a book with the teams that another one is shared with, on the same terms. Nobody is told: it takes the other's place. */
export async function shareLike(
  ctx: ShareStores & BookStores & TeamStores & MemberStores & DepartmentStores,
  itemId: string,
  model: string,
): Promise<void> {
  for (const share of await ctx.shares.ofBook(model)) {
    await grant(ctx, { ...share, itemId }).catch((error: unknown) => {
      // What is gone in the meantime is not shared.
      if (!(error instanceof AppError)) throw error
    })
  }
}
