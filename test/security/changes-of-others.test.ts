import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { openServices, type OpenedServices } from '../../src/app/services.ts'
import { startTestServer, testDatabaseEnvironment, type TestServer } from '../support/server.ts'
import { transports } from '../support/transports.ts'

/** Data that a server has cached must not outlive a change by another process, such as an administrator's command. */
let directory: string
let server: TestServer
let others: OpenedServices

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-others-'))
  const environment = { LECTERN_DATA_DIR: directory, ...testDatabaseEnvironment(directory) }
  server = await startTestServer(environment)
  others = await openServices(readConfig({ ...environment, LECTERN_LOG_LEVEL: 'silent' }))
})

afterAll(async () => {
  await others?.close()
  await server?.close()
  await rm(directory, { recursive: true, force: true })
})

describe.for(transports)('after a change by another process over %s', ([, transport]) => {
  const search = async (key: string, query = 'heron') => transport.call(server, { key }, 'search_items', { query })

  test('a revoked key is refused by the next call', async () => {
    const { id, key } = await server.createPerson()
    for (let nth = 0; nth < 3; nth++) expect((await search(key)).ok).toBe(true)
    const { accounts, now } = others.services
    await accounts.revokeKeys(id, now())
    expect((await search(key)).ok).toBe(false)
  })

  test('a suspended account is refused by the next call, and admitted by the next one again', async () => {
    const { id, key } = await server.createPerson()
    for (let nth = 0; nth < 3; nth++) expect((await search(key)).ok).toBe(true)
    const { accounts, now } = others.services
    await accounts.change(id, { suspendedAt: now() })
    expect((await search(key)).ok).toBe(false)
    await accounts.change(id, { suspendedAt: null })
    expect((await search(key)).ok).toBe(true)
  })

  test('a search finds the new title of a book, and not the old one', async () => {
    const person = await server.createPerson()
    const made = { title: 'Wading birds', content: 'A heron stands still.' }
    const { id } = (await transport.call(server, person, 'create_markdown_item', made)).body
    const titles = async (query: string) => {
      const { body } = await search(person.key, query)
      return body.items.map(({ title }: { title: string }) => title)
    }
    for (let nth = 0; nth < 3; nth++) expect(await titles('heron')).toEqual(['Wading birds'])
    const { books } = others.services
    await books.change(person.id, id, { set: { title: 'Long legs' } })
    expect(await titles('heron')).toEqual(['Long legs'])
    expect(await titles('legs')).toEqual(['Long legs'])
    expect(await titles('wading')).toEqual([])
  })
})
