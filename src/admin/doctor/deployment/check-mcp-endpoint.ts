import { bad, good, type Finding } from './finding.ts'
import { baseUrlRemedy, resourceDocuments } from './check-metadata.ts'
import type { Probe, Seen } from './probe.ts'

const path = '/api/v1/mcp'

/** How a client without a token begins. */
function knock({ ask }: Probe, headers: Record<string, string> = {}): Promise<Seen> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'lectern-doctor', version: '1' },
  }
  return ask(path, {
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
export async function lookAtChallenge(probe: Probe): Promise<Challenge> {
  const name = 'challenge'
  const { status, headers } = await knock(probe)
  const challenge = headers.get('www-authenticate') ?? ''
  const named = /resource_metadata="([^"]*)"/.exec(challenge)?.[1]
  const documents = resourceDocuments.map(([, document]) => probe.origin + document)
  if (status !== 401) {
    const detail = `POST ${path} without a token answered ${status}, not 401`
    return { offersOauth: true, finding: bad(name, detail, 'Have the proxy pass this path on to Lectern, unchanged.') }
  }
  if (named !== undefined && documents.includes(named)) {
    return { offersOauth: true, finding: good(name, `clients without a token are led to ${named}`) }
  }
  if (named !== undefined) {
    const detail = `clients without a token are led to ${named}`
    return { offersOauth: true, finding: bad(name, detail, baseUrlRemedy(probe.origin)) }
  }
  if (await servesDocument(probe)) {
    const remedy = 'Have the proxy pass the header WWW-Authenticate of answers on.'
    return { offersOauth: true, finding: bad(name, 'the answer 401 names no resource_metadata', remedy) }
  }
  return { offersOauth: false, finding: good(name, 'OAuth is off here: assistants use API keys') }
}

async function servesDocument({ ask }: Probe): Promise<boolean> {
  const seen = await Promise.all(resourceDocuments.map(([, document]) => ask(document)))
  return seen.some(({ status, json }) => status === 200 && typeof json?.resource === 'string')
}

/** Whether a page of another site is kept from calling (MCP, transports, security warning). */
export async function lookAtOrigin(probe: Probe): Promise<Finding> {
  const { status } = await knock(probe, { Origin: 'https://elsewhere.invalid' })
  if (status === 403) return good('origin', 'calls from pages of other sites are refused')
  const remedy = 'Have the proxy pass the header Origin on, and answer no CORS headers of its own.'
  return bad('origin', `a call with the Origin of another site answered ${status}, not 403`, remedy)
}

const lies = {
  'X-Forwarded-Host': 'elsewhere.invalid',
  'X-Forwarded-Proto': 'gopher',
  'X-Forwarded-Port': '1',
  Forwarded: 'host=elsewhere.invalid;proto=gopher',
}

const documents = [...resourceDocuments.map(([, document]) => document), '/.well-known/oauth-authorization-server']

/** Whether a client can make the deployment call itself by another name. */
export async function lookAtForwarding(probe: Probe, offersOauth: boolean): Promise<Finding> {
  const said = [await knock(probe, lies)]
  if (offersOauth) said.push(...(await Promise.all(documents.map((each) => probe.ask(each, { headers: lies })))))
  const fooled = said.some(({ headers, text }) => `${[...headers].join()} ${text}`.includes('elsewhere.invalid'))
  if (!fooled) return good('forwarding', 'made-up forwarding headers change nothing')
  const remedy = 'Have the proxy drop X-Forwarded-* and Forwarded of clients, and rewrite no bodies.'
  return bad('forwarding', 'an address in X-Forwarded-Host comes back in an answer', remedy)
}
