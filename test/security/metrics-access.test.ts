import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/app/config.ts'
import type { TestServer } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

/** Requests the metrics. `fetch` cannot be used, because it does not send another `Host`. */
function askForMetrics(
  { baseUrl }: Pick<TestServer, 'baseUrl'>,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${baseUrl}/metrics`, { headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: (await response.setEncoding('utf8').toArray()).join('') })
    })
    asked.on('error', reject).end()
  })
}

describe('metrics without a token', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })

  test('are answered to programs on this computer', async () => {
    const { status, body } = await askForMetrics(server)
    expect(status).toBe(200)
    expect(body).toContain('process_start_time_seconds')
  })

  test.for([
    ['X-Forwarded-For', '203.0.113.5'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Real-IP', '203.0.113.5'],
    ['Forwarded', 'for=203.0.113.5'],
    ['Via', '1.1 proxy'],
    ['Host', 'lectern.example'],
    ['Host', 'rebound.attacker.example:80'],
  ] as const)('are not answered through a proxy: %s: %s', async ([name, value]) => {
    const { status, body } = await askForMetrics(server, { [name]: value })
    expect(status).toBe(404)
    expect(body).toContain('LECTERN_METRICS_TOKEN or LECTERN_METRICS_PORT')
    expect(body).not.toContain('process_start_time_seconds')
  })
})

describe('metrics with a token', () => {
  const token = 'a-token-of-the-scraper'
  const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_METRICS_TOKEN: token })

  test('are answered to callers with the token', async () => {
    const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': '203.0.113.5' }
    expect((await askForMetrics(server, headers)).status).toBe(200)
  })

  test.for(['', 'Bearer', 'Bearer wrong', `Basic ${token}`, `Bearer ${token}x`])(
    'are refused with the header "%s"',
    async (Authorization) => {
      expect((await askForMetrics(server, Authorization === '' ? {} : { Authorization })).status).toBe(401)
    },
  )

  test('the token cannot be short', () => {
    expect(() => readConfig({ LECTERN_METRICS_TOKEN: 'short' })).toThrow(ConfigError)
  })
})

describe('metrics on a separate port', () => {
  const token = 'a-token-of-the-scraper'
  const open = useTestServer({ LECTERN_ROLE: 'web', LECTERN_METRICS_PORT: '0' })
  const closed = useTestServer({ LECTERN_ROLE: 'web', LECTERN_METRICS_PORT: '0', LECTERN_METRICS_TOKEN: token })
  const ownPort = ({ running }: TestServer) => ({ baseUrl: `http://127.0.0.1:${running.metricsPort}` })

  test('are served there, and not on the main port', async () => {
    expect((await askForMetrics(ownPort(open))).body).toContain('process_start_time_seconds')
    expect((await askForMetrics(open)).status).toBe(404)
    expect((await fetch(`${ownPort(open).baseUrl}/api/v1/openapi.json`)).status).toBe(404)
  })

  test('require the token there if there is one', async () => {
    expect((await askForMetrics(ownPort(closed))).status).toBe(401)
    expect((await askForMetrics(ownPort(closed), { Authorization: `Bearer ${token}` })).status).toBe(200)
  })
})
