import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemOwner } from '../../src/books/book.ts'
import { readConfig } from '../../src/app/config.ts'
import { createLog } from '../../src/app/log.ts'
import { startServer, type RunningServer } from '../../src/app/start.ts'
import { browse } from '../support/marketplace.ts'
import { makeBook } from '../support/make-book.ts'
import { runLectern } from '../support/run-lectern.ts'
import { freePort } from '../support/server.ts'

describe('lectern listing publish and book feature', { timeout: 120_000 }, () => {
  let directory: string
  let running: RunningServer
  let baseUrl: string

  const run = (...args: string[]) =>
    runLectern([...args, '--json'], {
      LECTERN_DATA_DIR: directory,
      LECTERN_BASE_URL: baseUrl,
      PORT: new URL(baseUrl).port,
      LECTERN_LOG_LEVEL: 'silent',
    })
  const person = async (plan: string) => {
    const { json } = await run('user', 'create', '--email', `${plan.toLowerCase()}@lectern.example`, '--plan', plan)
    return json as { id: string }
  }
  const book = (owner: { id: string }, title: string) =>
    makeBook({ running }, owner, { title, content: '# One\n# Two\n# Three\n' })

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lectern-admin-'))
    baseUrl = `http://127.0.0.1:${await freePort()}`
    const environment = { PORT: new URL(baseUrl).port, LECTERN_BASE_URL: baseUrl, LECTERN_DATA_DIR: directory }
    running = await startServer(readConfig({ ...environment, LECTERN_LOG_LEVEL: 'silent' }), createLog('silent'))
  })
  afterAll(async () => {
    await running.stop()
    await rm(directory, { recursive: true, force: true })
  })

  test('listing publish publishes on behalf of the owner, with terms', async () => {
    const owner = await person('PRO')
    const item = await book(owner, 'Lighthouses')
    const terms = ['--category', 'history', '--tags', 'Sea,Towers', '--pro-only', '--free-until', '2999-01-01']
    const { code, json } = await run('listing', 'publish', '--item', item, ...terms)
    expect(code).toBe(0)
    expect(json).toEqual({ id: expect.stringMatching(/^[a-z0-9]{26}$/), slug: 'lighthouses' })
    const { body } = await browse({ baseUrl }, '?search=lighthouses')
    expect(body.listings).toMatchObject([
      { id: json.id, category: 'history', proOnly: true, tags: [{ slug: 'sea' }, { slug: 'towers' }] },
    ])
    const again = await run('listing', 'publish', '--item', item)
    expect(again).toMatchObject({ code: 1, json: { code: 'CONFLICT' } })
  })

  test('book feature features one book at a time', async () => {
    const owner = await person('SELF_HOSTED')
    const items = [await book(owner, 'One'), await book(owner, 'Two')]
    for (const item of items) {
      const { code, json } = await run('book', 'feature', '--item', item)
      expect(code).toBe(0)
      const days = (new Date(json.featuredUntil).getTime() - Date.now()) / 86_400_000
      expect([json.itemId, Math.round(days)]).toEqual([item, 7])
    }
    const books = await running.opened.services.books.byIds(items)
    const featured = books.filter(({ featuredUntil }) => featuredUntil !== null)
    expect(featured.map(({ id }) => id)).toEqual([items[1]])
  })

  test('both commands refuse with the codes of the tool', async () => {
    const free = await person('FREE')
    const builtIn = await book({ id: systemOwner }, 'Built in')
    const own = await book(free, 'Mine')
    for (const [args, status, code] of [
      [['listing', 'publish', '--item', 'nope'], 1, 'NOT_FOUND'],
      [['listing', 'publish', '--item', builtIn], 1, 'FORBIDDEN'],
      [['listing', 'publish', '--item', own], 1, 'PUBLISH_NOT_ALLOWED'],
      [['listing', 'publish', '--item', own, '--category', 'cooking'], 1, 'INVALID_INPUT'],
      [['listing', 'publish', '--item', own, '--free-until', 'soon'], 1, 'INVALID_INPUT'],
      [['listing', 'publish'], 2, 'USAGE'],
      [['book', 'feature', '--item', 'nope'], 1, 'NOT_FOUND'],
      [['book', 'feature'], 2, 'USAGE'],
    ] as const) {
      const answer = await run(...args)
      expect([args, answer.code, (answer.json as { code: string }).code]).toEqual([args, status, code])
    }
  })
})
