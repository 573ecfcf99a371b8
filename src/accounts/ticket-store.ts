import { createHash, randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'

const hour = 60 * 60 * 1000

/** What links do and how long they last, ms: the first account, a first password, another password. */
export const ticketTtlMs = { claim: 7 * 24 * hour, invite: 7 * 24 * hour, reset: 24 * hour } as const

export type TicketKind = keyof typeof ticketTtlMs

export interface Ticket {
  kind: TicketKind
  /** Whose password it sets; null for the claim of a server without accounts. */
  accountId: string | null
  expiresAt: Date
}

export interface TicketStore {
  /** Makes a ticket; its token is in the answer and nowhere else. */
  issue(kind: TicketKind, accountId: string | null, at: Date): Promise<{ token: string; expiresAt: Date }>
  /** The unused, unexpired ticket of a token. */
  find(kind: TicketKind, token: string, now: Date): Promise<Ticket | null>
  /** Uses a ticket: of many calls with one token a single one gets it. */
  redeem(kind: TicketKind, token: string, now: Date): Promise<Ticket | null>
  /** Makes a ticket unused again: what it was used for did not come to be. */
  release(token: string): Promise<void>
  /** Makes the links to an account's password worthless. */
  removeAccount(accountId: string): Promise<void>
}

export interface TicketStores {
  tickets: TicketStore
}

interface Row {
  /** SHA-256 of the token. */
  _id: string
  kind: TicketKind
  /** Absent on claims. */
  accountId?: string
  createdAt: Date
  expiresAt: Date
  usedAt: Date | null
}

/** Single-use links on MongoDB: collection `tickets`. */
export function createTicketStore(db: Db): TicketStore {
  const tickets = db.collection<Row>('tickets')
  return {
    async issue(kind, accountId, createdAt) {
      const token = randomBytes(32).toString('base64url')
      const expiresAt = new Date(createdAt.getTime() + ticketTtlMs[kind])
      const owner = accountId === null ? {} : { accountId }
      await tickets.insertOne({ _id: hashToken(token), kind, ...owner, createdAt, expiresAt, usedAt: null })
      return { token, expiresAt }
    },
    find: async (kind, token, now) => toTicket(await tickets.findOne(validTicketFilter(kind, token, now))),
    redeem: async (kind, token, now) =>
      toTicket(await tickets.findOneAndUpdate(validTicketFilter(kind, token, now), { $set: { usedAt: now } })),
    async release(token) {
      await tickets.updateOne({ _id: hashToken(token) }, { $set: { usedAt: null } })
    },
    async removeAccount(accountId) {
      await tickets.deleteMany({ accountId })
    },
  }
}

function validTicketFilter(kind: TicketKind, token: string, now: Date) {
  return { _id: hashToken(token), kind, usedAt: null, expiresAt: { $gt: now } }
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function toTicket(row: Row | null): Ticket | null {
  return row && { kind: row.kind, accountId: row.accountId ?? null, expiresAt: row.expiresAt }
}
