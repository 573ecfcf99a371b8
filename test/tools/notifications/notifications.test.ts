import { describe, expect, test } from 'vitest'
import { newId } from '../../../src/core/ids.ts'
import type { NotificationType } from '../../../src/notifications/schema.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { smallBooks } from '../../support/small-books.ts'
import { callOverRest, importFile } from '../../support/uploads.ts'

const server = useTestServer()

async function notify(person: Person, count: number, type: NotificationType = 'gap_fulfilled'): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const createdAt = new Date(Date.now() - (count - i) * 1000)
    const id = newId(createdAt)
    const rest = { type, title: `Title ${i}`, body: 'Body', metadata: { itemId: 'x' }, createdAt, readAt: null }
    await server.running.opened.services.notifications.add({ id, accountId: person.id, ...rest })
    ids.push(id)
  }
  return ids
}

async function listed(person: Person, query = {}): Promise<string[]> {
  const { body } = await callOverRest(server, person, 'list_notifications', query)
  return body.notifications.map(({ id }: { id: string }) => id)
}

describe('list_notifications and mark_notifications_read', () => {
  test('lists newest first, at most 50, with all fields', async () => {
    const person = await server.createPerson()
    const ids = await notify(person, 53)
    expect(await listed(person)).toEqual(ids.toReversed().slice(0, 50))
    const { body } = await callOverRest(server, person, 'list_notifications')
    expect(body.notifications[0]).toEqual({
      id: ids[52],
      type: 'gap_fulfilled',
      title: 'Title 52',
      body: 'Body',
      metadata: { itemId: 'x' },
      createdAt: expect.stringMatching(/Z$/),
    })
  })

  test('lists by type, and only unread ones', async () => {
    const person = await server.createPerson()
    const [gap = ''] = await notify(person, 1)
    const [invite] = await notify(person, 1, 'team_invite')
    expect(await listed(person, { type: 'team_invite' })).toEqual([invite])
    expect((await callOverRest(server, person, 'mark_notifications_read', { ids: [gap] })).body).toEqual({
      ok: true,
      updated: 1,
    })
    expect((await callOverRest(server, person, 'mark_notifications_read', { ids: [gap] })).body).toEqual({
      ok: true,
      updated: 0,
    })
    expect(await listed(person, { unread: 'true' })).toEqual([invite])
    expect(await listed(person)).toHaveLength(2)
  })

  test('ignores ids of others, and those after the first 200', async () => {
    const [person, other] = [await server.createPerson(), await server.createPerson()]
    const [own = ''] = await notify(person, 1)
    const [foreign = ''] = await notify(other, 1)
    const padding = Array.from({ length: 199 }, () => 'unknown')
    const { body } = await callOverRest(server, person, 'mark_notifications_read', { ids: [foreign, ...padding, own] })
    expect(body).toEqual({ ok: true, updated: 0 })
    expect(await listed(other, { unread: 'true' })).toEqual([foreign])
    expect(await listed(person, { unread: 'true' })).toEqual([own])
  })

  test('contains how an import ended', async () => {
    const person = await server.createPerson()
    const good = await importFile(server, person, { filename: 'good.pdf', bytes: await smallBooks.pdf() })
    const broken = new TextEncoder().encode('%PDF-1.7 and then nothing of use')
    const bad = await importFile(server, person, { filename: 'bad.pdf', bytes: broken })
    const { body } = await callOverRest(server, person, 'list_notifications')
    expect(body.notifications).toMatchObject([
      { type: 'import_failed', metadata: { itemId: bad.itemId } },
      { type: 'import_finished', metadata: { itemId: good.itemId } },
    ])
    expect(body.notifications[0].body).toMatch(/damaged/)
  })

  test.for([
    ['no ids', {}],
    ['ids that are not an array', { ids: 'x' }],
    ['ids that are not strings', { ids: [1] }],
  ] as const)('refuses %s', async ([, body]) => {
    const answer = await callOverRest(server, await server.createPerson(), 'mark_notifications_read', body)
    expectRefusal(answer, 'rest', { status: 400, code: 'INVALID_INPUT', message: /^ids must be an array of strings/ })
  })
})
