import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { ordinaryPlaces, pagePlaces } from '../../src/accounts/costly-calls.ts'
import type { Context } from '../../src/app/context.ts'
import { defineTool } from '../../src/core/tool.ts'
import { contextOf } from '../support/context.ts'
import { mountTools } from '../support/mount-tools.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { rest, send } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

test('of the calls of an account, a few run at a time, and delay no others', async () => {
  const gate = Promise.withResolvers<void>()
  onTestFinished(() => gate.resolve())
  const running: string[] = []
  const tool = defineTool({
    name: 'take_long',
    title: 'Take long',
    description: 'Takes long.',
    group: 'support',
    scope: 'library:read',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    rateBucket: 'none',
    rest: { method: 'GET', path: '/long' },
    input: z.strictObject({}),
    output: z.object({}),
    async run({ actor }: Context) {
      running.push(actor.id)
      await gate.promise
      return {}
    },
  })
  const mounted = await mountTools(server, [tool])
  onTestFinished(() => mounted.close())
  const [greedy, other] = [await server.createPerson(), await server.createPerson()]
  const call = ({ key }: { key: string }) => send(mounted.server, key, { method: 'GET', path: '/api/v1/long' })
  const flood = Array.from({ length: ordinaryPlaces * 2 }, () => call(greedy))
  await vi.waitUntil(() => running.length === ordinaryPlaces)
  const single = call(other)
  await vi.waitUntil(() => running.includes(other.id))
  expect(running.filter((id) => id === greedy.id)).toHaveLength(ordinaryPlaces)
  gate.resolve()
  for (const { status } of await Promise.all([...flood, single])) expect(status).toBe(200)
})

test('an account that creates many shelves at the same moment gets all of them', async () => {
  const person = await server.createPerson()
  const names = Array.from({ length: 300 }, (_, n) => `Shelf ${n}`)
  const answers = await Promise.all(names.map((name) => rest.call(server, person, 'create_shelf', { name })))
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201))
})

describe('pages', () => {
  test('of an account are made a few at a time, and delay no others', async () => {
    const [greedy, other] = [await signedInPerson(server), await signedInPerson(server)]
    const { pageVisits } = server.running.opened.services
    const ctx = await contextOf(server, { id: greedy.account.id })
    const gate = Promise.withResolvers<void>()
    onTestFinished(() => gate.resolve())
    const held = Array.from({ length: pagePlaces }, () => pageVisits.run(ctx, () => gate.promise))
    let isAnswered = false
    const waiting = greedy.browser.get('/library').finally(() => (isAnswered = true))
    expect((await other.browser.get('/library')).status).toBe(200)
    expect(isAnswered).toBe(false)
    gate.resolve()
    await Promise.all(held)
    expect((await waiting).status).toBe(200)
    expect((await greedy.browser.get('/library')).status).toBe(200)
  })
})
