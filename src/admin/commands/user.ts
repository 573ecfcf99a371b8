import { z } from 'zod'
import { closeAccount, reopenAccount } from '../../accounts/close-account.ts'
import { createAccount, NewAccount, unknownPlan } from '../../accounts/create-account.ts'
import { issueLink } from '../../accounts/issue-link.ts'
import { NewPassword } from '../../accounts/password-hasher.ts'
import { notifyPendingInvites } from '../../teams/notify-invite.ts'
import { findAccountByEmail, Email } from './find-account.ts'
import { byCommand, defineCommand } from './command.ts'

export const userCreate = defineCommand({
  name: 'user create',
  usage: '--email E [--name N] [--password P] [--plan TIER] [--admin]',
  summary: 'Create an account. Without --password, print a link for its owner to choose one.',
  options: NewAccount.extend({ password: NewPassword.optional() }),
  async run({ services, config }, { password, ...input }) {
    const hash = password === undefined ? {} : { password: await services.passwords.hash(password) }
    const account = await createAccount(services, input, hash)
    const { id, email, tier } = account
    await services.audit.record({
      type: 'account_created',
      by: byCommand,
      accountId: id,
      detail: { plan: tier, admin: account.admin },
    })
    await notifyPendingInvites(services, account)
    const created = { json: { id, email, plan: tier }, text: `Account ${email} (plan ${tier})` }
    if (password !== undefined || config.signUp === 'closed') return created
    const { url, expiresAt } = await issueLink(services, 'invite', id)
    const invitation = { inviteUrl: url, inviteExpiresAt: expiresAt.toISOString() }
    return { json: { ...created.json, ...invitation }, text: `${created.text}\nTo choose a password: ${url}` }
  },
})

export const userReset = defineCommand({
  name: 'user reset',
  usage: '--email E',
  summary: 'Print a link for the owner of an account to choose a new password, valid once and for one day.',
  options: z.strictObject({ email: Email }),
  async run({ services }, { email }) {
    const account = await findAccountByEmail(services, email)
    const { url, expiresAt } = await issueLink(services, 'reset', account.id)
    await services.audit.record({ type: 'reset_link_issued', by: byCommand, accountId: account.id })
    const json = { id: account.id, email: account.email, resetUrl: url, expiresAt: expiresAt.toISOString() }
    return { json, text: url }
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
