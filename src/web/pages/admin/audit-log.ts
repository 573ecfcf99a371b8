import { html } from 'hono/html'
import { auditTypes, type AuditDetail, type AuditEntry, type AuditType } from '../../../accounts/audit.ts'
import type { Account } from '../../../core/account.ts'
import type { Html } from '../../components/html.ts'
import { formatDateTime } from '../../format/format-time.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { SignedInVisit } from '../../visit.ts'
import { requireAdministrator } from './require-administrator.ts'

const pageSize = 50

/** Mounts /admin/audit: the audit log, for administrators; other users get NOT_FOUND. */
export function mountAuditLog(routes: PageRoutes): void {
  routes.signedInPage('GET', '/admin/audit', auditLogPage)
}

async function auditLogPage(visit: SignedInVisit): Promise<Response> {
  const { ctx, url } = visit
  requireAdministrator(visit)
  const query = {
    type: auditTypes.find((type) => type === url.searchParams.get('type')),
    email: url.searchParams.get('email')?.trim() ?? '',
    before: url.searchParams.get('before') ?? undefined,
  }
  const account = query.email === '' ? null : await ctx.accounts.byEmail(query.email)
  const isUnknown = query.email !== '' && account === null
  const filter = { type: query.type, accountId: account?.id, before: query.before }
  const entries = isUnknown ? [] : await ctx.audit.list({ ...filter, limit: pageSize + 1 })
  const shown = entries.slice(0, pageSize)
  return respondPage(visit, {
    title: 'Audit log',
    content: html`<h1>Audit log</h1>
      <p class="lead">Sign-ins, passwords, keys, apps, roles, shares and administration, newest first.</p>
      ${filterForm(query)} ${isUnknown ? html`<p class="problem" role="alert">No account has this address.</p>` : ''}
      ${await entryList(visit, shown)}
      ${entries.length > pageSize ? html`<p><a href="${olderPath(query, shown.at(-1)?.id ?? '')}">Older entries</a></p>` : ''}`,
  })
}

interface AuditQuery {
  type: AuditType | undefined
  email: string
}

function filterForm({ type: selected, email }: AuditQuery): Html {
  return html`<form method="get" action="/admin/audit" class="form">
    <div class="field">
      <label for="email">Email address <span>optional</span></label>
      <input id="email" name="email" type="email" value="${email}" autocomplete="off" />
    </div>
    <div class="field">
      <label for="type">Type</label>
      <select id="type" name="type">
        <option value="">All</option>
        ${auditTypes.map(
          (type) =>
            html`<option value="${type}" ${type === selected ? html`selected` : ''}>${describeType(type)}</option>`,
        )}
      </select>
    </div>
    <button>Show</button>
  </form>`
}

async function entryList({ ctx }: SignedInVisit, entries: readonly AuditEntry[]): Promise<Html> {
  if (entries.length === 0) return html`<p>No entries.</p>`
  const ids = entries.flatMap(({ actorId, accountId }) => [actorId, accountId]).filter((id) => id !== null)
  const accounts = new Map((await ctx.accounts.byIds([...new Set(ids)])).map((account) => [account.id, account]))
  return html`<ul class="rows">
    ${entries.map((entry) => entryRow(entry, accounts))}
  </ul>`
}

function entryRow(entry: AuditEntry, accounts: ReadonlyMap<string, Account>): Html {
  const { at, type, actorId, accountId, clientAddress, userAgent, detail } = entry
  const nameOf = (id: string) => accounts.get(id)?.email ?? `a former account (${id})`
  const actor =
    actorId === null ? (clientAddress === 'command' ? 'The lectern command' : 'Not signed in') : nameOf(actorId)
  const facts = Object.entries(detail).map(([name, value]) => `${detailNames.get(name) ?? name}: ${detailWords(value)}`)
  return html`<li>
    <div>
      <strong>${describeType(type)}</strong>
      <p class="may">
        ${actor}${accountId !== null && accountId !== actorId ? html`, about ${nameOf(accountId)}` : ''}
      </p>
      <p class="facts">
        ${formatDateTime(at)}, from ${clientAddress ?? 'the server'}${userAgent ? html`, ${userAgent}` : ''}
      </p>
      ${facts.length > 0 ? html`<p class="facts">${facts.join('; ')}</p>` : ''}
    </div>
  </li>`
}

/** The details of entries in words, by their stored names. */
const detailNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    accessLevel: 'Access',
    active: 'Active',
    admin: 'Administrator',
    app: 'App',
    client: 'App ID',
    departments: 'Departments',
    destination: 'Address of the app',
    from: 'Before',
    grant: 'Connection',
    grants: 'Connections',
    item: 'Book',
    key: 'Key',
    listing: 'Listing',
    plan: 'Plan',
    proOnly: 'Only for Pro plans',
    report: 'Report',
    revokedAccess: 'Keys and apps were disconnected',
    role: 'Role',
    scopes: 'Permissions',
    session: 'Session',
    sessions: 'Sessions',
    team: 'Team',
    to: 'After',
    version: 'Version',
  }),
)

function detailWords(value: AuditDetail[string]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === null) return 'none'
  return typeof value === 'object' ? value.join(', ') || 'none' : String(value)
}

/** A type in words, such as “Sign in failed”. */
function describeType(type: AuditType): string {
  const words = type.replaceAll('_', ' ').replace(/^oauth/, 'OAuth')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function olderPath({ type, email }: AuditQuery, before: string): string {
  return `/admin/audit?${new URLSearchParams({ ...(type ? { type } : {}), ...(email === '' ? {} : { email }), before })}`
}
