import type { Db, Filter } from 'mongodb'
import type { MemberRow } from './member-store.ts'

/** A book that its owner shares with a team, or with some departments of it. */
export interface Share {
  teamId: string
  itemId: string
  /** Whose book it is. */
  ownerId: string
  accessLevel: 'READ' | 'WRITE'
  /** Department ids; empty: the whole team. */
  departments: string[]
  sharedBy: string
  sharedAt: Date
}

export interface ShareStore {
  /** The shares that reach an account through the teams it is in now, all of them or those of `itemIds`. */
  visibleTo(accountId: string, itemIds: readonly string[] | null): Promise<Share[]>
}

type Row = Share & { _id: string }

/** Shares on MongoDB: collection `shares`, one row for each team and book. */
export function createShareStore(db: Db): ShareStore {
  const shares = db.collection<Row>('shares')
  const members = db.collection<MemberRow>('members')
  return {
    async visibleTo(accountId, itemIds) {
      const places = await members.find({ accountId }).toArray()
      if (places.length === 0) return []
      const reach = places.map(({ teamId, role, departments }): Filter<Row> =>
        role === 'MEMBER'
          ? { teamId, $or: [{ departments: { $size: 0 } }, { departments: { $in: departments } }] }
          : { teamId },
      )
      const some = itemIds === null ? {} : { itemId: { $in: [...itemIds] } }
      return (await shares.find({ ...some, $or: reach }).toArray()).map(toShare)
    },
  }
}

function toShare({ _id, ...fields }: Row): Share {
  return fields
}
