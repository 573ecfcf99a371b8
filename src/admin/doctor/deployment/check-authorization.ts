import { createHash, randomBytes, randomInt } from 'node:crypto'
import { scopes } from '../../../core/scopes.ts'
import { failed, passed, type Finding } from './finding.ts'
import type { Endpoints } from './check-metadata.ts'
import type { Probe, ProbeResponse } from './probe.ts'

const newLoopbackRedirectUri = () => `http://127.0.0.1:${randomInt(49_152, 65_536)}/callback`

/** Checks the steps of native clients: registration, then opening the sign-in page. */
export async function checkAuthorization(probe: Probe, endpoints: Endpoints): Promise<Finding[]> {
  const { finding, clientId } = await checkRegistration(probe, endpoints)
  if (clientId === null) return [finding]
  return [finding, await checkSignIn(probe, endpoints, clientId)]
}

/** Registers a client (RFC 7591). It is never used, so the server deletes it after a day. */
async function checkRegistration(
  { request }: Probe,
  { registration }: Endpoints,
): Promise<{ finding: Finding; clientId: string | null }> {
  const name = 'registration'
  const { status, headers, json } = await request(registration, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_name: 'lectern doctor (a check, never used)',
      redirect_uris: [newLoopbackRedirectUri()],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  })
  const fail = (detail: string, remedy: string) => ({ finding: failed(name, detail, remedy), clientId: null })
  if (status === 429) {
    return fail(
      'too many clients were registered from this address',
      `Try again in ${headers.get('retry-after') ?? '3600'} s.`,
    )
  }
  const clientId = json?.['client_id']
  if (status !== 201 || typeof clientId !== 'string') {
    return fail(
      `registering a client answered ${status}`,
      `Configure the proxy to forward ${registration} with its body.`,
    )
  }
  const nulls = Object.entries(json ?? {}).filter(([, value]) => value === null)
  if (nulls.length > 0) {
    return fail(
      `the response has null fields: ${nulls.join()}`,
      "Configure the proxy to return Lectern's response unchanged.",
    )
  }
  return { finding: passed(name, 'native clients can register'), clientId }
}

const maxRedirects = 5

/** Opens the sign-in page, with a loopback port that differs from the registered one (RFC 8252, section 7.3). */
async function checkSignIn(probe: Probe, { authorization }: Endpoints, clientId: string): Promise<Finding> {
  const name = 'sign-in'
  const cookies = new Map<string, string>()
  let address = buildAuthorizationUrl(probe, authorization, clientId)
  for (let redirects = 0; redirects < maxRedirects; redirects++) {
    if (address.origin !== probe.origin) {
      return failed(name, `the sign-in redirects to ${address}`, redirectRemedy(address))
    }
    const response = await probe.request(address.href, { headers: { Cookie: cookieHeader(cookies) } })
    storeCookies(cookies, response)
    const location = response.headers.get('location')
    if (response.status >= 300 && response.status < 400 && location !== null) address = new URL(location, address)
    else if (response.status === 200 && /type="password"/.test(response.text)) {
      return passed(name, `the sign-in page is at ${address.origin}${address.pathname}`)
    } else {
      const remedy = 'Configure the proxy to pass pages, cookies and redirects unchanged.'
      return failed(name, `${address.pathname} answered ${response.status} without a sign-in form`, remedy)
    }
  }
  return failed(name, 'the sign-in redirects endlessly', 'Remove redirects that the proxy adds.')
}

function redirectRemedy({ searchParams }: URL): string {
  const error = searchParams.get('error')
  return error === null
    ? 'Configure the proxy to leave redirects unchanged.'
    : `See ${error} in the server log: ${searchParams.get('error_description') ?? 'the log has the reason'}.`
}

function buildAuthorizationUrl({ origin }: Probe, endpoint: string, clientId: string): URL {
  const address = new URL(endpoint)
  const challenge = createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url')
  const fields = {
    client_id: clientId,
    redirect_uri: newLoopbackRedirectUri(),
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: scopes.join(' '),
    resource: `${origin}/api/v1/mcp`,
    state: randomBytes(8).toString('hex'),
  }
  for (const [field, value] of Object.entries(fields)) address.searchParams.set(field, value)
  return address
}

function storeCookies(cookies: Map<string, string>, { headers }: ProbeResponse): void {
  for (const line of headers.getSetCookie()) {
    const [, field = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
    if (field !== '') cookies.set(field, value)
  }
}

function cookieHeader(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([field, value]) => `${field}=${value}`).join('; ')
}
