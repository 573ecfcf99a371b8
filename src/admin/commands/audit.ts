import { z } from 'zod'
import { auditTypes, type AuditEntry } from '../../accounts/audit.ts'
import { defineCommand } from './command.ts'
import { findAccountByEmail, Email } from './find-account.ts'
import { Moment, oneOf, rowLimit } from './option-types.ts'

const maxEntries = 1000

export const audit = defineCommand({
  name: 'audit',
  usage: '[--email E] [--type T] [--since ISO] [--limit N]',
  summary:
    `Print the audit log, newest first: time, type, client, account that acted, account concerned, details. --email: by or ` +
    `about an account. --limit: 100 unless given, at most ${maxEntries}.`,
  options: z.strictObject({
    email: Email.optional(),
    type: oneOf(auditTypes).optional(),
    since: Moment.optional(),
    limit: rowLimit(maxEntries),
  }),
  async run({ services }, { email, ...filter }) {
    const accountId = email === undefined ? undefined : (await findAccountByEmail(services, email)).id
    const entries = await services.audit.list({ ...filter, accountId })
    const addressOf = await loadAddresses(services, entries)
    const json = { entries: entries.map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })) }
    return { json, text: entries.map((entry) => formatEntry(entry, addressOf)).join('\n') || 'No entries' }
  },
})

/** Email addresses of the accounts in entries; the id of an erased account, and a hyphen if there is no account. */
async function loadAddresses(
  { accounts }: { accounts: { byIds(ids: readonly string[]): Promise<{ id: string; email: string }[]> } },
  entries: readonly AuditEntry[],
): Promise<(id: string | null) => string> {
  const ids = entries.flatMap(({ actorId, accountId }) => [actorId, accountId]).filter((id) => id !== null)
  const found = ids.length === 0 ? [] : await accounts.byIds([...new Set(ids)])
  const addresses = new Map(found.map(({ id, email }) => [id, email]))
  return (id) => (id === null ? '-' : (addresses.get(id) ?? id))
}

function formatEntry(entry: AuditEntry, addressOf: (id: string | null) => string): string {
  const { at, type, clientAddress, actorId, accountId, detail } = entry
  const details = Object.keys(detail).length === 0 ? [] : [JSON.stringify(detail)]
  const columns = [at.toISOString(), type, clientAddress ?? 'server', addressOf(actorId), addressOf(accountId)]
  return [...columns, ...details].join('  ')
}
