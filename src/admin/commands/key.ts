import { z } from 'zod'
import { createApiKey } from '../../accounts/create-api-key.ts'
import { AppError } from '../../core/errors.ts'
import { oneLine } from '../../cli/show-value.ts'
import { scopes } from '../../core/scopes.ts'
import { byCommand, defineCommand } from './command.ts'
import { findAccountByEmail, Email } from './find-account.ts'
import { Moment, oneOf } from './option-types.ts'

const Scopes = z
  .string()
  .transform((text) => text.split(',').map((scope) => scope.trim()))
  .pipe(z.array(oneOf(scopes)).min(1))

export const keyCreate = defineCommand({
  name: 'key create',
  usage: '--email E [--name N] [--scopes a,b] [--expires-at ISO] [--legacy]',
  summary: 'Create an API key and print it. It cannot be shown again.',
  options: z.strictObject({
    email: Email,
    name: z.string().min(1).max(100).optional(),
    scopes: Scopes.optional(),
    expiresAt: Moment.optional(),
    legacy: z.literal(true).optional(),
  }),
  async run({ services }, { email, legacy, ...options }) {
    const account = await findAccountByEmail(services, email)
    if (options.expiresAt && options.expiresAt <= services.now())
      throw new AppError('INVALID_INPUT', '--expires-at must be in the future')
    const prefix = legacy ? 'ck' : 'lectern'
    const { id, key } = await createApiKey(services, account.id, { ...options, prefix })
    await services.audit.record({
      type: 'key_created',
      by: byCommand,
      accountId: account.id,
      detail: { key: id, scopes: options.scopes ?? [...scopes] },
    })
    return { json: { id, key }, text: key }
  },
})

export const keyList = defineCommand({
  name: 'key list',
  usage: '--email E',
  summary: 'List the API keys of an account.',
  options: z.strictObject({ email: Email }),
  async run({ services }, { email }) {
    const account = await findAccountByEmail(services, email)
    const keys = await services.accounts.listKeys(account.id)
    const rows = keys.map((key) => {
      const state = key.revokedAt ? 'revoked' : key.expiresAt && key.expiresAt <= services.now() ? 'expired' : 'active'
      return [
        key.id,
        state,
        oneLine(key.name),
        key.scopes.join(','),
        key.lastUsedAt?.toISOString() ?? 'never used',
      ].join('  ')
    })
    const json = { keys: keys.map(({ accountId: _, ...key }) => key) }
    return { json, text: rows.join('\n') || 'No keys' }
  },
})

export const keyRevoke = defineCommand({
  name: 'key revoke',
  usage: '--id ID',
  summary: 'Revoke an API key. Its next call is refused.',
  options: z.strictObject({ id: z.string().min(1) }),
  async run({ services }, { id }) {
    const revoked = await services.accounts.revokeKey(null, id, services.now())
    if (!revoked) throw new AppError('NOT_FOUND', `No active key ${id}. To list keys: lectern key list --email E`)
    await services.audit.record({ type: 'key_revoked', by: byCommand, accountId: null, detail: { key: id } })
    return { json: { id, revoked }, text: `Key ${id} is revoked` }
  },
})
