import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { errors, type InteractionResults, type Provider } from 'oidc-provider'
import { AppError } from '../src/core/errors.ts'
import { grantedScopes, type Scope } from '../src/core/scopes.ts'
import { destinationOf, displayName, isLoopback } from './client-policy.ts'
import { parseRequirements, type SignInRequirements } from './sign-in-requirements.ts'
import { isTrustedRedirect, type RedirectTrust } from './trusted-redirect.ts'

/** An authorization that waits for the user's consent. */
export interface Authorization {
  client: RequestingClient
  /** Requested scopes. */
  scopes: Scope[]
  requirements: SignInRequirements
  startedAt: Date
  /** Id of the session created by a sign-in for this authorization; null if there was none. */
  signInSessionId: string | null
  /** Stores `signInSessionId`. */
  recordSignIn(sessionId: string): Promise<void>
  /** Ends the authorization; returns the URL to redirect to. */
  finish(result: InteractionResults): Promise<string>
  /** Creates the account's grant of the accepted scopes; returns its id. */
  createGrant(accountId: string, acceptedScopes: readonly Scope[]): Promise<string>
}

export interface RequestingClient {
  id: string
  name: string
  /** Redirect destination, as people recognise it. */
  destination: string
  /** True if all redirect URIs are loopback: any program on the user's computer could impersonate the client. */
  isLoopback: boolean
  /** Host of the client's metadata document; null for a registered client. */
  metadataHost: string | null
  /** True if browsers may be redirected to it without a click of the user. */
  isTrusted: boolean
}

interface AuthorizationDependencies extends RedirectTrust {
  provider: Provider
  /** The resource that tokens are issued for (RFC 8707). */
  resource: string
}

/** Finds the pending authorization of a browser by its cookie. Refuses with NOT_FOUND. */
export type FindAuthorization = (request: Request, uid: string | undefined) => Promise<Authorization>

/**
 * Finds the pending authorization of a browser by its cookie, so that only the browser that started it can answer it
 * (RFC 9700, section 4.7). Refuses with NOT_FOUND.
 */
export async function findAuthorization(
  { provider, resource, ...trust }: AuthorizationDependencies,
  request: Request,
  uid: string | undefined,
): Promise<Authorization> {
  const nodeRequest = new IncomingMessage(new Socket())
  const cookies = request.headers.get('cookie') ?? ''
  nodeRequest.headers.cookie = cookies
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
      client: await describeClient(trust, client, { redirectUri: String(redirectUri), cookies }),
      scopes: grantedScopes(requestedScopes),
      requirements: parseRequirements(interaction.params, interaction.prompt.details['subject']),
      startedAt: new Date(interaction.iat * 1000),
      signInSessionId: typeof signInSessionId === 'string' ? signInSessionId : null,
      async recordSignIn(sessionId) {
        // The only field of the provider's interaction that is unused before there is a result.
        interaction.lastSubmission = { signedInBy: sessionId }
        await interaction.persist()
      },
      finish: (result) => provider.interactionResult(nodeRequest, response, result, { mergeWithLastSubmission: false }),
      createGrant: (accountId, acceptedScopes) =>
        saveGrant(provider, { accountId, clientId: client.clientId }, { requestedScopes, acceptedScopes, resource }),
    }
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    const message =
      'This authorization was answered already, has expired, or was started in another browser. If the app is not connected, start again in the app.'
    throw new AppError('NOT_FOUND', message, { cause: error })
  }
}

function saveGrant(
  provider: Provider,
  parties: { accountId: string; clientId: string },
  {
    requestedScopes,
    acceptedScopes,
    resource,
  }: { requestedScopes: readonly string[]; acceptedScopes: readonly Scope[]; resource: string },
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
  trust: RedirectTrust,
  client: ClientDescription,
  { redirectUri, cookies }: { redirectUri: string; cookies: string },
): Promise<RequestingClient> {
  const { clientId, redirectUris = [] } = client
  return {
    id: clientId,
    name: displayName(client, redirectUri),
    destination: destinationOf(redirectUri),
    isLoopback: redirectUris.every(isLoopback),
    metadataHost: URL.canParse(clientId) ? new URL(clientId).host : null,
    isTrusted: await isTrustedRedirect(trust, { clientId, address: redirectUri, cookies }),
  }
}
