import { failed, passed, type Finding } from './finding.ts'
import { baseUrlRemedy, resourceDocuments } from './check-metadata.ts'
import type { Probe, ProbeResponse } from './probe.ts'

const mcpPath = '/api/v1/mcp'

/** How a client without a token begins. */
function postUnauthenticated({ request: ask }: Probe, headers: Record<string, string> = {}): Promise<ProbeResponse> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'lectern-doctor', version: '1' },
  }
  return ask(mcpPath, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
}

/** Whether OAuth is offered, and whether the answer to a client without a token leads it there. */
export interface Challenge {
  finding: Finding
  offersOauth: boolean
}

/** Whether a client without a token is told where to sign in (RFC 9728, section 5.1). */
export async function checkChallenge(probe: Probe): Promise<Challenge> {
  const name = 'challenge'
  const { status, headers } = await postUnauthenticated(probe)
  const challenge = headers.get('www-authenticate') ?? ''
  const named = /resource_metadata="([^"]*)"/.exec(challenge)?.[1]
  const documents = resourceDocuments.map(([, document]) => probe.origin + document)
  if (status !== 401) {
    const detail = `POST ${mcpPath} without a token answered ${status}, not 401`
    return {
      offersOauth: true,
      finding: failed(name, detail, 'Have the proxy pass this path on to Lectern, unchanged.'),
    }
  }
  if (named !== undefined && documents.includes(named)) {
    return { offersOauth: true, finding: passed(name, `clients without a token are led to ${named}`) }
  }
  if (named !== undefined) {
    const detail = `clients without a token are led to ${named}`
    return { offersOauth: true, finding: failed(name, detail, baseUrlRemedy(probe.origin)) }
  }
  if (await servesDocument(probe)) {
    const remedy = 'Have the proxy pass the header WWW-Authenticate of answers on.'
    return { offersOauth: true, finding: failed(name, 'the answer 401 names no resource_metadata', remedy) }
  }
  return { offersOauth: false, finding: passed(name, 'OAuth is off here: assistants use API keys') }
}

async function servesDocument({ request: ask }: Probe): Promise<boolean> {
  const responses = await Promise.all(resourceDocuments.map(([, document]) => ask(document)))
  return responses.some(({ status, json }) => status === 200 && typeof json?.['resource'] === 'string')
}

/** Whether a page of another site is kept from calling (MCP, transports, security warning). */
export async function checkForeignOrigin(probe: Probe): Promise<Finding> {
  const { status } = await postUnauthenticated(probe, { Origin: 'https://elsewhere.invalid' })
  if (status === 403) return passed('origin', 'calls from pages of other sites are refused')
  const remedy = 'Have the proxy pass the header Origin on, and answer no CORS headers of its own.'
  return failed('origin', `a call with the Origin of another site answered ${status}, not 403`, remedy)
}

const forgedHeaders = {
  'X-Forwarded-Host': 'elsewhere.invalid',
  'X-Forwarded-Proto': 'gopher',
  'X-Forwarded-Port': '1',
  Forwarded: 'host=elsewhere.invalid;proto=gopher',
}

const metadataPaths = [...resourceDocuments.map(([, document]) => document), '/.well-known/oauth-authorization-server']

/** Whether a client can make the deployment call itself by another name. */
export async function checkForwarding(probe: Probe, offersOauth: boolean): Promise<Finding> {
  const responses = [await postUnauthenticated(probe, forgedHeaders)]
  if (offersOauth)
    responses.push(...(await Promise.all(metadataPaths.map((each) => probe.request(each, { headers: forgedHeaders })))))
  const reflectsForgedHost = responses.some(({ headers, text }) =>
    `${[...headers].join()} ${text}`.includes('elsewhere.invalid'),
  )
  if (!reflectsForgedHost) return passed('forwarding', 'made-up forwarding headers change nothing')
  const remedy = 'Have the proxy drop X-Forwarded-* and Forwarded of clients, and rewrite no bodies.'
  return failed('forwarding', 'an address in X-Forwarded-Host comes back in an answer', remedy)
}
