import { z } from 'zod'
import { closeAccount, reopenAccount } from '../../accounts/close-account.ts'
import { replaceEmail } from '../../accounts/change-email.ts'
import { createAccount, NewAccount, unknownPlan } from '../../accounts/create-account.ts'
import { issueLink } from '../../accounts/issue-link.ts'
import { proveEmail } from '../../accounts/prove-email.ts'
import { NewPassword } from '../../accounts/password-hasher.ts'
import { readSecret } from '../../cli/terminal.ts'
import { EmailAddress } from '../../accounts/credentials-schema.ts'
import { parseInput } from '../../core/parse-input.ts'
import { findAccountByEmail, Email } from './find-account.ts'
import type { Account } from '../../core/account.ts'
import { byCommand, defineCommand, defineListCommand, type CommandResult, type ListRow } from './command.ts'

export const userCreate = defineCommand({
  name: 'user create',
  usage: '--email E [--name N] [--password P] [--plan TIER] [--admin] [--if-not-exists]',
  summary:
    'Create an account and print its id. Without --password, print a link for its owner to choose one. --password -: ask ' +
    'for it, or read it from stdin, so that other users of the machine do not see it. --if-not-exists: an existing account ' +
    'is not changed, and is not an error.',
  makesStore: true,
  options: NewAccount.extend({
    password: z.literal('-').or(NewPassword).optional(),
    ifNotExists: z.literal(true).optional(),
  }),
  async run({ services, config }, { password: given, ifNotExists, ...input }) {
    const existing = ifNotExists ? await services.accounts.byEmail(input.email) : null
    if (existing) return presentExisting(existing)
    const password = given === '-' ? await readNewPassword() : given
    const hash = password === undefined ? {} : { password: await services.passwords.hash(password) }
    const account = await createAccount(services, input, { ...hash, emailProven: true })
    const { id, email, tier } = account
    await services.audit.record({
      type: 'account_created',
      by: byCommand,
      accountId: id,
      detail: { plan: tier, admin: account.admin },
    })
    await services.accountEvents.emailProven(account)
    const remark = `Account ${email} (plan ${tier})`
    const created = { json: { id, email, plan: tier }, text: id, remarks: [remark] }
    if (password !== undefined || config.signUp === 'closed') return created
    const { url, expiresAt } = await issueLink(services, 'invite', id)
    const invitation = { inviteUrl: url, inviteExpiresAt: expiresAt.toISOString() }
    return { ...created, json: { ...created.json, ...invitation }, remarks: [remark, `To choose a password: ${url}`] }
  },
})

async function readNewPassword(): Promise<string> {
  return parseInput(NewPassword, await readSecret(process, 'Password of the account (not shown): '))
}

function presentExisting({ id, email, tier }: Account): CommandResult {
  const remark = `There is an account for ${email} already (plan ${tier}); nothing was changed.`
  return { json: { id, email, plan: tier, existing: true }, text: id, remarks: [remark] }
}

export const userList = defineListCommand({
  name: 'user list',
  usage: '',
  summary: 'List all accounts, oldest first: id, plan, state, email, name.',
  options: z.strictObject({}),
  list: ({ services }) => ({ name: 'users', rows: userRows(services.accounts.all()), empty: 'No accounts' }),
})

async function* userRows(accounts: AsyncIterable<Account>): AsyncGenerator<ListRow> {
  for await (const account of accounts) {
    const { id, email, name, tier, admin, suspendedAt, deletedAt, slots, createdAt } = account
    const state = deletedAt ? 'closed' : suspendedAt ? 'suspended' : admin ? 'admin' : 'active'
    const json = { id, email, name, plan: tier, admin, suspendedAt, deletedAt, books: slots, createdAt }
    yield { json, text: `${id}  ${tier.padEnd(11)}  ${state.padEnd(9)}  ${email}  ${name}` }
  }
}

export const userReset = defineCommand({
  name: 'user reset',
  usage: '--email E',
  summary: 'Print a link for the owner of an account to choose a new password. It works once, within one day.',
  options: z.strictObject({ email: Email }),
  async run({ services }, { email }) {
    const account = await findAccountByEmail(services, email)
    const { url, expiresAt } = await issueLink(services, 'reset', account.id)
    await services.audit.record({ type: 'reset_link_issued', by: byCommand, accountId: account.id })
    const json = { id: account.id, email: account.email, resetUrl: url, expiresAt: expiresAt.toISOString() }
    return { json, text: url }
  },
})

