import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { failed, errorCodeOf, passed, describeError, type Finding } from './finding.ts'
import { createProbe, type Probe } from './probe.ts'

/** Checks that the deployment responds and is a Lectern server. */
export async function checkReachability({ request, origin }: Probe): Promise<Finding> {
  try {
    const { status, json } = await request('/healthz')
    if (status === 200 && json?.['ok'] === true) return passed('reach', `${origin} answers`)
    return failed(
      'reach',
      `GET ${origin}/healthz answered ${status}, not {"ok":true}`,
      status >= 502 && status <= 504
        ? 'The proxy does not reach Lectern: start Lectern, and check the upstream address of the proxy.'
        : 'Configure the proxy to forward every path to Lectern unchanged.',
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
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'Create a DNS record for this name, or correct the URL.'
  if (code === 'ECONNREFUSED') return 'Nothing listens there: start the server or the proxy, and check the port.'
  if (code === 'CERT_HAS_EXPIRED') return 'Renew the certificate.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Use a certificate that names this host.'
  if (/SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code)) {
    return 'Assistants trust only public authorities: use a certificate from one, and serve its full chain.'
  }
  return 'Check the URL, the firewall and the proxy.'
}

/** Checks that connections are encrypted, or stay on this computer. */
export function checkScheme(origin: string): Finding {
  const { protocol, hostname } = new URL(origin)
  if (protocol === 'https:') return passed('tls', 'connections are encrypted')
  if (['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
    return passed('tls', 'plain http on this computer only: remote assistants cannot use this URL')
  }
  return failed(
    'tls',
    'keys and passwords travel unencrypted',
    'Put a reverse proxy with a certificate in front and use https.',
  )
}

const dayMs = 24 * 60 * 60 * 1000
const minDaysLeft = 7

/** Checks how long the certificate of an https deployment is still valid. */
export async function checkCertificate(origin: string, now: Date): Promise<Finding> {
  const { hostname, port } = new URL(origin)
  const { valid_to: validTo } = await fetchCertificate(hostname.replaceAll(/[[\]]/g, ''), Number(port || 443))
  return evaluateCertificate(new Date(validTo), now)
}

/** Fails for a certificate that expires within 7 days, when automatic renewal is overdue. */
export function evaluateCertificate(validTo: Date, now: Date): Finding {
  const daysLeft = Math.floor((validTo.getTime() - now.getTime()) / dayMs)
  const detail = `the certificate is valid until ${validTo.toISOString().slice(0, 10)}`
  if (daysLeft >= minDaysLeft) return passed('certificate', detail)
  return failed('certificate', detail, 'Renew the certificate, and check why automatic renewal failed.')
}

function fetchCertificate(host: string, port: number): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const socket = connect({ host, port, ...servername, rejectUnauthorized: false, timeout: 10_000 }, () => {
      resolve(socket.getPeerCertificate())
      socket.destroy()
    })
    socket.once('error', reject).once('timeout', () => socket.destroy(new Error('no response within 10 s')))
  })
}

/** Checks that plain http redirects to https or is closed. */
export async function checkPlainHttp(plain: string, origin: string): Promise<Finding> {
  const name = 'http'
  const remedy = `Configure the proxy to redirect ${plain} to ${origin}, or to close that port.`
  try {
    const { status, headers } = await createProbe(plain).request('/healthz')
    const target = headers.get('location')
    if (status < 300 || status > 399 || target === null) {
      return failed(name, `plain http answers ${status} instead of a redirect`, remedy)
    }
    if (URL.canParse(target, plain) && new URL(target, plain).origin === origin) {
      return passed(name, 'plain http redirects to https')
    }
    return failed(name, `plain http redirects to ${target}`, remedy)
  } catch {
    return passed(name, 'nothing answers on plain http')
  }
}
