import { failed, passed, type Finding } from './finding.ts'
import { baseUrlRemedy, resourceDocuments } from './check-metadata.ts'
import type { Probe, ProbeResponse } from './probe.ts'
import { mcpPath } from '../../../core/mcp-path.ts'

/** Sends the first request of a client without a token. */
function postUnauthenticated({ request }: Probe, headers: Record<string, string> = {}): Promise<ProbeResponse> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'lectern-doctor', version: '1' },
  }
  return request(mcpPath, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
}

/** Whether OAuth is offered, and the finding on the 401 challenge. */
export interface Challenge {
  finding: Finding
  offersOauth: boolean
}

/** Checks that the 401 challenge names the protected resource metadata (RFC 9728, section 5.1). */
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
      finding: failed(name, detail, 'Configure the proxy to forward this path to Lectern unchanged.'),
    }
  }
  if (named !== undefined && documents.includes(named)) {
    return { offersOauth: true, finding: passed(name, `clients without a token are directed to ${named}`) }
  }
  if (named !== undefined) {
    const detail = `clients without a token are directed to ${named}`
    return { offersOauth: true, finding: failed(name, detail, baseUrlRemedy(probe.origin)) }
  }
  if (await servesDocument(probe)) {
    const remedy = 'Configure the proxy to pass the response header WWW-Authenticate.'
    return { offersOauth: true, finding: failed(name, 'the 401 response names no resource_metadata', remedy) }
  }
  return { offersOauth: false, finding: passed(name, 'OAuth is off: assistants use API keys') }
}

async function servesDocument({ request }: Probe): Promise<boolean> {
  const responses = await Promise.all(resourceDocuments.map(([, document]) => request(document)))
  return responses.some(({ status, json }) => status === 200 && typeof json?.['resource'] === 'string')
}

/** Checks that requests with a foreign Origin are refused (MCP, Transports, Security Warning). */
export async function checkForeignOrigin(probe: Probe): Promise<Finding> {
  const { status } = await postUnauthenticated(probe, { Origin: 'https://elsewhere.invalid' })
  if (status === 403) return passed('origin', 'requests from other origins are refused')
  const remedy = 'Configure the proxy to forward the header Origin and to add no CORS headers.'
  return failed('origin', `a request with a foreign Origin answered ${status}, not 403`, remedy)
}

const forgedHeaders = {
  'X-Forwarded-Host': 'elsewhere.invalid',
  'X-Forwarded-Proto': 'gopher',
  'X-Forwarded-Port': '1',
  Forwarded: 'host=elsewhere.invalid;proto=gopher',
}

const metadataPaths = [...resourceDocuments.map(([, document]) => document), '/.well-known/oauth-authorization-server']

/** Checks that forged forwarding headers do not change the URLs in responses. */
export async function checkForwarding(probe: Probe, offersOauth: boolean): Promise<Finding> {
  const responses = [await postUnauthenticated(probe, forgedHeaders)]
  if (offersOauth)
    responses.push(...(await Promise.all(metadataPaths.map((each) => probe.request(each, { headers: forgedHeaders })))))
  const reflectsForgedHost = responses.some(({ headers, text }) =>
    `${[...headers].join()} ${text}`.includes('elsewhere.invalid'),
  )
  if (!reflectsForgedHost) return passed('forwarding', 'forged forwarding headers have no effect')
  const remedy = 'Configure the proxy to drop X-Forwarded-* and Forwarded headers of clients, and to rewrite no bodies.'
  return failed('forwarding', 'a response contains the host from X-Forwarded-Host', remedy)
}
