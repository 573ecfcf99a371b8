import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { errors, type InteractionResults, type Provider } from 'oidc-provider'
import type { OauthClientStore } from '../src/accounts/oauth-client-store.ts'
import { AppError } from '../src/core/errors.ts'
import { grantedScopes, type Scope } from '../src/core/scopes.ts'
import { destinationOf, displayName, isLoopback } from './client-policy.ts'
import { parseRequirements, type SignInRequirements } from './sign-in-requirements.ts'
import { isTrustedRedirect } from './trusted-redirect.ts'

/** An authorization that waits for a person's answer. */
export interface Authorization {
  client: RequestingClient
  /** What is asked for. */
  scopes: Scope[]
  requirements: SignInRequirements
  startedAt: Date
  /** The session that somebody signed in with for this authorization; null when nobody has. */
  signInSessionId: string | null
  /** Notes that session. */
  recordSignIn(sessionId: string): Promise<void>
  /** Ends it; returns the address at which the browser goes on. */
  finish(result: InteractionResults): Promise<string>
  /** Makes the consent of an account to the scopes that were ticked; returns its id. */
  createGrant(accountId: string, acceptedScopes: readonly Scope[]): Promise<string>
}

export interface RequestingClient {
  id: string
  name: string
  /** Where the answer goes. */
  destination: string
  /** Its answers go nowhere but to the person's own computer: any program there may say that it is this one. */
  isLoopback: boolean
  /** The host whose document describes the client; null for one that has described itself. */
  metadataHost: string | null
  /** Browsers may be sent back to it without a step of the person's own. */
  isTrusted: boolean
}

interface AuthorizationDependencies {
  provider: Provider
  store: Pick<OauthClientStore, 'isClientApproved'>
  /** What tokens are for. */
  resource: string
}

/**
 * Finds the running authorization of the browser that sent this request, whose cookie names it (RFC 9700, section 4.7):
 * nobody can answer for a browser in which it was not begun. Refuses with NOT_FOUND.
 */
export async function findAuthorization(
  { provider, store, resource }: AuthorizationDependencies,
  request: Request,
  uid: string | undefined,
): Promise<Authorization> {
  const nodeRequest = new IncomingMessage(new Socket())
  nodeRequest.headers.cookie = request.headers.get('cookie') ?? ''
  const response = new ServerResponse(nodeRequest)
  try {
    const interaction = await provider.interactionDetails(nodeRequest, response)
    if (interaction.uid !== uid) throw new errors.SessionNotFound('another authorization')
    const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction.params as Record<string, string>
    const client = await provider.Client.find(String(clientId))
    if (!client) throw new errors.SessionNotFound('the client is gone')
    const requestedScopes = String(scope ?? '').split(' ')
    const signInSessionId = interaction.lastSubmission?.['signedInBy']
    return {
      client: await describeClient(store, client, String(redirectUri)),
      scopes: grantedScopes(requestedScopes),
      requirements: parseRequirements(interaction.params, interaction.prompt.details['subject']),
      startedAt: new Date(interaction.iat * 1000),
      signInSessionId: typeof signInSessionId === 'string' ? signInSessionId : null,
      async recordSignIn(sessionId) {
        // The one field of the provider's row that is free before there is a result.
        interaction.lastSubmission = { signedInBy: sessionId }
        await interaction.persist()
      },
      finish: (result) => provider.interactionResult(nodeRequest, response, result, { mergeWithLastSubmission: false }),
      createGrant: (accountId, ticked) =>
        saveGrant(provider, { accountId, clientId: client.clientId }, { asked: requestedScopes, ticked, resource }),
    }
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    const message =
      'This authorization has ended, or was begun in another browser. Begin again in the program that asked.'
    throw new AppError('NOT_FOUND', message, { cause: error })
  }
}

function saveGrant(
  provider: Provider,
  parties: { accountId: string; clientId: string },
  {
    asked: requestedScopes,
    ticked: acceptedScopes,
    resource,
  }: { asked: readonly string[]; ticked: readonly Scope[]; resource: string },
): Promise<string> {
  const grant = new provider.Grant(parties)
  const oidcScopes = requestedScopes.filter((each) => each === 'openid' || each === 'offline_access')
  if (oidcScopes.length > 0) grant.addOIDCScope(oidcScopes.join(' '))
  const rejectedScopes = grantedScopes(requestedScopes).filter((each) => !acceptedScopes.includes(each))
  grant.addResourceScope(resource, acceptedScopes.join(' '))
  if (rejectedScopes.length > 0) grant.rejectResourceScope(resource, rejectedScopes.join(' '))
  return grant.save()
}

interface ClientDescription {
  clientId: string
  clientName?: string
  redirectUris?: readonly string[]
}

async function describeClient(
  store: AuthorizationDependencies['store'],
  client: ClientDescription,
  redirectUri: string,
): Promise<RequestingClient> {
  const { clientId, redirectUris = [] } = client
  return {
    id: clientId,
    name: displayName(client, redirectUri),
    destination: destinationOf(redirectUri),
    isLoopback: redirectUris.every(isLoopback),
    metadataHost: URL.canParse(clientId) ? new URL(clientId).host : null,
    isTrusted: await isTrustedRedirect(store, clientId, redirectUri),
  }
}
