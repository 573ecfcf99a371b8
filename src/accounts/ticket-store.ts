import { createHash, randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'

const hour = 60 * 60 * 1000

/**
 * Lifetimes of links by kind, ms. `claim` creates the first account, `invite` sets a first password, `reset` sets
 * another one, `sign_up` creates the account of an address, `confirm` proves the address of an account, `change_email`
 * gives an account another address.
 */
export const ticketTtlMs = {
  claim: 7 * 24 * hour,
  invite: 7 * 24 * hour,
  reset: 24 * hour,
  sign_up: 24 * hour,
  confirm: 24 * hour,
  change_email: 24 * hour,
} as const

export type TicketKind = keyof typeof ticketTtlMs

export interface Ticket {
  kind: TicketKind
  /** The account that it changes; null if the account does not exist yet. */
  accountId: string | null
  /** The address that the link was mailed to, if it creates the account or changes its address; null otherwise. */
  email: string | null
  expiresAt: Date
}

/**
 * The subject of a ticket: an account, with its new address if it gets one, an address without an account, or the
 * claimant of the server (null).
 */
export type TicketSubject = { accountId: string; email?: string } | { email: string } | null

export interface TicketStore {
  /** Issues a ticket. Only this answer contains the token itself. */
  issue(kind: TicketKind, subject: TicketSubject, at: Date): Promise<{ token: string; expiresAt: Date }>
  /** The unused, unexpired ticket of a token; null if there is none. */
  find(kind: TicketKind, token: string, now: Date): Promise<Ticket | null>
  /** Marks a ticket as used. Of concurrent calls with one token, one gets the ticket and the others null. */
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
  /** Absent for `claim` and `sign_up`. */
  accountId?: string
  /** Only for `sign_up` and `change_email`. */
  email?: string
  createdAt: Date
  expiresAt: Date
  usedAt: Date | null
}

/** Single-use links on MongoDB: collection `tickets`. */
export function createTicketStore(db: Db): TicketStore {
  const tickets = db.collection<Row>('tickets')
  return {
    async issue(kind, subject, createdAt) {
      const token = randomBytes(32).toString('base64url')
      const expiresAt = new Date(createdAt.getTime() + ticketTtlMs[kind])
      await tickets.insertOne({ _id: hashToken(token), kind, ...subject, createdAt, expiresAt, usedAt: null })
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
  return row && { kind: row.kind, accountId: row.accountId ?? null, email: row.email ?? null, expiresAt: row.expiresAt }
}
