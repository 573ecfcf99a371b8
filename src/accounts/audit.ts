import type { Call } from '../core/context.ts'

/** What the audit log records. */
export const auditTypes = [
  'sign_in',
  'sign_in_failed',
  'sign_out',
  'session_ended',
  'password_failed',
  'password_changed',
  'password_reset',
  'reset_requested',
  'reset_link_issued',
  'key_created',
  'key_revoked',
  'oauth_consented',
  'oauth_disconnected',
  'account_created',
  'email_proven',
  'account_suspended',
  'account_resumed',
  'account_closed',
  'account_erased',
  'account_exported',
  'plan_changed',
  'team_created',
  'team_deleted',
  'team_subscription_changed',
  'member_joined',
  'member_left',
  'member_removed',
  'role_changed',
  'share_created',
  'share_changed',
  'share_removed',
  'listing_published',
  'listing_withdrawn',
  'version_removed',
  'book_featured',
  'built_in_book_added',
  'report_read',
] as const
export type AuditType = (typeof auditTypes)[number]

/** Facts of an entry: ids, scopes, names of apps, counts; never a credential, a mail address or text that a person wrote. */
export type AuditDetail = Record<string, string | number | boolean | null | readonly string[]>

/** Who acted: a call, or a browser in which nobody is signed in. */
export type AuditSource = Pick<Call, 'actor' | 'clientAddress' | 'clientName'> | AuditClient

interface AuditClient {
  /** Null: the server itself, by a job. */
  clientAddress: string | null
  userAgent?: string | null
  /** The account that acted, if it is known. */
  actorId?: string | null
}

export interface AuditEvent {
  type: AuditType
  by: AuditSource
  /** The account that the act is about; left out: the one that acted. */
  accountId?: string | null
  detail?: AuditDetail
}

export interface AuditEntry {
  id: string
  at: Date
  type: AuditType
  /** The account that acted; null: an administrator by command, the server, or nobody known. */
  actorId: string | null
  /** The account that the act is about; null where there is none. */
  accountId: string | null
  /** Network address of the client; `command` for the `lectern` command, null for the server itself. */
  clientAddress: string | null
  /** Browser or program, as it describes itself, at most 200 characters. */
  userAgent: string | null
  /** Through what it acted, such as `session` or the kind and id of a key. */
  credential: string | null
  detail: AuditDetail
}

export interface AuditFilter {
  /** Entries by or about this account. */
  accountId?: string | undefined
  type?: AuditType | undefined
  since?: Date | undefined
  /** Entries before the one with this id. */
  before?: string | undefined
  limit: number
}

/** The log of who did what: entries are added and expire, and nothing changes them. */
export interface Audit {
  /** Adds an entry, on disk when it resolves. Never rejects: a failure is in the server's log, and the act goes on. */
  record(event: AuditEvent): Promise<void>
  /** Entries, newest first. */
  list(filter: AuditFilter): Promise<AuditEntry[]>
  /** Waits for entries that are being added. */
  flush(): Promise<void>
}

export interface AuditServices {
  audit: Audit
}

const maxUserAgentLength = 200

/** The entry of an event, without id and time. */
export function describeEvent({ type, by, accountId, detail = {} }: AuditEvent): Omit<AuditEntry, 'id' | 'at'> {
  const { clientAddress } = by
  const { actorId, userAgent, credential } = 'actor' in by ? describeCall(by) : describeClient(by)
  return {
    type,
    actorId,
    accountId: accountId === undefined ? actorId : accountId,
    clientAddress,
    userAgent: userAgent?.slice(0, maxUserAgentLength) ?? null,
    credential,
    detail,
  }
}

/** Who called, and through what. The command line acts for the account in `actor`, and is nobody itself. */
function describeCall({ actor, clientName }: Pick<Call, 'actor' | 'clientName'>) {
  const { kind, id } = actor.credential
  const isAccount = kind !== 'admin' && kind !== 'none'
  return { actorId: isAccount ? actor.id : null, userAgent: clientName, credential: isAccount ? `${kind} ${id}` : kind }
}

function describeClient({ actorId = null, userAgent = null }: AuditClient) {
  return { actorId, userAgent, credential: null }
}