export const userProve = defineCommand({
  name: 'user prove',
  usage: '--email E | --all',
  summary:
    'Confirm that an account belongs to the owner of its email address, so that it sees the invitations to that address. --all: confirm every account.',
  options: z
    .strictObject({ email: Email.optional(), all: z.literal(true).optional() })
    .refine(({ email, all }) => (email === undefined) !== (all === undefined), {
      path: ['email'],
      error: 'give the address of one account, or --all instead',
    }),
  async run({ services }, { email }) {
    const accounts =
      email === undefined ? services.accounts.listUnproven() : [await findAccountByEmail(services, email)]
    const proven: { id: string; email: string }[] = []
    for await (const account of accounts) {
      await proveEmail(services, account)
      await services.audit.record({ type: 'email_proven', by: byCommand, accountId: account.id })
      proven.push({ id: account.id, email: account.email })
    }
    const names = proven.map((account) => account.email).join('\n')
    return { json: { proven }, text: names === '' ? 'Every address was proven already' : `Proven:\n${names}` }
  },
})

export const userEmail = defineCommand({
  name: 'user email',
  usage: '--email E --new-email NEW',
  summary:
    'Change the email address of an account, and confirm that the new one belongs to its owner. The password, keys and apps stay as they are.',
  options: z.strictObject({ email: Email, newEmail: EmailAddress }),
  async run({ services }, { email, newEmail }) {
    const account = await findAccountByEmail(services, email)
    await replaceEmail(services, { account, email: newEmail, by: byCommand })
    return { json: { id: account.id, email: newEmail }, text: `The address of ${account.email} is ${newEmail} now` }
  },
})

export const userPlan = defineCommand({
  name: 'user plan',
  usage: '--email E --plan TIER',
  summary: 'Change the plan of an account.',
  options: z.strictObject({ email: Email, plan: z.string() }),
  async run({ services }, { email, plan }) {
    const account = await findAccountByEmail(services, email)
    if (!services.plans.has(plan)) throw unknownPlan(plan, services.plans.tiers)
    await services.accounts.change(account.id, { tier: plan })
    await services.audit.record({
      type: 'plan_changed',
      by: byCommand,
      accountId: account.id,
      detail: { from: account.tier, to: plan },
    })
    return { json: { id: account.id, email: account.email, plan }, text: `${account.email} is on plan ${plan}` }
  },
})

export const userSuspend = defineCommand({
  name: 'user suspend',
  usage: '--email E',
  summary: 'Suspend an account: refuse its sign-ins and calls. Its data is kept.',
  options: z.strictObject({ email: Email }),
  async run({ services }, { email }) {
    const account = await findAccountByEmail(services, email)
    await services.accounts.change(account.id, { suspendedAt: services.now() })
    await services.webSessions.endAll(account.id)
    await services.audit.record({ type: 'account_suspended', by: byCommand, accountId: account.id })
    return { json: { id: account.id, email: account.email, suspended: true }, text: `${account.email} is suspended` }
  },
})

export const userResume = defineCommand({
  name: 'user resume',
  usage: '--email E',
  summary: 'Reactivate a suspended account, or restore a deleted one within 7 days.',
  options: z.strictObject({ email: Email }),
  async run({ services }, { email }) {
    const account = await findAccountByEmail(services, email)
    await reopenAccount(services, account)
    await services.audit.record({ type: 'account_resumed', by: byCommand, accountId: account.id })
    return { json: { id: account.id, email: account.email, suspended: false }, text: `${account.email} is active` }
  },
})

export const userDelete = defineCommand({
  name: 'user delete',
  usage: '--email E',
  summary: 'Close an account at once and erase all its data after 7 days. Until then, user resume restores it.',
  options: z.strictObject({ email: Email }),
  async run({ services }, { email }) {
    const account = await findAccountByEmail(services, email)
    const { deletedAt, eraseAt } = await closeAccount(services, account)
    await services.audit.record({ type: 'account_closed', by: byCommand, accountId: account.id })
    const json = {
      id: account.id,
      email: account.email,
      deletedAt: deletedAt.toISOString(),
      eraseAt: eraseAt.toISOString(),
    }
    return { json, text: `${account.email} is closed and will be erased on ${json.eraseAt.slice(0, 10)}` }
  },
})
