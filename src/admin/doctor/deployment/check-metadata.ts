import { scopes } from '../../../core/scopes.ts'
import { failed, passed, type Finding } from './finding.ts'
import type { Probe, ProbeResponse } from './probe.ts'

/** The document about the MCP address, for clients that ask at the root and for those that add its path (RFC 9728). */
export const resourceDocuments = [
  ['resource-metadata', '/.well-known/oauth-protected-resource'],
  ['resource-metadata-path', '/.well-known/oauth-protected-resource/api/v1/mcp'],
] as const

const passThroughRemedy = 'Have the proxy pass everything below /.well-known/ on to Lectern, unchanged.'

/** Whether a protected-resource document names this deployment by the address that clients use. */
export async function checkResourceMetadata(
  { request: ask, origin }: Probe,
  [name, path]: (typeof resourceDocuments)[number],
): Promise<Finding> {
  const { status, json } = await ask(path)
  if (status !== 200 || !json)
    return failed(name, `GET ${path} answered ${status} without a document`, passThroughRemedy)
  const wrong = describeDifference(json, { resource: `${origin}/api/v1/mcp`, authorization_servers: [origin] })
  if (wrong) return failed(name, `in ${path} ${wrong}`, baseUrlRemedy(origin))
  const missing = listMissing(json['scopes_supported'], scopes)
  if (missing) return failed(name, `${path} does not name the scopes ${missing}`, passThroughRemedy)
  return passed(name, `${path} names ${origin}/api/v1/mcp`)
}

/** What to do where a deployment calls itself by another address than the one it was asked at. */
export function baseUrlRemedy(origin: string): string {
  return `Start Lectern with LECTERN_BASE_URL=${origin}, and give doctor the address that clients use.`
}

const metadataPath = '/.well-known/oauth-authorization-server'

/** The endpoints that the authorization server's metadata name. */
export interface Endpoints {
  authorization: string
  registration: string
}

export interface ServerMetadata {
  findings: Finding[]
  /** Null where the metadata do not name them. */
  endpoints: Endpoints | null
}

/** Whether the authorization server's metadata (RFC 8414) are what assistants need. */
export async function checkServerMetadata({ request: ask, origin }: Probe): Promise<ServerMetadata> {
  const { status, json }: ProbeResponse = await ask(metadataPath)
  if (status !== 200 || !json) {
    const finding = failed('issuer', `GET ${metadataPath} answered ${status} without a document`, passThroughRemedy)
    return { findings: [finding], endpoints: null }
  }
  const wrong = describeDifference(json, { issuer: origin })
  const issuer = wrong
    ? failed('issuer', `in ${metadataPath} ${wrong}`, baseUrlRemedy(origin))
    : passed('issuer', `the issuer is ${origin}`)
  const { authorization_endpoint: authorization, registration_endpoint: registration } = json
  return {
    findings: [issuer, evaluateEndpoints(json, origin), evaluateCapabilities(json)],
    endpoints:
      typeof authorization === 'string' && typeof registration === 'string' ? { authorization, registration } : null,
  }
}

const endpointFields = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'jwks_uri'] as const

function evaluateEndpoints(json: Record<string, unknown>, origin: string): Finding {
  for (const field of endpointFields) {
    const value = json[field]
    if (typeof value !== 'string') {
      return failed('endpoints', `${metadataPath} has no ${field}`, 'Use the metadata that Lectern serves, unchanged.')
    }
    if (!URL.canParse(value) || new URL(value).origin !== origin) {
      return failed('endpoints', `${field} is ${value}, which is not at ${origin}`, baseUrlRemedy(origin))
    }
  }
  return passed('endpoints', 'all endpoints have the scheme and the host of the issuer')
}

const requiredCapabilities = {
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  scopes_supported: [...scopes, 'offline_access'],
} as const

function evaluateCapabilities(json: Record<string, unknown>): Finding {
  const missingCapabilities: string[] = Object.entries(requiredCapabilities).flatMap(([field, wanted]) => {
    const missing = listMissing(json[field], wanted)
    return missing ? [`${field}: ${missing}`] : []
  })
  if (json['client_id_metadata_document_supported'] !== true)
    missingCapabilities.push('client_id_metadata_document_supported: true')
  if (missingCapabilities.length === 0)
    return passed('capabilities', 'PKCE, public clients, client documents and all scopes are offered')
  const remedy = 'Use the metadata that Lectern serves, unchanged, from an up-to-date version.'
  return failed('capabilities', `the metadata lack ${missingCapabilities.join('; ')}`, remedy)
}

/** What differs from the wanted fields, in words; null when nothing does. */
function describeDifference(json: Record<string, unknown>, expected: Record<string, string | string[]>): string | null {
  for (const [field, value] of Object.entries(expected)) {
    if (JSON.stringify(json[field]) !== JSON.stringify(value)) {
      return `${field} is ${JSON.stringify(json[field])}, not ${JSON.stringify(value)}`
    }
  }
  return null
}

function listMissing(list: unknown, required: readonly string[]): string | null {
  const missing = required.filter((one) => !Array.isArray(list) || !list.includes(one))
  return missing.length === 0 ? null : missing.join(', ')
}
