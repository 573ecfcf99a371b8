import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { failed, errorCodeOf, passed, describeError, type Finding } from './finding.ts'
import { createProbe, type Probe } from './probe.ts'

/** Whether the deployment answers at all, and is a Lectern. */
export async function checkReachability({ request: ask, origin }: Probe): Promise<Finding> {
  try {
    const { status, json } = await ask('/healthz')
    if (status === 200 && json?.['ok'] === true) return passed('reach', `${origin} answers`)
    return failed(
      'reach',
      `GET ${origin}/healthz answered ${status}, not {"ok":true}`,
      status >= 502 && status <= 504
        ? 'The proxy does not reach Lectern: start it, and check the address that the proxy passes requests to.'
        : 'Have the proxy pass every path on to Lectern, unchanged.',
    )
  } catch (error) {
    return failed(
      'reach',
      `${origin} cannot be reached: ${describeError(error)}`,
      remedyForErrorCode(errorCodeOf(error)),
    )
  }
}

function remedyForErrorCode(code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'Make a DNS record for this name, or correct the address.'
  if (code === 'ECONNREFUSED') return 'Nothing listens there: start the server or the proxy, and check the port.'
  if (code === 'CERT_HAS_EXPIRED') return 'Renew the certificate.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Use a certificate that names this host.'
  if (/SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code)) {
    return 'Assistants trust public authorities only: use their certificate, and serve its whole chain.'
  }
  return 'Check the address, the firewall and the proxy.'
}

/** Whether what is said to the deployment stays between the two. */
export function checkScheme(origin: string): Finding {
  const { protocol, hostname } = new URL(origin)
  if (protocol === 'https:') return passed('tls', 'connections are encrypted')
  if (['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
    return passed('tls', 'plain http, which stays on this computer: assistants elsewhere cannot use this address')
  }
  return failed(
    'tls',
    'keys and passwords travel unencrypted',
    'Put a proxy with a certificate in front and use https.',
  )
}

const dayMs = 24 * 60 * 60 * 1000
const minDaysLeft = 7

/** How long the certificate of an https deployment is still good. */
export async function checkCertificate(origin: string, now: Date): Promise<Finding> {
  const { hostname, port } = new URL(origin)
  const { valid_to: validTo } = await fetchCertificate(hostname.replaceAll(/[[\]]/g, ''), Number(port || 443))
  return evaluateCertificate(new Date(validTo), now)
}

/** A certificate that ends within a week is a finding: renewal should have happened long ago. */
export function evaluateCertificate(validTo: Date, now: Date): Finding {
  const daysLeft = Math.floor((validTo.getTime() - now.getTime()) / dayMs)
  const detail = `the certificate is good until ${validTo.toISOString().slice(0, 10)}`
  if (daysLeft >= minDaysLeft) return passed('certificate', detail)
  return failed('certificate', detail, 'Renew the certificate, and see why that did not happen by itself.')
}

function fetchCertificate(host: string, port: number): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const socket = connect({ host, port, ...servername, rejectUnauthorized: false, timeout: 10_000 }, () => {
      resolve(socket.getPeerCertificate())
      socket.destroy()
    })
    socket.once('error', reject).once('timeout', () => socket.destroy(new Error('no answer within 10 s')))
  })
}

/** Whether plain http leads to https, or nowhere. */
export async function checkPlainHttp(plain: string, origin: string): Promise<Finding> {
  const name = 'http'
  const remedy = `Have the proxy redirect ${plain} to ${origin}, or not listen on it.`
  try {
    const { status, headers } = await createProbe(plain).request('/healthz')
    const target = headers.get('location')
    if (status < 300 || status > 399 || target === null) {
      return failed(name, `plain http answers with ${status} in place of a redirect`, remedy)
    }
    if (URL.canParse(target, plain) && new URL(target, plain).origin === origin) {
      return passed(name, 'plain http leads to https')
    }
    return failed(name, `plain http leads to ${target}`, remedy)
  } catch {
    return passed(name, 'nothing answers on plain http')
  }
}
