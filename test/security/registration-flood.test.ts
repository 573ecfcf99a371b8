import { beforeEach, describe, expect, test } from 'vitest'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { registerClient } from '../support/oauth.ts'
import { useTestServer } from '../support/use-test-server.ts'

const { register_client, register_client_reported, register_client_in_all } = attemptLimits

/** Returns how many of these registrations the server accepts. */
async function countAccepted(server: { baseUrl: string }, addresses: (string | null)[]): Promise<number> {
  let accepted = 0
  const queue = addresses.values()
  const work = async () => {
    for (const address of queue) {
      const { status } = await registerClient(server, {}, address === null ? {} : { 'X-Forwarded-For': address })
      if (status === 201) accepted++
    }
  }
  await Promise.all(Array.from({ length: 20 }, work))
  return accepted
}

const times = (count: number, address: string | null) => Array.from({ length: count }, () => address)
const different = (count: number, network = '198.51') =>
  Array.from({ length: count }, (_, index) => `${network}.${index >> 8}.${index & 255}`)

describe('one address cannot exhaust the registrations of everybody', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_TRUSTED_PROXIES: '1' })

  test('through a trusted proxy it gets its own limit, and others get theirs', async () => {
    expect(await countAccepted(server, times(register_client.max * 3, '203.0.113.1'))).toBe(register_client.max)
    expect(await countAccepted(server, times(5, '203.0.113.2'))).toBe(5)
  })

  test('forged addresses before its own have no effect', async () => {
    const made = different(register_client.max * 3).map((address) => `${address}, 203.0.113.3`)
    expect(await countAccepted(server, made)).toBe(register_client.max)
    expect(await countAccepted(server, times(5, '203.0.113.4'))).toBe(5)
  })
})

describe('behind an untrusted proxy', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  beforeEach(() => server.running.opened.database.db.collection('rates').deleteMany({}))

  test('callers do not share one window', async () => {
    const callers = different(register_client.max * 2)
    expect(await countAccepted(server, callers)).toBe(callers.length)
  })

  test('each caller has the window of an address', async () => {
    expect(await countAccepted(server, times(register_client.max + 5, '203.0.113.1'))).toBe(register_client.max)
    expect(await countAccepted(server, times(2, '203.0.113.2'))).toBe(2)
  })

  test('a caller cannot get another window by forging addresses, because the proxy appends its address', async () => {
    const claims = different(register_client.max + 5).map((address) => `${address}, 203.0.113.1`)
    expect(await countAccepted(server, claims)).toBe(register_client.max)
  })

  test('a client that forges addresses like a proxy gets a small share of the total limit', async () => {
    const made = different(register_client_reported.max + 20)
    expect(await countAccepted(server, made)).toBe(register_client_reported.max)
    expect(register_client_in_all.max).toBeGreaterThanOrEqual(10 * register_client_reported.max)
    // Clients that connect without a proxy can still register.
    expect(await countAccepted(server, times(1, null))).toBe(1)
  })

  test('an invalid address opens no window', async () => {
    const nonsense = Array.from({ length: register_client.max + 5 }, (_, index) => `nobody-${index}`)
    expect(await countAccepted(server, nonsense)).toBe(register_client.max)
  })
})
