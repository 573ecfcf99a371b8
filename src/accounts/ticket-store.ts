import { createHash, randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'

const hour = 60 * 60 * 1000

/**
 * Lifetimes of links by kind, ms: `claim` creates the first account, `invite` sets a first password, `reset` another
 * one.
 */
export const ticketTtlMs = { claim: 7 * 24 * hour, invite: 7 * 24 * hour, reset: 24 * hour } as const

export type TicketKind = keyof typeof ticketTtlMs

export interface Ticket {
  kind: TicketKind
  /** The account whose password it sets; null for the claim of a server without accounts. */
  accountId: string | null
  expiresAt: Date
}

export interface TicketStore {
  /** Issues a ticket. Only this answer holds the token itself. */
  issue(kind: TicketKind, accountId: string | null, at: Date): Promise<{ token: string; expiresAt: Date }>
  /** The unused, unexpired ticket of a token; null when there is none. */
  find(kind: TicketKind, token: string, now: Date): Promise<Ticket | null>
  /** Marks a ticket as used; of concurrent calls with one token, one gets it and the others null. */
  redeem(kind: TicketKind, token: string, now: Date): Promise<Ticket | null>
  /** Makes a ticket usable again after its purpose failed. */
  release(token: string): Promise<void>
  /** Removes all tickets of an account. */
  removeAccount(accountId: string): Promise<void>
}

export interface TicketStores {
  tickets: TicketStore
}

interface Row {
  /** SHA-256 of the token. */
  _id: string
  kind: TicketKind
  /** Absent on a claim. */
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
