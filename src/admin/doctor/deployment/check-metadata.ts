import { scopes } from '../../../core/scopes.ts'
import { bad, good, type Finding } from './finding.ts'
import type { Probe, Seen } from './probe.ts'

/** The document about the MCP address, for clients that ask at the root and for those that add its path (RFC 9728). */
export const resourceDocuments = [
  ['resource-metadata', '/.well-known/oauth-protected-resource'],
  ['resource-metadata-path', '/.well-known/oauth-protected-resource/api/v1/mcp'],
] as const

const passOn = 'Have the proxy pass everything below /.well-known/ on to Lectern, unchanged.'

/** Whether a protected-resource document names this deployment by the address that clients use. */
export async function lookAtResource(
  { ask, origin }: Probe,
  [name, path]: (typeof resourceDocuments)[number],
): Promise<Finding> {
  const { status, json } = await ask(path)
  if (status !== 200 || !json) return bad(name, `GET ${path} answered ${status} without a document`, passOn)
  const wrong = differences(json, { resource: `${origin}/api/v1/mcp`, authorization_servers: [origin] })
  if (wrong) return bad(name, `in ${path} ${wrong}`, baseUrlRemedy(origin))
  const missing = missingFrom(json.scopes_supported, scopes)
  if (missing) return bad(name, `${path} does not name the scopes ${missing}`, passOn)
  return good(name, `${path} names ${origin}/api/v1/mcp`)
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
export async function lookAtAuthorizationServer({ ask, origin }: Probe): Promise<ServerMetadata> {
  const { status, json }: Seen = await ask(metadataPath)
  if (status !== 200 || !json) {
    const finding = bad('issuer', `GET ${metadataPath} answered ${status} without a document`, passOn)
    return { findings: [finding], endpoints: null }
  }
  const wrong = differences(json, { issuer: origin })
  const issuer = wrong
    ? bad('issuer', `in ${metadataPath} ${wrong}`, baseUrlRemedy(origin))
    : good('issuer', `the issuer is ${origin}`)
  const { authorization_endpoint: authorization, registration_endpoint: registration } = json
  return {
    findings: [issuer, judgeEndpoints(json, origin), judgeAbilities(json)],
    endpoints:
      typeof authorization === 'string' && typeof registration === 'string' ? { authorization, registration } : null,
  }
}

const endpointFields = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'jwks_uri'] as const

function judgeEndpoints(json: Record<string, unknown>, origin: string): Finding {
  for (const field of endpointFields) {
    const value = json[field]
    if (typeof value !== 'string') {
      return bad('endpoints', `${metadataPath} has no ${field}`, 'Use the metadata that Lectern serves, unchanged.')
    }
    if (!URL.canParse(value) || new URL(value).origin !== origin) {
      return bad('endpoints', `${field} is ${value}, which is not at ${origin}`, baseUrlRemedy(origin))
    }
  }
  return good('endpoints', 'all endpoints have the scheme and the host of the issuer')
}

const abilities = {
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  scopes_supported: [...scopes, 'offline_access'],
} as const

function judgeAbilities(json: Record<string, unknown>): Finding {
  const lacks: string[] = Object.entries(abilities).flatMap(([field, wanted]) => {
    const missing = missingFrom(json[field], wanted)
    return missing ? [`${field}: ${missing}`] : []
  })
  if (json.client_id_metadata_document_supported !== true) lacks.push('client_id_metadata_document_supported: true')
  if (lacks.length === 0) return good('abilities', 'PKCE, public clients, client documents and all scopes are offered')
  const remedy = 'Use the metadata that Lectern serves, unchanged, from an up-to-date version.'
  return bad('abilities', `the metadata lack ${lacks.join('; ')}`, remedy)
}

/** What differs from the wanted fields, in words; null when nothing does. */
function differences(json: Record<string, unknown>, wanted: Record<string, string | string[]>): string | null {
  for (const [field, value] of Object.entries(wanted)) {
    if (JSON.stringify(json[field]) !== JSON.stringify(value)) {
      return `${field} is ${JSON.stringify(json[field])}, not ${JSON.stringify(value)}`
    }
  }
  return null
}

function missingFrom(list: unknown, wanted: readonly string[]): string | null {
  const missing = wanted.filter((one) => !Array.isArray(list) || !list.includes(one))
  return missing.length === 0 ? null : missing.join(', ')
}
