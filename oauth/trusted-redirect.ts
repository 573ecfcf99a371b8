import type { KoaContextWithOIDC } from 'oidc-provider'
import type { OauthStore } from '../src/accounts/oauth-store.ts'
import type { FindSession } from './browser-session.ts'
import { destinationOf, displayName } from './client-policy.ts'
import { oauthPaths } from './paths.ts'

/** What decides which redirects are trusted. */
export interface RedirectTrust {
  store: Pick<OauthStore, 'isConnected'>
  findSession: FindSession
}

interface Redirect {
  clientId: string
  address: string
  /** The cookies of the browser. */
  cookies: string
}

/**
 * True if a browser may be redirected to a client without a click of the user (RFC 9700, section 4.11.2). Anybody can
 * register a website as a client, connect it to an account, and use this server as an open redirector. So a website is
 * trusted only if a known host publishes its metadata, or if it is connected to the account that is signed in. Loopback
 * and custom-scheme clients are trusted.
 */
export async function isTrustedRedirect(
  { store, findSession }: RedirectTrust,
  { clientId, address, cookies }: Redirect,
): Promise<boolean> {
  if (URL.canParse(clientId) || URL.parse(address)?.protocol !== 'https:') return true
  const session = await findSession(cookies)
  return session !== null && store.isConnected(session.accountId, clientId)
}

/** A refused authorization whose redirect is shown as a link instead. */
export interface WithheldRedirect {
  /** The redirect URI with the error response. */
  address: string
  name: string
  destination: string
}

/** The provider's pending redirect to an untrusted address; null for every other response. */
export async function findWithheldRedirect(
  ctx: KoaContextWithOIDC,
  trust: RedirectTrust,
): Promise<WithheldRedirect | null> {
  const address = ctx.response.get('location')
  const client = ctx.oidc?.entities.Client
  // An authorization that continues redirects to a page of this server; a redirect elsewhere is a refusal.
  if (ctx.path !== oauthPaths.authorization || !client || !URL.canParse(address)) return null
  if (new URL(address).origin === new URL(ctx.oidc.issuer).origin) return null
  const redirect = { clientId: client.clientId, address, cookies: ctx.get('cookie') }
  if (await isTrustedRedirect(trust, redirect)) return null
  return { address, name: displayName(client, address), destination: destinationOf(address) }
}
