import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { errors, type InteractionResults, type Provider } from 'oidc-provider'
import { AppError } from '../src/errors.ts'
import { grantedScopes, type Scope } from '../src/scopes.ts'
import { destinationOf, isLoopback } from './client-policy.ts'

/** An authorization that waits for a person's answer. */
export interface Authorization {
  client: AskingClient
  /** What is asked for. */
  scopes: Scope[]
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
}

/**
 * Finds the running authorization of the browser that sent this request, whose cookie names it (RFC 9700, section 4.7):
 * nobody can answer for a browser in which it was not begun. Refuses with NOT_FOUND.
 */
export async function findAuthorization(
  provider: Provider,
  request: Request,
  resource: string,
): Promise<Authorization> {
  const node = new IncomingMessage(new Socket())
  node.headers.cookie = request.headers.get('cookie') ?? ''
  const response = new ServerResponse(node)
  const uid = new URL(request.url).pathname.split('/').at(-1)
  try {
    const interaction = await provider.interactionDetails(node, response)
    if (interaction.uid !== uid) throw new errors.SessionNotFound('another authorization')
    const { client_id: clientId, redirect_uri: redirect, scope } = interaction.params as Record<string, string>
    const client = await provider.Client.find(String(clientId))
    if (!client) throw new errors.SessionNotFound('the client is gone')
    const asked = String(scope ?? '').split(' ')
    return {
      client: describeClient(client, String(redirect)),
      scopes: grantedScopes(asked),
      finish: (result) => provider.interactionResult(node, response, result, { mergeWithLastSubmission: false }),
      async grant(accountId, ticked) {
        const grant = new provider.Grant({ accountId, clientId: client.clientId })
        const own = asked.filter((each) => each === 'openid' || each === 'offline_access')
        if (own.length > 0) grant.addOIDCScope(own.join(' '))
        const refused = grantedScopes(asked).filter((each) => !ticked.includes(each))
        grant.addResourceScope(resource, ticked.join(' '))
        if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '))
        return grant.save()
      },
    }
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    const message =
      'This authorization has ended, or was begun in another browser. Begin again in the program that asked.'
    throw new AppError('NOT_FOUND', message, { cause: error })
  }
}

function describeClient(
  {
    clientId,
    clientName,
    redirectUris = [],
  }: { clientId: string; clientName?: string; redirectUris?: readonly string[] },
  redirect: string,
): AskingClient {
  const vouchedBy = URL.canParse(clientId) ? new URL(clientId).host : null
  const destination = destinationOf(redirect)
  return {
    id: clientId,
    name: clientName || vouchedBy || destination,
    destination,
    loopback: redirectUris.every(isLoopback),
    vouchedBy,
  }
}
