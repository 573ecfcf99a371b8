import type { KoaContextWithOIDC } from 'oidc-provider'
import type { OauthClientStore } from '../src/accounts/oauth-client-store.ts'
import { destinationOf, displayName } from './client-policy.ts'
import { oauthPaths } from './configuration.ts'

type Store = Pick<OauthClientStore, 'isClientApproved'>

/**
 * Whether browsers may be sent to an address of a client before a person has said so (RFC 9700, section 4.11.2). Anybody
 * can register a website as a client, and use this server's name to lead people there; so one is trusted only when a
 * known host describes it, or when somebody here has let it in. Programs on the person's own computer are no websites.
 */
export async function isTrustedRedirect(store: Store, clientId: string, redirect: string): Promise<boolean> {
  if (URL.canParse(clientId) || URL.parse(redirect)?.protocol !== 'https:') return true
  return store.isClientApproved(clientId)
}

/** A refused authorization that waits for the person's own step back to the program. */
export interface WithheldRedirect {
  /** The address with the answer for the client. */
  address: string
  name: string
  destination: string
}

/** The answer with which the provider is about to send a browser to an address that is not trusted; null for all others. */
export async function findWithheldRedirect(ctx: KoaContextWithOIDC, store: Store): Promise<WithheldRedirect | null> {
  const address = ctx.response.get('location')
  const client = ctx.oidc?.entities.Client
  // Authorizations that go on lead to a page of ours; what else leads away from here at once is a refusal.
  if (ctx.path !== oauthPaths.authorization || !client || !URL.canParse(address)) return null
  if (new URL(address).origin === new URL(ctx.oidc.issuer).origin) return null
  if (await isTrustedRedirect(store, client.clientId, address)) return null
  return { address, name: displayName(client, address), destination: destinationOf(address) }
}
