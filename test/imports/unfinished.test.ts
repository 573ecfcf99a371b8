import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { createBarrier, createManualWorker, leaseMs, uploadScript } from '../support/manual-worker.ts'
import { readsUsed } from '../support/charge-reads.ts'
import type { Step } from '../support/scripted-format.ts'
import type { Person } from '../support/server.ts'
import { mcp, rest, transports } from '../support/transports.ts'
import { callOverRest, findListedItem, unwrap } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const info = { title: 'A Script' }
const toc = [{ title: 'One', page: 1, level: 1 }]
const steps: Step[] = [
  { do: 'pages', count: 3, content: 'The first words.' },
  { do: 'pages', count: 1, content: 'x'.repeat(70_000) },
  { do: 'pages', count: 6, content: 'The last words.' },
]

const readPages = (itemId: string) =>
  rest.call(server, person, 'read_items', { items: [{ id: itemId, pages: '1-1000' }] })

/** Starts an import that stops as soon as its first `pages` pages can be read, until it is released. */
async function unfinishedBook({ script = { info, steps, toc, pageCount: 10 }, pages = 1 } = {}) {
  const upload = await uploadScript(server, person, script)
  const worker = createManualWorker(server)
  const { contents } = worker.services
  const barrier = createBarrier()
  const writePages: typeof contents.writePages = async (itemId, revision, batch) => {
    if (batch.first >= pages) await barrier.pass()
    await contents.writePages(itemId, revision, batch)
  }
  const running = worker.run(upload.jobId, { contents: { ...contents, writePages } })
  await barrier.arrived
  return {
    ...upload,
    worker,
    async finish() {
      barrier.open()
      await running
    },
  }
}

