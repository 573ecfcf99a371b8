import { scopes } from '../../../core/scopes.ts'
import { failed, passed, type Finding } from './finding.ts'
import type { Probe, ProbeResponse } from './probe.ts'

/** The protected resource metadata, at the well-known path with and without the path of the MCP URL (RFC 9728). */
export const resourceDocuments = [
  ['resource-metadata', '/.well-known/oauth-protected-resource'],
  ['resource-metadata-path', '/.well-known/oauth-protected-resource/api/v1/mcp'],
] as const

const passThroughRemedy = 'Configure the proxy to forward everything below /.well-known/ to Lectern unchanged.'

/** Checks that a protected resource document names the MCP URL that clients use. */
export async function checkResourceMetadata(
  { request, origin }: Probe,
  [name, path]: (typeof resourceDocuments)[number],
): Promise<Finding> {
  const { status, json } = await request(path)
  if (status !== 200 || !json)
    return failed(name, `GET ${path} answered ${status} without a document`, passThroughRemedy)
  const wrong = describeDifference(json, { resource: `${origin}/api/v1/mcp`, authorization_servers: [origin] })
  if (wrong) return failed(name, `in ${path} ${wrong}`, baseUrlRemedy(origin))
  const missing = listMissing(json['scopes_supported'], scopes)
  if (missing) return failed(name, `${path} does not name the scopes ${missing}`, passThroughRemedy)
  return passed(name, `${path} names ${origin}/api/v1/mcp`)
}

/** The remedy for a deployment whose base URL differs from the one checked. */
export function baseUrlRemedy(origin: string): string {
  return `Start Lectern with LECTERN_BASE_URL=${origin}, and pass --url the URL that clients use.`
}

const metadataPath = '/.well-known/oauth-authorization-server'

/** Endpoints from the authorization server's metadata. */
export interface Endpoints {
  authorization: string
  registration: string
}

export interface ServerMetadata {
  findings: Finding[]
  /** Null if the metadata does not name them. */
  endpoints: Endpoints | null
}

/** Checks that the authorization server's metadata (RFC 8414) has what assistants need. */
export async function checkServerMetadata({ request, origin }: Probe): Promise<ServerMetadata> {
  const { status, json }: ProbeResponse = await request(metadataPath)
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
      return failed(
        'endpoints',
        `${metadataPath} has no ${field}`,
        "Configure the proxy to return Lectern's metadata unchanged.",
      )
    }
    if (!URL.canParse(value) || new URL(value).origin !== origin) {
      return failed('endpoints', `${field} is ${value}, which is not at ${origin}`, baseUrlRemedy(origin))
    }
  }
  return passed('endpoints', 'all endpoints have the origin of the issuer')
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
    return passed('capabilities', 'PKCE, public clients, client metadata documents and all scopes are supported')
  const remedy = 'Update Lectern, and configure the proxy to return its metadata unchanged.'
  return failed('capabilities', `the metadata lacks ${missingCapabilities.join('; ')}`, remedy)
}

/** Describes the first field that differs from the expected ones; null if none does. */
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
