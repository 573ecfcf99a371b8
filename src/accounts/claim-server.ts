import { AppError } from '../core/errors.ts'
import { createAccount } from './create-account.ts'
import { createApiKey } from './create-api-key.ts'
import type { SignUpInput } from './credentials-schema.ts'
import { startSession, type Browser } from './sign-in.ts'
import type { Account } from '../core/account.ts'
import { requireStrongPassword } from './require-strong-password.ts'
import type { Clock, OperatorCommand } from '../core/context.ts'
import type { AccountStores } from './store.ts'
import type { TicketStores } from './ticket-store.ts'
import type { PasswordServices } from './password-hasher.ts'
import type { WebSessionStores } from './web-session-store.ts'
import type { PlanServices } from './plans.ts'
import type { AuditServices } from './audit.ts'

type Stores = Clock &
  AccountStores &
  TicketStores &
  PasswordServices &
  WebSessionStores &
  PlanServices &
  AuditServices &
  OperatorCommand

/** True while a claim link is valid and the server has no account. */
export async function canClaimServer({ accounts, tickets, now }: Stores, token: string): Promise<boolean> {
  return (await tickets.find('claim', token, now())) !== null && !(await accounts.hasAny())
}

/**
 * Creates the first account of a server (an administrator), its first API key and a session. Of concurrent claims one
 * succeeds; refuses the others with CONFLICT, and an invalid link with NOT_FOUND.
 */
export async function claimServer(
  stores: Stores,
  { token, ...person }: SignUpInput & { token: string },
  browser: Browser,
): Promise<{ key: string; sessionToken: string }> {
  const { accounts, passwords, tickets, now } = stores
  if (await accounts.hasAny()) throw alreadyClaimed()
  if (!(await tickets.find('claim', token, now()))) throw claimLinkExpiredError(stores)
  await requireStrongPassword(person.password, person.email, person.name)
  const password = await passwords.hash(person.password)
  if (!(await tickets.redeem('claim', token, now()))) throw claimLinkExpiredError(stores)
  const account = await createFirstAccount(stores, { ...person, password }).catch(async (error) => {
    await tickets.release(token)
    throw error
  })
  const by = { ...browser, actorId: account.id }
  await stores.audit.record({ type: 'account_created', by, detail: { admin: true } })
  const { id, key } = await createApiKey(stores, account.id, { name: 'First key' })
  await stores.audit.record({ type: 'key_created', by, detail: { key: id } })
  return { key, sessionToken: await startSession(stores, account, browser) }
}

/** Creates the first account from the configuration. Returns null if the server already has an account. */
export async function ensureFirstAccount(
  stores: Stores,
  { email, password }: { email: string; password: string },
): Promise<Account | null> {
  if (await stores.accounts.hasAny()) return null
  try {
    return await createFirstAccount(stores, { email, password: await stores.passwords.hash(password) })
  } catch (error) {
    // Another process with the same configuration has created it first.
    if (error instanceof AppError && error.code === 'CONFLICT') return null
    throw error
  }
}

async function createFirstAccount(stores: Stores, { email, name, password }: SignUpInput): Promise<Account> {
  try {
    return await createAccount(stores, { email, name, admin: true }, { password, first: true, emailProven: true })
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFLICT') throw alreadyClaimed()
    throw error
  }
}

function claimLinkExpiredError({ command }: OperatorCommand): AppError {
  return new AppError(
    'NOT_FOUND',
    `This link has expired. Run "${command} setup-link" on the machine of the server, or restart it: both print a new link.`,
  )
}

function alreadyClaimed(): AppError {
  return new AppError('CONFLICT', 'This server has its first account already. Sign in, or ask its administrator.')
}
