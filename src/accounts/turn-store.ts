import type { Db } from 'mongodb'
import { newId } from '../core/ids.ts'

/**
 * What accounts take turns in: the imports of each lane, short files that overtake long ones, recognition of pages, and
 * embedding of books.
 */
export type TurnRound = 'layout' | 'text' | 'short' | 'ocr' | 'embedding'

/** The place of an account in a round. */
export interface Turn {
  id: string
  accountId: string
  lane: TurnRound
  /** True if work of the account may be waiting. */
  waiting: boolean
  /** New whenever work is added; prevents a stale reset of `waiting`. */
  mark: string
  /** Id of the account's last turn, ordered by time; empty before the first. */
  turn: string
  /** True if the last turn went to the job that had waited longest instead of the shortest. */
  tookOldest: boolean
}

/** The round robin of background work over accounts: the account whose last turn is the oldest comes next. */
export interface TurnStore {
  /** Adds an account to a round, keeping its place if it has one. Call it after the work is stored. */
  join(accountId: string, round: TurnRound): Promise<void>
  /** Accounts that may have waiting work, in turn order, at most `limit`. */
  listWaiting(round: TurnRound, limit: number): Promise<Turn[]>
  /** Takes an account's turn; returns false if another worker has taken it since it was read. */
  take(turn: Turn, next: Pick<Turn, 'turn' | 'tookOldest'>): Promise<boolean>
  /** Removes an account without waiting work from the round, unless work was added since it was read. */
  leave(turn: Turn): Promise<void>
  removeAccount(accountId: string): Promise<void>
}

export interface TurnStores {
  turns: TurnStore
}

type TurnRow = Omit<Turn, 'id'> & { _id: string }

/** Turns on MongoDB: collection `importTurns`, a row per account and round. */
export function createTurnStore(db: Db): TurnStore {
  const rows = db.collection<TurnRow>('importTurns')
  return {
    async join(accountId, lane: TurnRound) {
      const first = { accountId, lane, turn: '', tookOldest: false }
      await rows.updateOne(
        { _id: `${accountId}:${lane}` },
        { $set: { waiting: true, mark: newId() }, $setOnInsert: first },
        { upsert: true },
      )
    },
    async listWaiting(lane, limit) {
      const found = await rows.find({ lane, waiting: true }).sort({ turn: 1 }).limit(limit).toArray()
      return found.map(({ _id, ...fields }) => ({ id: _id, ...fields }))
    },
    async take({ id, turn }, next) {
      return (await rows.updateOne({ _id: id, turn }, { $set: next })).matchedCount === 1
    },
    async leave({ id, mark }) {
      await rows.updateOne({ _id: id, mark }, { $set: { waiting: false } })
    },
    async removeAccount(accountId) {
      await rows.deleteMany({ accountId })
    },
  }
}
