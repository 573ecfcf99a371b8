import { createAccount } from '../../src/accounts/create-account.ts'
import type { Account } from '../../src/core/account.ts'
import type { TestServer } from './server.ts'
import { webClient, type WebClient } from './web-client.ts'

export const password = 'four words of mine'

export interface WebPerson {
  account: Account
  email: string
  /** A browser in which the person is signed in. */
  browser: WebClient
}

let personCount = 0

/** An account with a password. */
export async function accountWithPassword(
  server: TestServer,
  { emailProven = true, ...options }: { admin?: boolean; plan?: string; name?: string; emailProven?: boolean } = {},
): Promise<Account> {
  const { services } = server.running.opened
  const hash = await services.passwords.hash(password)
  const email = `person${++personCount}@lectern.example`
  return createAccount(services, { email, ...options }, { password: hash, emailProven })
}

/** Signs in with the form; the browser keeps the session. */
export function signIn(browser: WebClient, email: string, typedPassword = password, page = '/sign-in') {
  return browser.submit(page, '/sign-in', { email, password: typedPassword })
}

/** A person with a signed-in browser. */
export async function signedInPerson(
  server: TestServer,
  options: Parameters<typeof accountWithPassword>[1] = {},
): Promise<WebPerson> {
  const account = await accountWithPassword(server, options)
  const browser = webClient(server)
  const answer = await signIn(browser, account.email)
  if (answer.status !== 303) throw new Error(`Not signed in: ${answer.status} ${answer.text}`)
  return { account, email: account.email, browser }
}
