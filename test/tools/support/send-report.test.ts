import { describe, expect, test } from 'vitest'
import { send } from '../../support/transports.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { callOverRest } from '../../support/uploads.ts'

const server = useTestServer()

const report = { title: 'It fails', body: 'Every time.' }
const rows = () => server.running.opened.database.db.collection<{ _id: string }>('reports')

describe('send_report', () => {
  test.for([
    ['bug', 'bug'],
    [undefined, 'other'],
  ] as const)('keeps a report of type %s as %s and names its page', async ([type, kept]) => {
    const person = await server.createPerson()
    const { status, body } = await callOverRest(server, person, 'send_report', { ...report, type })
    expect(status).toBe(200)
    expect(body.url).toBe(`${server.baseUrl}/support/${body.id}`)
    expect(await rows().findOne({ _id: body.id })).toMatchObject({ accountId: person.id, ...report, type: kept })
  })

  test.for([
    ['no title', { body: 'x' }, /^title is required/],
    ['a blank title', { title: '  ', body: 'x' }, /^title is required/],
    ['a title of 201 characters', { ...report, title: 'x'.repeat(201) }, /^title exceeds 200 characters/],
    ['no body', { title: 'x' }, /^body is required/],
    ['a blank body', { title: 'x', body: ' ' }, /^body is required/],
    ['a body of 100,001 characters', { ...report, body: 'x'.repeat(100_001) }, /^body exceeds 100000 characters/],
    ['an unknown type', { ...report, type: 'praise' }, /^type must be one of bug, feature, idea, other/],
  ] as const)('refuses %s without a code', async ([, body, says]) => {
    const answer = await callOverRest(server, await server.createPerson(), 'send_report', body)
    expectRefusal(answer, 'rest', { status: 400, message: says })
  })

  test('refuses more than 50 a day', async () => {
    const person = await server.createPerson()
    const { attemptLimiter } = server.running.opened.services
    await Promise.all(Array.from({ length: 49 }, () => attemptLimiter.consume('report', person.id)))
    expect((await callOverRest(server, person, 'send_report', report)).status).toBe(200)
    const refused = await callOverRest(server, person, 'send_report', report)
    expectRefusal(refused, 'rest', {
      status: 429,
      code: 'RATE_LIMITED',
      message: /^You have sent 50 reports within a day\. Try again in 24 hours\.$/,
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    expect(await rows().countDocuments({ accountId: person.id })).toBe(1)
  })

  test('accepts a title of 200 and a body of 100,000 code points', async () => {
    const largest = { title: '🙂'.repeat(200), body: '🙂'.repeat(100_000) }
    expect((await callOverRest(server, await server.createPerson(), 'send_report', largest)).status).toBe(200)
  })

  test('a retry with the same Idempotency-Key returns the same report', async () => {
    const { key, id } = await server.createPerson()
    const request = { method: 'POST', path: '/api/v1/report', body: report, headers: { 'Idempotency-Key': 'once' } }
    const [one, two] = [await send(server, key, request), await send(server, key, request)]
    expect(two.body).toEqual(one.body)
    expect(await rows().countDocuments({ accountId: id })).toBe(1)
  })

  test('the 11th report of a minute is refused', async () => {
    const person = await server.createPerson()
    for (let i = 0; i < 10; i++) expect((await callOverRest(server, person, 'send_report', report)).status).toBe(200)
    const answer = await callOverRest(server, person, 'send_report', report)
    expectRefusal(answer, 'rest', { status: 429, code: 'RATE_LIMITED', message: /retry in/ })
  })
})
