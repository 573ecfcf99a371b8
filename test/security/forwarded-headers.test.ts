import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { createClientAddresses } from '../../src/transport/client-address.ts'
import { startProcess } from '../support/server-process.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

describe('a forwarding header without a trusted proxy', () => {
  test('does not give a client an additional limit', async () => {
    const browser = webClient(server)
    const hidden = hiddenFields((await browser.get('/sign-in')).text, '/sign-in')
    const statuses = []
    for (let i = 0; i <= attemptLimits.password_network.max; i++) {
      const fields = { ...hidden, email: 'nobody@lectern.example', password: 'a wrong guess' }
      const spoofed = { 'X-Forwarded-For': `198.51.100.${i}`, Forwarded: `for=198.51.100.${i}` }
      statuses.push((await browser.post('/sign-in', fields, spoofed)).status)
    }
    expect(statuses.at(-2)).toBe(401)
    expect(statuses.at(-1)).toBe(429)
  })

  test.for(['X-Forwarded-For', 'Forwarded'])('%s causes one warning, with the remedy', (header) => {
    const warnings: string[] = []
    const clients = createClientAddresses(0, { warn: (_, message) => warnings.push(message) })
    clients.addressOf(new Request('http://host/'), '192.0.2.1')
    expect(warnings).toEqual([])
    const request = new Request('http://host/', { headers: { [header]: 'for=203.0.113.9' } })
    for (let i = 0; i < 3; i++) expect(clients.addressOf(request, '192.0.2.1')).toBe('192.0.2.1')
    expect(warnings).toEqual([expect.stringContaining('LECTERN_TRUSTED_PROXIES')])
  })

  test('no warning appears if proxies are trusted', () => {
    const clients = createClientAddresses(1, { warn: () => expect.unreachable() })
    const request = new Request('http://host/', { headers: { 'X-Forwarded-For': '203.0.113.9' } })
    expect(clients.addressOf(request, '192.0.2.1')).toBe('203.0.113.9')
  })
})

test.for<[string, Record<string, string>, boolean]>([
  ['a public https address without a trusted proxy', { LECTERN_BASE_URL: 'https://books.example.com' }, true],
  [
    'a public https address with one',
    { LECTERN_BASE_URL: 'https://books.example.com', LECTERN_TRUSTED_PROXIES: '1' },
    false,
  ],
  ['this computer', {}, false],
])('at startup, %s causes this warning: %s', { timeout: 60_000 }, async ([, environment, warns]) => {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { output } = await startProcess(directory, { LECTERN_ROLE: 'web', ...environment })
  expect(output().split('LECTERN_TRUSTED_PROXIES is 0')).toHaveLength(warns ? 2 : 1)
})
