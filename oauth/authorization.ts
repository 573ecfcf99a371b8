import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { errors, type InteractionResults, type Provider } from 'oidc-provider'
import type { OauthClientStore } from '../src/accounts/oauth-client-store.ts'
import { AppError } from '../src/core/errors.ts'
import { grantedScopes, type Scope } from '../src/core/scopes.ts'
import { destinationOf, displayName, isLoopback } from './client-policy.ts'
import { readDemands, type SignInDemands } from './sign-in-requirements.ts'
import { isTrustedRedirect } from './trusted-redirect.ts'

/** An authorization that waits for a person's answer. */
export interface Authorization {
  client: AskingClient
  /** What is asked for. */
  scopes: Scope[]
  demands: SignInDemands
  begunAt: Date
  /** The session that somebody signed in with for this authorization; null when nobody has. */
  signedInBy: string | null
  /** Notes that session. */
  noteSignIn(sessionId: string): Promise<void>
  /** Ends it; returns the address at which the browser goes on. */
  finish(result: InteractionResults): Promise<string>
  /** Makes the consent of an account to the scopes that were ticked; returns its id. */
  grant(accountId: string, ticked: readonly Scope[]): Promise<string>
}

export interface AskingClient {
  id: string
  name: string
  /** Where the answer goes. */
  destination: string
  /** Its answers go nowhere but to the person's own computer: any program there may say that it is this one. */
  loopback: boolean
  /** The host whose document describes the client; null for one that has described itself. */
  vouchedBy: string | null
  /** Browsers may be sent back to it without a step of the person's own. */
  trusted: boolean
}

interface Place {
  provider: Provider
  store: Pick<OauthClientStore, 'isClientKept'>
  /** What tokens are for. */
  resource: string
}

/**
 * Finds the running authorization of the browser that sent this request, whose cookie names it (RFC 9700, section 4.7):
 * nobody can answer for a browser in which it was not begun. Refuses with NOT_FOUND.
 */
export async function findAuthorization(
  { provider, store, resource }: Place,
  request: Request,
  uid: string | undefined,
): Promise<Authorization> {
  const node = new IncomingMessage(new Socket())
  node.headers.cookie = request.headers.get('cookie') ?? ''
  const response = new ServerResponse(node)
  try {
    const interaction = await provider.interactionDetails(node, response)
    if (interaction.uid !== uid) throw new errors.SessionNotFound('another authorization')
    const { client_id: clientId, redirect_uri: redirect, scope } = interaction.params as Record<string, string>
    const client = await provider.Client.find(String(clientId))
    if (!client) throw new errors.SessionNotFound('the client is gone')
    const asked = String(scope ?? '').split(' ')
    const signedInBy = interaction.lastSubmission?.signedInBy
    return {
      client: await describeClient(store, client, String(redirect)),
      scopes: grantedScopes(asked),
      demands: readDemands(interaction.params, interaction.prompt.details.subject),
      begunAt: new Date(interaction.iat * 1000),
      signedInBy: typeof signedInBy === 'string' ? signedInBy : null,
      async noteSignIn(sessionId) {
        // The one field of the provider's row that is free before there is a result.
        interaction.lastSubmission = { signedInBy: sessionId }
        await interaction.persist()
      },
      finish: (result) => provider.interactionResult(node, response, result, { mergeWithLastSubmission: false }),
      grant: (accountId, ticked) =>
        makeGrant(provider, { accountId, clientId: client.clientId }, { asked, ticked, resource }),
    }
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    const message =
      'This authorization has ended, or was begun in another browser. Begin again in the program that asked.'
    throw new AppError('NOT_FOUND', message, { cause: error })
  }
}

function makeGrant(
  provider: Provider,
  parties: { accountId: string; clientId: string },
  { asked, ticked, resource }: { asked: readonly string[]; ticked: readonly Scope[]; resource: string },
): Promise<string> {
  const grant = new provider.Grant(parties)
  const own = asked.filter((each) => each === 'openid' || each === 'offline_access')
  if (own.length > 0) grant.addOIDCScope(own.join(' '))
  const refused = grantedScopes(asked).filter((each) => !ticked.includes(each))
  grant.addResourceScope(resource, ticked.join(' '))
  if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '))
  return grant.save()
}

interface Described {
  clientId: string
  clientName?: string
  redirectUris?: readonly string[]
}

async function describeClient(store: Place['store'], client: Described, redirect: string): Promise<AskingClient> {
  const { clientId, redirectUris = [] } = client
  return {
    id: clientId,
    name: displayName(client, redirect),
    destination: destinationOf(redirect),
    loopback: redirectUris.every(isLoopback),
    vouchedBy: URL.canParse(clientId) ? new URL(clientId).host : null,
    trusted: await isTrustedRedirect(store, clientId, redirect),
  }
}
