import { failed, passed, type Finding } from './finding.ts'
import type { Probe } from './probe.ts'

/** Checks that the server is ready, and that its number of trusted proxies equals the actual one. */
export async function checkProxies({ request }: Probe): Promise<Finding[]> {
  const { status, headers } = await request('/readyz')
  const ready =
    status === 200
      ? passed('ready', 'the database and the file store answer')
      : failed('ready', `GET /readyz answered ${status}`, 'See the log of the server for what it cannot reach.')
  return [ready, evaluateProxies(headers.get('x-lectern-proxies'))]
}

/** Evaluates the server's report about its proxies; null: the number of trusted proxies is right. */
function evaluateProxies(mismatch: string | null): Finding {
  const name = 'proxies'
  if (mismatch === null) return passed(name, 'clients are told apart by their own addresses')
  const [, received = 0, trusted = 0] = (/^received=(\d+), trusted=(\d+)$/.exec(mismatch) ?? []).map(Number)
  const counts = `requests come through ${count(received)} (X-Forwarded-For), and ${trusted} are trusted`
  if (received > trusted) {
    const remedy = `Set LECTERN_TRUSTED_PROXIES=${received}: until then, clients share one limit on sign-ins.`
    return failed(name, counts, remedy)
  }
  const remedy =
    `Set LECTERN_TRUSTED_PROXIES=${received}, or configure the proxy to append to X-Forwarded-For: until then, clients ` +
    'can choose the address that their attempts are counted by.'
  return failed(name, counts, remedy)
}

function count(proxies: number): string {
  return proxies === 1 ? '1 proxy' : `${proxies} proxies`
}
