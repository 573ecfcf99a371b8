import { expect, test } from 'vitest'
import { send } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { callOverRest } from '../support/uploads.ts'

const server = useTestServer()

function rateOf(headers: Headers): (string | null)[] {
  return ['ratelimit-limit', 'ratelimit-remaining'].map((name) => headers.get(name))
}

test('a rate-limited call reports the remaining calls, whether it succeeds or is refused', async () => {
  const person = await server.createPerson()
  const report = { title: 'A title', body: 'A body' }
  for (let left = 9; left >= 8; left--) {
    const { headers } = await callOverRest(server, person, 'send_report', report)
    expect(rateOf(headers)).toEqual(['10', String(left)])
    const reset = Number(headers.get('ratelimit-reset'))
    expect(reset).toBeGreaterThan(0)
    expect(reset).toBeLessThanOrEqual(60)
  }
  const invalid = await callOverRest(server, person, 'send_report', {})
  expect(invalid.status).toBe(400)
  expect(rateOf(invalid.headers)).toEqual(['10', '7'])
  for (let left = 6; left >= 0; left--) await callOverRest(server, person, 'send_report', report)
  const refused = await callOverRest(server, person, 'send_report', report)
  expect(refused.status).toBe(429)
  expect(rateOf(refused.headers)).toEqual(['10', '0'])
  expect(refused.headers.get('ratelimit-reset')).toBe(refused.headers.get('retry-after'))
})

test('a call without a rate bucket or without a credential has no RateLimit headers', async () => {
  const person = await server.createPerson()
  expect(rateOf((await callOverRest(server, person, 'whoami')).headers)).toEqual([null, null])
  const unsigned = await send(server, null, { method: 'POST', path: '/api/v1/report', body: {} })
  expect(unsigned.status).toBe(401)
  expect(rateOf(unsigned.headers)).toEqual([null, null])
})
