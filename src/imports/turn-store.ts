import type { Db } from 'mongodb'
import { newId } from '../core/ids.ts'
import type { TurnRound } from './lane.ts'

/** The place of an account in a round. */
export interface Turn {
  id: string
  accountId: string
  /** The round; that of a lane has its name. */
  lane: TurnRound
  /** True if jobs of the account may be waiting. */
  waiting: boolean
  /** New whenever a job is added; prevents a stale reset of `waiting`. */
  mark: string
  /** Id of the account's last turn, ordered by time; empty before the first. */
  turn: string
  /** True if the last turn went to the job that had waited longest instead of the shortest. */
  tookOldest: boolean
}

/** The round robin of imports over accounts: the account whose last turn is the oldest comes next. */
export interface TurnStore {
  /** Adds an account to a round, keeping its place if it has one. Call it after the job is stored. */
  join(accountId: string, round: TurnRound): Promise<void>
  /** Accounts that may have waiting jobs, in turn order, at most `limit`. */
  listWaiting(round: TurnRound, limit: number): Promise<Turn[]>
  /** Takes an account's turn; returns false if another worker has taken it since it was read. */
  take(turn: Turn, next: Pick<Turn, 'turn' | 'tookOldest'>): Promise<boolean>
  /** Removes an account without waiting jobs from the round, unless a job was added since it was read. */
  leave(turn: Turn): Promise<void>
  removeAccount(accountId: string): Promise<void>
}

type TurnRow = Omit<Turn, 'id'> & { _id: string }

/** Turns on MongoDB: collection `importTurns`, a row per account and round. */
export function createTurnStore(db: Db): TurnStore {
  const turns = db.collection<TurnRow>('importTurns')
  return {
    async join(accountId, lane: TurnRound) {
      const first = { accountId, lane, turn: '', tookOldest: false }
      await turns.updateOne(
        { _id: `${accountId}:${lane}` },
        { $set: { waiting: true, mark: newId() }, $setOnInsert: first },
        { upsert: true },
      )
    },
    async listWaiting(lane, limit) {
      const rows = await turns.find({ lane, waiting: true }).sort({ turn: 1 }).limit(limit).toArray()
      return rows.map(({ _id, ...fields }) => ({ id: _id, ...fields }))
    },
    async take({ id, turn }, next) {
      return (await turns.updateOne({ _id: id, turn }, { $set: next })).matchedCount === 1
    },
    async leave({ id, mark }) {
      await turns.updateOne({ _id: id, mark }, { $set: { waiting: false } })
    },
    async removeAccount(accountId) {
      await turns.deleteMany({ accountId })
    },
  }
}
