import type { Call } from '../core/context.ts'
import type { OauthStore } from './oauth-store.ts'

/** The part of the authorization server's store that has the names of applications. */
export interface CredentialNameStores {
  oauth: Pick<OauthStore, 'findGrantApp'>
}

/** Maximum length of a stored name in characters. */
const maxLength = 100

/**
 * The current name of the API key or connected application of a call; null for a person in a browser and for the
 * command line.
 */
export async function loadCredentialName({
  actor,
  oauth,
}: Pick<Call, 'actor'> & CredentialNameStores): Promise<string | null> {
  const { kind, id, name } = actor.credential
  const found = kind === 'oauth' ? (await oauth.findGrantApp(id))?.name : kind === 'key' ? name : undefined
  return found === undefined ? null : Array.from(found).slice(0, maxLength).join('')
}
