import type { Call } from '../core/context.ts'
import type { OauthStore } from './oauth-store.ts'

/** The part of the authorization server's store that names of applications are loaded from. */
export interface CredentialNameStores {
  oauth: Pick<OauthStore, 'findGrantApp'>
}

/** The most characters of a name that are kept. */
const maxLength = 100

/**
 * The name of the API key or connected application of a call, as it is called now; null for a person in a browser and
 * for the command line.
 */
export async function loadCredentialName({
  actor,
  oauth,
}: Pick<Call, 'actor'> & CredentialNameStores): Promise<string | null> {
  const { kind, id, name } = actor.credential
  const found = kind === 'oauth' ? (await oauth.findGrantApp(id))?.name : kind === 'key' ? name : undefined
  return found === undefined ? null : Array.from(found).slice(0, maxLength).join('')
}
