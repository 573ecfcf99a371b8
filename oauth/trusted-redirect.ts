import type { KoaContextWithOIDC } from 'oidc-provider'
import type { OauthClientStore } from '../src/accounts/oauth-client-store.ts'
import { destinationOf, displayName } from './client-policy.ts'
import { oauthPaths } from './paths.ts'

type Store = Pick<OauthClientStore, 'isClientApproved'>

/**
 * True if browsers may be redirected to a client without a click of the user (RFC 9700, section 4.11.2). Anybody can
 * register a website as a client and use this server as an open redirector. So a website is trusted only if a known host
 * publishes its metadata, or if a user of this server has approved it. Loopback and custom-scheme clients are trusted.
 */
export async function isTrustedRedirect(store: Store, clientId: string, redirect: string): Promise<boolean> {
  if (URL.canParse(clientId) || URL.parse(redirect)?.protocol !== 'https:') return true
  return store.isClientApproved(clientId)
}

/** A refused authorization whose redirect is shown as a link instead. */
export interface WithheldRedirect {
  /** The redirect URI with the error response. */
  address: string
  name: string
  destination: string
}

/** The provider's pending redirect to an untrusted address; null for every other response. */
export async function findWithheldRedirect(ctx: KoaContextWithOIDC, store: Store): Promise<WithheldRedirect | null> {
  const address = ctx.response.get('location')
  const client = ctx.oidc?.entities.Client
  // An authorization that continues redirects to a page of this server; a redirect elsewhere is a refusal.
  if (ctx.path !== oauthPaths.authorization || !client || !URL.canParse(address)) return null
  if (new URL(address).origin === new URL(ctx.oidc.issuer).origin) return null
  if (await isTrustedRedirect(store, client.clientId, address)) return null
  return { address, name: displayName(client, address), destination: destinationOf(address) }
}
