import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readsUsed } from '../support/charge-reads.ts'
import { showText, writePdf } from '../support/pdf.ts'
import { rest } from '../support/transports.ts'
import { addFile, findListedItem, unwrap, callOverRest } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

/** The time of three heartbeats of a worker. */
const leaseMs = 6000
const lookMs = 200

const server = useTestServer({}, { leaseMs })

/** A PDF whose pages are all different, so that its size grows with their number. */
function pdfOf(pages: number, title: string): Uint8Array {
  const line = (page: number, n: number) =>
    `Page ${page} of ${title}, line ${n}: words, more words, and still more words.`
  const content = (page: number) =>
    Array.from({ length: 40 }, (_, n) => showText(line(page, n), { x: 72, y: 740 - n * 16, size: 9 })).join('')
  return writePdf({
    pages: Array.from({ length: pages }, (_, n) => ({ content: content(n + 1) })),
    info: `/Title (${title})`,
  })
}

test(
  'a short book is ready while earlier long ones are still being read, and those are partially readable',
  { timeout: 300_000 },
  async () => {
    const person = await server.createPerson()
    const add = (pages: number, title: string) =>
      addFile(server, person, { filename: `${title}.pdf`, bytes: pdfOf(pages, title) })
    const long = await Promise.all([add(4000, 'One'), add(4000, 'Two'), add(4000, 'Three')])
    const statusOf = async ({ itemId }: { itemId: string }) => (await findListedItem(server, person, itemId))?.status
    const readable = async () => {
      const items = await Promise.all(long.map(({ itemId }) => findListedItem(server, person, itemId)))
      return items.filter((item) => item?.status === 'PROCESSING' && item.pageCount > 0)
    }
    const running = async () => {
      const jobs = await server.running.opened.services.jobs.listRunning()
      return jobs.filter(({ accountId }) => accountId === person.id).length
    }
    while ((await running()) < 2 || (await readable()).length === 0) await delay(50)
    const short = await add(2, 'Short')
    while ((await statusOf(short)) === 'PROCESSING') await delay(20)
    expect(await statusOf(short)).toBe('READY')
    expect(await Promise.all(long.map(statusOf))).not.toContain('READY')
    const used = await readsUsed(server, person)
    const [unfinished] = await readable()
    const { body } = await rest.call(server, person, 'read_items', { items: [{ id: unfinished?.id, pages: '1' }] })
    expect(body.items[0].pages[0].content).toMatch(/Page 1 of (?:One|Two|Three), line 9:/)
    expect(body.items[0]).toMatchObject({ status: 'PROCESSING', pagesExpected: 4000 })
    expect(await readsUsed(server, person)).toBe(used + 1)
    for (const { jobId } of long) unwrap(await callOverRest(server, person, 'cancel_job', { jobId }))
    // Cancelling removes the stored pages. A worker may write more until its next heartbeat, which removes them too.
    const pages = server.running.opened.database.db.collection<{ _id: string }>('pages')
    const ofLong = { $or: long.map(({ itemId }) => ({ _id: { $regex: `^${itemId}:` } })) }
    for (let looks = 0; looks < (2 * leaseMs) / lookMs;) {
      await delay(lookMs)
      looks = (await running()) === 0 && (await pages.countDocuments(ofLong)) === 0 ? looks + 1 : 0
    }
  },
)
