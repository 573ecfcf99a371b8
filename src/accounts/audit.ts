import type { Call } from '../core/context.ts'

/** The events in the audit log. */
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
  'email_changed',
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

/**
 * Details of an entry: ids, scopes, names of apps, counts; never a credential, an email address or text written by a
 * person.
 */
export type AuditDetail = Record<string, string | number | boolean | null | readonly string[]>

/** Who acted: a call, or a browser without a signed-in user. */
export type AuditSource = Pick<Call, 'actor' | 'clientAddress' | 'clientName'> | AuditClient

interface AuditClient {
  /** Null: the server itself, in a job. */
  clientAddress: string | null
  userAgent?: string | null
  /** The account that acted, if it is known. */
  actorId?: string | null
}

export interface AuditEvent {
  type: AuditType
  by: AuditSource
  /** The affected account; omitted: the one that acted. */
  accountId?: string | null
  detail?: AuditDetail
}

export interface AuditEntry {
  id: string
  at: Date
  type: AuditType
  /** The account that acted; null: an administrator on the command line, the server, or unknown. */
  actorId: string | null
  /** The affected account; null if there is none. */
  accountId: string | null
  /** Network address of the client; `command` for the `lectern` command, null for the server itself. */
  clientAddress: string | null
  /** Browser or program according to its own description, at most 200 characters. */
  userAgent: string | null
  /** The credential that was used, such as `session` or the kind and id of a key. */
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

/** The audit log: entries are added and expire, and are never modified. */
export interface Audit {
  /**
   * Adds an entry, which is on disk when this resolves. Never rejects: a failure is logged, and the action continues.
   */
  record(event: AuditEvent): Promise<void>
  /** Entries, newest first. */
  list(filter: AuditFilter): Promise<AuditEntry[]>
  /** Waits for pending entries. */
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

/** The caller and credential of a call. The command line acts for the account in `actor` and has no account itself. */
function describeCall({ actor, clientName }: Pick<Call, 'actor' | 'clientName'>) {
  const { kind, id } = actor.credential
  const isAccount = kind !== 'admin' && kind !== 'none'
  return { actorId: isAccount ? actor.id : null, userAgent: clientName, credential: isAccount ? `${kind} ${id}` : kind }
}

function describeClient({ actorId = null, userAgent = null }: AuditClient) {
  return { actorId, userAgent, credential: null }
}
