import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mcp, rest, send, type Transport } from '../../support/transports.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { startReplicas, type Replicas } from '../../support/replicas.ts'
import { makeShelf, shelfSlugs } from '../../support/shelves.ts'
import type { Person, TestServer } from '../../support/server.ts'

let replicas: Replicas
let server: TestServer

beforeAll(async () => {
  replicas = await startReplicas(await plansEnvironment({ tier: 'EIGHT', shelfLimit: 8 }))
  server = replicas.server
})
afterAll(() => replicas.close())

async function personWith(count: number): Promise<Person> {
  const person = await server.createPerson({ plan: 'EIGHT' })
  for (let i = 0; i < count; i++) await makeShelf(server, person, `old ${i}`)
  return person
}

const attempts: [string, number, Transport][] = [
  ['rest', 40, rest],
  ['mcp', 20, mcp],
]

test.for(attempts)('over %s, of %i parallel creates with 5 shelves left 5 succeed', async ([, parallel, transport]) => {
  const person = await personWith(3)
  const create = (_: unknown, i: number) => transport.call(server, person, 'create_shelf', { name: `new ${i}` })
  const answers = await Promise.all(Array.from({ length: parallel }, create))
  expect(answers.filter(({ ok }) => ok)).toHaveLength(5)
  expect(new Set(answers.filter(({ ok }) => !ok).map(({ body }) => body.code))).toEqual(
    new Set(['SHELF_LIMIT_EXCEEDED']),
  )
  const positions = answers.filter(({ ok }) => ok).map(({ body }) => body.position as number)
  expect(positions.sort()).toEqual([3, 4, 5, 6, 7])
})

const create = (baseUrl: string, { key }: Person, name: string) =>
  send({ baseUrl }, key, { method: 'POST', path: '/api/v1/shelves', body: { name } })

describe('in two processes', () => {
  test('40 parallel creates with 5 shelves left create 5 shelves', async () => {
    const person = await personWith(3)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => create(replicas.baseUrls[i % 2] as string, person, `new ${i}`)),
    )
    expect(answers.filter(({ ok }) => ok)).toHaveLength(5)
    expect(await shelfSlugs(server, person)).toHaveLength(8)
  })

  test('20 parallel creates with one name create one shelf', async () => {
    const person = await personWith(0)
    const names = ['Café', 'CAFÉ', 'cafe\u0301', 'café ']
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => create(replicas.baseUrls[i % 2] as string, person, names[i % 4] as string)),
    )
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await shelfSlugs(server, person)).toEqual(['cafe'])
  })

  test('parallel creates with different names and equal base slugs get different slugs', async () => {
    const person = await personWith(0)
    const marks = ['', '!', '?', '#', '%', '&']
    await Promise.all(marks.map((mark, i) => create(replicas.baseUrls[i % 2] as string, person, `sea${mark}`)))
    const slugs = (await shelfSlugs(server, person)).sort()
    expect(slugs).toEqual(['sea', 'sea-2', 'sea-3', 'sea-4', 'sea-5', 'sea-6'])
  })
})

test('control: a count before the insert would allow too many shelves', async () => {
  const person = await server.createPerson()
  const { shelves } = server.running.opened.services
  const naive = async (_: unknown, i: number) => {
    if ((await shelves.list(person.id)).length >= 8) return false
    const shelf = { id: `id${i}`, name: `n${i}`, slug: `n${i}`, color: null, createdAt: new Date() }
    await shelves.change(person.id, (list) => [...list, shelf], new Date())
    return true
  }
  const made = (await Promise.all(Array.from({ length: 40 }, naive))).filter(Boolean)
  expect(made.length).toBeGreaterThan(8)
})
