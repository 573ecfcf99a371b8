import type { BookAccessStores } from '../books/access.ts'
import { findOwnBook } from '../books/find-book.ts'
import type { Call } from '../core/context.ts'
import type { Department, DepartmentStores } from './department-store.ts'
import type { MemberStores } from './member-store.ts'
import { presentTeams } from './present-team.ts'
import type { Team } from './schema.ts'
import type { ShareStores } from './share-store.ts'
import type { TeamStores } from './store.ts'

/** The teams that a book is shared with, and those it could be shared with. */
export interface BookShares {
  shares: {
    teamId: string
    teamName: string
    accessLevel: 'READ' | 'WRITE'
    /** Names of the departments; empty for the whole team. */
    departments: string[]
    sharedAt: Date
  }[]
  /** The caller's teams without access to the book. */
  otherTeams: TeamToShareWith[]
}

/** A team that a book could be shared with. */
export interface TeamToShareWith extends Pick<Team, 'id' | 'name'> {
  /** The departments that the caller may share with instead of the whole team; none for plain members. */
  departments: Pick<Department, 'slug' | 'name'>[]
}

/** The caller's teams that one of the caller's books is shared with. Refuses like `findOwnBook`. */
export async function listBookShares(
  ctx: Call & BookAccessStores & ShareStores & TeamStores & MemberStores & DepartmentStores,
  { itemId }: { itemId: string },
): Promise<BookShares> {
  const book = await findOwnBook(ctx, itemId, 'Only the owner of a book sees whom it is shared with')
  const [shares, memberships] = await Promise.all([
    ctx.shares.listByBook(book.id),
    ctx.members.listByAccount(ctx.actor.id),
  ])
  const teams = await presentTeams(ctx, memberships)
  const nameOf = new Map(teams.map(({ id, name }) => [id, name]))
  const shared = new Set(shares.map(({ teamId }) => teamId))
  const known = shares.filter(({ teamId }) => nameOf.has(teamId))
  return {
    shares: await Promise.all(
      known.map(async ({ teamId, accessLevel, departments, sharedAt }) => ({
        teamId,
        teamName: nameOf.get(teamId) ?? '',
        accessLevel,
        departments: await departmentNames(ctx, teamId, departments),
        sharedAt,
      })),
    ),
    otherTeams: await Promise.all(
      teams
        .filter(({ id }) => !shared.has(id))
        .map(async ({ id, name, role }) => ({
          id,
          name,
          departments: role === 'MEMBER' ? [] : await ctx.departments.list(id),
        })),
    ),
  }
}

async function departmentNames(ctx: DepartmentStores, teamId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  return (await ctx.departments.list(teamId)).filter(({ id }) => ids.includes(id)).map(({ name }) => name)
}