describe('a book that is still being imported', () => {
  test('is listed with its readable pages, and without these fields once it is ready', async () => {
    const { itemId, finish } = await unfinishedBook()
    const unfinished = { status: 'PROCESSING', pageCount: 1, pagesReady: 1, pagesExpected: 10 }
    expect(await findListedItem(server, person, itemId)).toMatchObject(unfinished)
    const listed = await mcp.call(server, person, 'list_items', {})
    expect(listed.body.items.find(({ id }: { id: string }) => id === itemId)).toMatchObject(unfinished)
    await finish()
    const ready = await findListedItem(server, person, itemId)
    expect(ready).toMatchObject({ status: 'READY', pageCount: 10 })
    expect(ready).not.toHaveProperty('pagesReady')
    expect(ready).not.toHaveProperty('pagesExpected')
  })

  describe.for(transports)('over %s', ([name, transport]) => {
    test('has readable pages, marked as incomplete, at the price of a normal read', async () => {
      const { itemId, finish } = await unfinishedBook()
      const before = await readsUsed(server, person)
      const input = { items: [{ id: itemId, pages: '1-1000' }] }
      const { body, text } = await transport.call(server, person, 'read_items', input)
      if (name === 'mcp') {
        expect(text).toMatch(/pages="1" version="0">\n.*The import of this book is not finished: pages 1 to 1 of 10/)
        expect(text).toContain('The first words.')
        expect(text).not.toContain('<page num="2"')
      } else {
        expect(body.items[0]).toMatchObject({
          status: 'PROCESSING',
          pageCount: 1,
          pagesReady: 1,
          pagesExpected: 10,
          unfinished: expect.stringMatching(/not finished: pages 1 to 1 of 10 can be read/),
          truncated: false,
          pages: [{ pageNum: 1, content: 'The first words.', url: `${server.baseUrl}/books/${itemId}/pages/1` }],
        })
      }
      expect(await readsUsed(server, person)).toBe(before + 1)
      await finish()
      const ready = await transport.call(server, person, 'read_items', input)
      expect(ready.text).not.toContain('not finished')
      expect(JSON.stringify(ready.body)).not.toMatch(/pagesReady|"unfinished"/)
    })

    test('returns nothing for pages that are not available yet, and charges nothing', async () => {
      const { itemId, finish } = await unfinishedBook()
      const before = await readsUsed(server, person)
      const { ok, text } = await transport.call(server, person, 'read_items', { items: [{ id: itemId, pages: '5' }] })
      expect(ok).toBe(true)
      expect(text).toContain('pages 1 to 1 of 10 can be read')
      expect(text).not.toContain('words.')
      expect(await readsUsed(server, person)).toBe(before)
      await finish()
    })

    test('returns its text as a part, so that nobody writes it back as the whole', async () => {
      const { itemId, finish } = await unfinishedBook()
      const { body, text } = await transport.call(server, person, 'get_item_content', { id: itemId })
      if (name === 'mcp') expect(text).toMatch(/pages="1" url=.*\nThe first words\.\n<\/book>\n.*is not finished/)
      else {
        expect(body).toMatchObject({ content: 'The first words.', version: null, pagesReady: 1 })
        expect(body.versionWithheld).toMatch(/not finished/)
      }
      await finish()
    })

    test('has its table of contents once it is ready, and charges nothing before', async () => {
      const { itemId, finish } = await unfinishedBook()
      const before = await readsUsed(server, person)
      const early = await transport.call(server, person, 'get_table_of_contents', { ids: [itemId] })
      expect(early.text).toContain('is not finished')
      if (name === 'rest') expect(early.body.items[0]).toMatchObject({ toc: null, tocTree: null, pagesReady: 1 })
      expect(await readsUsed(server, person)).toBe(before)
      await finish()
      const { text } = await transport.call(server, person, 'get_table_of_contents', { ids: [itemId] })
      expect(text).toContain('One')
      expect(text).not.toContain('not finished')
    })

    test('can be cited: a quotation is found on a stored page, and not on a later one', async () => {
      const { itemId, finish } = await unfinishedBook()
      const citations = [
        { itemId, page: 1, quote: 'The first words' },
        { itemId, page: 1, quote: 'other words entirely' },
        { itemId, page: 7, quote: 'The last words' },
      ]
      const { body } = await transport.call(server, person, 'check_citations', { citations })
      const [found, other, later] = body.citations
      expect(found).toMatchObject({
        found: true,
        version: 0,
        pagesReady: 1,
        url: expect.stringMatching(/pages\/1#quote/),
      })
      expect(other).toMatchObject({ found: false, unfinished: expect.stringMatching(/not finished/) })
      expect(later).toMatchObject({ found: false, problem: { code: 'PAGE_NOT_FOUND' } })
      expect(later.problem.message).toMatch(/pages 1 to 1 of 10 can be read/)
      await finish()
      const again = await transport.call(server, person, 'check_citations', { citations })
      expect(again.body.citations.map((row: { found: boolean }) => row.found)).toEqual([true, false, true])
    })
  })

  test('is fetched by page over MCP, marked in the text and in the metadata', async () => {
    const { itemId, finish } = await unfinishedBook()
    const { body } = await mcp.call(server, person, 'fetch', { id: `${itemId}:1` })
    expect(body.text).toMatch(/is not finished[^]*The first words\./)
    expect(body.metadata.unfinished).toMatch(/pages 1 to 1 of 10/)
    expect(body.metadata).not.toHaveProperty('nextId')
    await finish()
  })

  test('grows while its earlier pages stay the same', async () => {
    const slow = { info, steps: [{ do: 'slow pages', count: 400, ms: 5 } as const], pageCount: null }
    const { jobId, itemId } = await uploadScript(server, person, slow)
    const running = createManualWorker(server).run(jobId)
    const seen: number[] = []
    for (let status = 'PROCESSING'; status === 'PROCESSING'; await delay(20)) {
      const { body } = await readPages(itemId)
      const [item] = body.items
      status = item.status
      expect(item.pages.map((page: { content: string }) => page.content)).toEqual(
        item.pages.map((_: unknown, index: number) => `page ${index + 1}`),
      )
      if (status === 'PROCESSING') {
        expect(item.pages).toHaveLength(item.pagesReady)
        expect(item).not.toHaveProperty('pagesExpected')
      }
      seen.push(item.pages.length)
    }
    await running
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(new Set(seen.filter((count) => count > 0)).size).toBeGreaterThan(3)
    expect(seen.at(-1)).toBe(400)
  })

  test('keeps the pages of its last version while its file is imported again', async () => {
    const { itemId, finish } = await unfinishedBook()
    await finish()
    const again = unwrap<{ job: { id: string } }>(await callOverRest(server, person, 'reprocess_item', { itemId }))
    const worker = createManualWorker(server)
    const { contents } = worker.services
    const barrier = createBarrier()
    const seal: typeof contents.getManifest = async (...given) => {
      await barrier.pass()
      return contents.getManifest(...given)
    }
    const running = worker.run(again.job.id, { contents: { ...contents, getManifest: seal } })
    await barrier.arrived
    const { body } = await readPages(itemId)
    expect(body.items[0]).toMatchObject({ status: 'READY', pageCount: 10, freshness: { contentVersion: 1 } })
    expect(body.items[0]).not.toHaveProperty('unfinished')
    barrier.open()
    await running
  })
})

describe('the readable pages of an import', () => {
  const isGone = async (itemId: string) => {
    const { body } = await readPages(itemId)
    expect(body.items[0]).toMatchObject({ status: 'FAILED', health: 'failed', pageCount: 0, pages: [] })
    expect(body.items[0].healthReason).not.toBeNull()
    expect(JSON.stringify(body)).not.toMatch(/pagesReady|words\./)
    const rows = server.running.opened.database.db.collection<{ _id: string }>('pages')
    expect(await rows.countDocuments({ _id: { $regex: `^${itemId}:` } })).toBe(0)
  }

  test('disappear when it fails, and the book gives the reason', async () => {
    const script = { info, steps: [...steps, { do: 'throw' } as const], toc, pageCount: 10 }
    const { itemId, finish } = await unfinishedBook({ script })
    expect((await readPages(itemId)).body.items[0].pages).toHaveLength(1)
    await finish()
    await isGone(itemId)
  })

  test('disappear when it is cancelled', async () => {
    const { itemId, jobId, finish } = await unfinishedBook()
    expect((await readPages(itemId)).body.items[0].pages).toHaveLength(1)
    unwrap(await callOverRest(server, person, 'cancel_job', { jobId }))
    expect((await readPages(itemId)).body.items[0]).toMatchObject({ status: 'FAILED', pages: [] })
    await finish()
    await isGone(itemId)
  })

  test('disappear when its worker stops, until another worker has imported them again', async () => {
    const script = { info, steps: [{ do: 'pages', count: 1 } as const, { do: 'wait for ever' } as const], pageCount: 2 }
    const { itemId, jobId } = await uploadScript(server, person, script)
    const worker = createManualWorker(server)
    const running = worker.run(jobId)
    while (!(await findListedItem(server, person, itemId))?.pageCount) await delay(10)
    await worker.stop()
    await running
    const { body } = await readPages(itemId)
    expect(body.items[0]).toMatchObject({ status: 'PROCESSING', pagesReady: 0, pages: [] })
    await callOverRest(server, person, 'cancel_job', { jobId })
  })
})

describe('an import that restarts because its worker was silent', () => {
  /** Creates a worker that writes its name as the text of each page. */
  function namedWorker(name: string) {
    const worker = createManualWorker(server)
    const { contents } = worker.services
    const writePages: typeof contents.writePages = (itemId, revision, { first, pages }) =>
      contents.writePages(itemId, revision, { first, pages: pages.map((page) => ({ ...page, content: name })) })
    return { ...worker, contents: { ...contents, writePages } }
  }

  test('never shows pages of two attempts together, and keeps those of the sealed attempt', async () => {
    const script = { info, steps: [{ do: 'slow pages', count: 150, ms: 10 } as const], pageCount: 150 }
    const { itemId, jobId } = await uploadScript(server, person, script)
    const [first, second] = [namedWorker('first'), namedWorker('second')]
    const { jobs } = first.services
    const silent: typeof jobs.update = (id, fence, change) =>
      'leaseUntil' in change && change.leaseUntil ? Promise.resolve(true) : jobs.update(id, fence, change)
    const running = first.run(jobId, { contents: first.contents, jobs: { ...jobs, update: silent } })
    while (((await findListedItem(server, person, itemId))?.pageCount ?? 0) < 20) await delay(10)
    await delay(leaseMs)
    const takingOver = second.run(jobId, { contents: second.contents })
    const seen = new Set<string>()
    let status = 'PROCESSING'
    while (status === 'PROCESSING') {
      const { body, ok } = await readPages(itemId)
      expect(ok, JSON.stringify(body)).toBe(true)
      const [item] = body.items
      status = item.status
      const writers = new Set(item.pages.map(({ content }: { content: string }) => content))
      expect(writers.size).toBeLessThan(2)
      for (const writer of writers) seen.add(String(writer))
      if (status === 'PROCESSING') expect(item.pages).toHaveLength(item.pagesReady)
    }
    await Promise.all([running, takingOver])
    const { body } = await readPages(itemId)
    expect(new Set(body.items[0].pages.map(({ content }: { content: string }) => content)).size).toBe(1)
    expect(body.items[0].pages).toHaveLength(150)
    expect(seen.size).toBeGreaterThan(0)
  })

  test('shows nothing of an attempt once a later one has shown something', async () => {
    const { itemId, finish } = await unfinishedBook()
    const { books } = server.running.opened.services
    const [book] = await books.findOwned(person.id, [itemId])
    const earlier = { ...book?.unfinished, attempt: 0, pages: 9 } as NonNullable<(typeof book & object)['unfinished']>
    expect(await books.showUnfinished(person.id, itemId, earlier)).toBe(false)
    await books.hideUnfinished(person.id, itemId, earlier)
    expect((await readPages(itemId)).body.items[0].pagesReady).toBe(1)
    await finish()
    expect(await books.showUnfinished(person.id, itemId, { ...earlier, attempt: 9 })).toBe(false)
  })
})
