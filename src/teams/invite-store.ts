import type { Collection, Db, Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import type { Account } from '../core/account.ts'
import type { Role } from './member-store.ts'

/** How long an invitation can be accepted, ms. */
export const inviteTtlMs = 7 * 24 * 60 * 60 * 1000

/** The invitation of an address to a team; at most one per team and address. */
export interface Invite {
  id: string
  teamId: string
  /** Lower case. */
  email: string
  role: Exclude<Role, 'OWNER'>
  status: 'PENDING' | 'ACCEPTED' | 'DECLINED'
  /** Who last sent or renewed it; null once that account is erased. */
  invitedBy: string | null
  createdAt: Date
  expiresAt: Date
  /** The account that accepted it. */
  acceptedBy: string | null
  /**
   * When the invitation was accepted, while the membership is still being created; null otherwise. Not null after a
   * crash.
   */
  joiningSince: Date | null
}

export interface InviteStore {
  /** Invites an address, or renews its pending invitation; then `created` is false. */
  createOrRenew(invite: Invite, now: Date): Promise<{ invite: Invite; created: boolean }>
  byId(id: string): Promise<Invite | null>
  /** The pending invitations of an address, newest first. */
  listPending(email: string, now: Date): Promise<Invite[]>
  /** The invitations of a team that nobody has accepted, newest first. */
  list(teamId: string): Promise<Invite[]>
  /** Accepts an invitation for an account. Idempotent for that account; null if it cannot accept it. */
  accept(id: string, { email, accountId }: { email: string; accountId: string }, now: Date): Promise<Invite | null>
  /** Clears `joiningSince`: the membership exists now. */
  clearJoining(id: string): Promise<void>
  /** Declines an invitation for an address; false if that address cannot accept it either. */
  decline(id: string, email: string, now: Date): Promise<boolean>
  /** Removes an unaccepted invitation; false if there is none. */
  revoke(teamId: string, email: string): Promise<boolean>
  /** Removes the pending invitations that an account sent for a team; with `role`, only those to that role. */
  revokeSentBy(teamId: string, accountId: string, role?: Invite['role']): Promise<void>
  /**
   * Removes the invitations of an account that has left the team, also those that it accepted with an earlier address,
   * so that the sweep does not complete an interrupted acceptance.
   */
  removeAccount(teamId: string, account: Pick<Account, 'id' | 'email'>): Promise<void>
  /** Invitations that were accepted before `before` and whose membership is still being created. */
  listStaleJoining(before: Date): Promise<Invite[]>
  removeTeam(teamId: string): Promise<void>
  /**
   * Removes every invitation that an account accepted, those to its address if that is proven, and the pending ones that
   * it sent, and removes the account from the answered ones.
   */
  eraseAccount(account: Pick<Account, 'id' | 'email' | 'emailProvenAt'>): Promise<void>
  /** Every invitation, for consistency checks. */
  all(): AsyncIterable<Invite>
}

export interface InviteStores {
  invites: InviteStore
}

type Row = Omit<Invite, 'id'> & { _id: string; inviteId: string }

/** Invitations on MongoDB: collection `invites`, kept for a month after they end. The store holds no tokens. */
export function createInviteStore(db: Db): InviteStore {
  const rows = db.collection<Row>('invites')
  return {
    ...readMethods(rows),
    createOrRenew: (invite, now) => createOrRenew(rows, invite, now),
    ...answerMethods(rows),
    ...removalMethods(rows),
  }
}

function idOf(teamId: string, email: string): string {
  return `${teamId}:${email}`
}

/** Matches invitations that can be accepted. */
function acceptable(now: Date) {
  return { status: 'PENDING' as const, expiresAt: { $gt: now } }
}

function readMethods(rows: Collection<Row>) {
  const list = async (filter: Filter<Row>) => (await rows.find(filter).sort({ createdAt: -1 }).toArray()).map(toInvite)
  async function* all() {
    for await (const row of rows.find()) yield toInvite(row)
  }
  return {
    all,
    async byId(id: string) {
      const row = await rows.findOne({ inviteId: id })
      return row && toInvite(row)
    },
    listPending: (email: string, now: Date) => list({ email, ...acceptable(now) }),
    list: (teamId: string) => list({ teamId, status: { $ne: 'ACCEPTED' } }),
    listStaleJoining: (before: Date) => list({ joiningSince: { $lt: before } }),
  }
}

async function createOrRenew(rows: Collection<Row>, { id: inviteId, ...fields }: Invite, now: Date) {
  const _id = idOf(fields.teamId, fields.email)
  const { role, expiresAt, invitedBy } = fields
  for (;;) {
    const renewed = await rows.findOneAndUpdate(
      { _id, ...acceptable(now) },
      { $set: { role, expiresAt, invitedBy } },
      { returnDocument: 'after' },
    )
    if (renewed) return { invite: toInvite(renewed), created: false }
    const endedFilter = { _id, $or: [{ status: { $ne: 'PENDING' as const } }, { expiresAt: { $lte: now } }] }
    try {
      await rows.replaceOne(endedFilter, { inviteId, ...fields }, { upsert: true })
      return { invite: { id: inviteId, ...fields }, created: true }
    } catch (error) {
      // Another call has just invited the address; the next attempt renews that invitation.
      if (!isDuplicateKey(error)) throw error
    }
  }
}

function answerMethods(rows: Collection<Row>) {
  return {
    async accept(id: string, { email, accountId }: { email: string; accountId: string }, now: Date) {
      const accepted = await rows.findOneAndUpdate(
        { inviteId: id, email, ...acceptable(now) },
        { $set: { status: 'ACCEPTED', acceptedBy: accountId, joiningSince: now } },
        { returnDocument: 'after' },
      )
      const row = accepted ?? (await rows.findOne({ inviteId: id, acceptedBy: accountId }))
      return row && toInvite(row)
    },
    async clearJoining(id: string) {
      await rows.updateOne({ inviteId: id }, { $set: { joiningSince: null } })
    },
    async decline(id: string, email: string, now: Date) {
      const { matchedCount } = await rows.updateOne(
        { inviteId: id, email, $or: [acceptable(now), { status: 'DECLINED' }] },
        { $set: { status: 'DECLINED' } },
      )
      return matchedCount === 1
    },
  }
}

function removalMethods(rows: Collection<Row>) {
  return {
    revoke: async (teamId: string, email: string) => {
      const filter = { _id: idOf(teamId, email), teamId, status: { $ne: 'ACCEPTED' as const } }
      return (await rows.deleteOne(filter)).deletedCount === 1
    },
    async revokeSentBy(teamId: string, accountId: string, role?: Invite['role']) {
      const sent = { invitedBy: accountId, teamId, status: 'PENDING' as const }
      await rows.deleteMany(role === undefined ? sent : { ...sent, role })
    },
    async removeAccount(teamId: string, { id, email }: Pick<Account, 'id' | 'email'>) {
      await rows.deleteMany({ teamId, $or: [{ email }, { acceptedBy: id }] })
    },
    async removeTeam(teamId: string) {
      await rows.deleteMany({ teamId })
    },
    async eraseAccount({ id, email, emailProvenAt }: Pick<Account, 'id' | 'email' | 'emailProvenAt'>) {
      await rows.deleteMany({ acceptedBy: id })
      if (emailProvenAt) await rows.deleteMany({ email })
      await rows.deleteMany({ invitedBy: id, status: 'PENDING' })
      await rows.updateMany({ invitedBy: id }, { $set: { invitedBy: null } })
    },
  }
}

function toInvite({ _id, inviteId, ...fields }: Row): Invite {
  return { id: inviteId, ...fields }
}
