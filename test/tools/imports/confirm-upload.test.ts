import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../../support/transports.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { smallBookPages, smallBooks } from '../../support/small-books.ts'
import {
  callOverRest,
  confirmUpload,
  waitForJobEnd,
  findListedItem,
  readPageTexts,
  putFile,
  reserveUpload,
  sendFile,
  sha256,
} from '../../support/uploads.ts'

const server = useTestServer(await plansEnvironment({ tier: 'TINY', itemLimit: 2 }))
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const markdown = { filename: 'book.md', bytes: Buffer.from('# One\n\nwhales\n') }
const key = `incoming/${'a'.repeat(26)}/${'b'.repeat(26)}.pdf`
const post = (body: unknown, who: Person | null = person) =>
  send(server, who && who.key, { method: 'POST', path: '/api/v1/upload/confirm', body })
const jobsOf = async (itemId: string) => {
  const { body } = await callOverRest(server, person, 'list_jobs')
  return (body.jobs as { itemId: string }[]).filter((job) => job.itemId === itemId)
}
const keptKey = (storageKey: string) => storageKey.replace('incoming', 'originals')

describe('confirm_upload', () => {
  test.for([
    ['pdf', 'a small book.pdf', 'a small book'],
    ['epub', 'whatever.epub', 'A Small Book'],
    ['markdown', 'notes on whales.md', expect.any(String) as string],
  ] as const)('adds a %s to the library, text and original', async ([sourceType, filename, title]) => {
    const bytes = await smallBooks[sourceType]()
    const upload = await sendFile(server, person, { filename, bytes })
    const { status, body } = await confirmUpload(server, person, upload)
    expect(status).toBe(200)
    expect(body).toEqual({
      item: { id: upload.itemId, title: expect.any(String) },
      job: { id: expect.stringMatching(/^[a-z0-9]{24,32}$/), status: 'PENDING', type: 'import' },
      replacedItemId: null,
    })
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({
      status: 'SUCCEEDED',
      progress: 100,
      error: null,
    })
    const item = await findListedItem(server, person, upload.itemId)
    expect(item).toMatchObject({ status: 'READY', health: 'ok', healthReason: null, title, sourceType, pageCount: 2 })
    const pages = await readPageTexts(server, person, upload.itemId)
    for (const [at, text] of smallBookPages.entries()) expect(pages[at]).toContain(text)
    const kept = await server.running.opened.services.files.checkout(keptKey(upload.storageKey))
    expect(kept.sha256).toBe(sha256(bytes))
  })

  const required = /^itemId and storageKey are required$/
  const format = /^Invalid storageKey format$/
  const itemId = 'a'.repeat(26)
  test.for<[string, unknown, RegExp]>([
    ['an empty body', {}, required],
    ['no itemId', { storageKey: key }, required],
    ['an empty itemId', { itemId: '', storageKey: key }, required],
    ['an itemId that is not a string', { itemId: { $ne: '' }, storageKey: key }, required],
    ['no storageKey', { itemId }, required],
    ['an empty storageKey', { itemId, storageKey: '' }, required],
    ['a storageKey that is not a string', { itemId, storageKey: ['x'] }, required],
    ['a storageKey of another form', { itemId, storageKey: 'x' }, format],
    ['the key of an original', { itemId, storageKey: key.replace('incoming', 'originals') }, format],
    ['a key with ..', { itemId, storageKey: `incoming/../${'b'.repeat(26)}/${'b'.repeat(26)}.pdf` }, format],
    ['a key with a suffix', { itemId, storageKey: `${key}/x` }, format],
    ['a key with a line break', { itemId, storageKey: `${key}\n` }, format],
    ['a body that is not JSON', '{"itemId"', /Invalid JSON body/],
  ])('refuses %s without a code', async ([, body, says]) => {
    expectRefusal(await post(body), 'rest', { status: 400, message: says })
  })

  test('a book, key or replaced book of another account looks missing', async () => {
    const other = await server.createPerson()
    const theirs = await sendFile(server, other, markdown)
    const own = await sendFile(server, person, markdown)
    const missing = { status: 404, message: /^Item not found$/ }
    expectRefusal(await confirmUpload(server, person, theirs), 'rest', missing)
    expectRefusal(await confirmUpload(server, person, { ...own, storageKey: theirs.storageKey }), 'rest', missing)
    expectRefusal(await confirmUpload(server, person, { ...own, itemId: theirs.itemId }), 'rest', missing)
    expectRefusal(await confirmUpload(server, person, { itemId, storageKey: key }), 'rest', missing)
    expectRefusal(await confirmUpload(server, person, { ...own, replacesItemId: theirs.itemId }), 'rest', missing)
    expectRefusal(await confirmUpload(server, person, { ...own, replacesItemId: own.itemId }), 'rest', missing)
    expectRefusal(await confirmUpload(server, person, { ...own, replacesItemId: 'nope' }), 'rest', missing)
    expect((await confirmUpload(server, other, theirs)).status).toBe(200)
    expect((await confirmUpload(server, person, own)).status).toBe(200)
  })

  test('refuses a file that has not been sent yet; it can be sent and confirmed later', async () => {
    const upload = await reserveUpload(server, person, markdown)
    const refusal = { status: 400, message: /has not arrived/, fields: { reason: 'UPLOAD_MISSING' } }
    expectRefusal(await confirmUpload(server, person, upload), 'rest', refusal)
    await putFile(upload.uploadUrl, markdown.bytes)
    expect((await confirmUpload(server, person, upload)).status).toBe(200)
  })

  test('refuses a file shorter than declared; the complete one can be sent later', async () => {
    const upload = await reserveUpload(server, person, markdown)
    await putFile(upload.uploadUrl, markdown.bytes.subarray(1))
    const refusal = { status: 400, message: /13 bytes, but 14/, fields: { reason: 'UPLOAD_SIZE_MISMATCH' } }
    expectRefusal(await confirmUpload(server, person, upload), 'rest', refusal)
    expect((await putFile(upload.uploadUrl, markdown.bytes)).status).toBe(200)
    expect((await confirmUpload(server, person, upload)).status).toBe(200)
  })

  test.for([
    ['a.pdf', Buffer.from('# Not a PDF\n')],
    ['a.pdf', Buffer.from('PK\u0003\u0004 not a PDF')],
    ['a.epub', Buffer.from('%PDF-1.7 not an EPUB')],
    ['a.epub', Buffer.from('<html>not an EPUB</html>')],
    ['a.md', Buffer.from('text with a \u0000 in it')],
  ] as const)('refuses a %s that is another kind of file', async ([filename, bytes]) => {
    const upload = await sendFile(server, person, { filename, bytes })
    const refusal = {
      status: 400,
      message: /^The file is not in \w+ format/,
      fields: { reason: 'UPLOAD_TYPE_MISMATCH' },
    }
    expectRefusal(await confirmUpload(server, person, upload), 'rest', refusal)
    expect(await server.running.opened.services.files.head(upload.storageKey)).toBeNull()
    expect(await findListedItem(server, person, upload.itemId)).toMatchObject({ status: 'DRAFT' })
  })

  test('a repeat is refused while the book is processed and after', async () => {
    const upload = await sendFile(server, person, markdown)
    const { body } = await confirmUpload(server, person, upload)
    const refusal = { status: 409, message: /already being processed/ }
    expectRefusal(await confirmUpload(server, person, upload), 'rest', refusal)
    await waitForJobEnd(server, person, body.job.id)
    expectRefusal(await confirmUpload(server, person, upload), 'rest', refusal)
    expect(await jobsOf(upload.itemId)).toHaveLength(1)
  })

  test('of parallel calls one creates the job, and the others report it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const upload = await sendFile(server, person, markdown)
      const answers = await Promise.all(Array.from({ length: 8 }, () => confirmUpload(server, person, upload)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
      const jobs = await jobsOf(upload.itemId)
      expect(jobs).toHaveLength(1)
      const won = answers.find(({ status }) => status === 200)
      expect(await waitForJobEnd(server, person, won?.body.job.id)).toMatchObject({ status: 'SUCCEEDED', attempts: 1 })
    }
  })

  test('can be repeated if the first call failed after storing the file', async () => {
    const upload = await sendFile(server, person, markdown)
    await server.running.opened.services.files.move(upload.storageKey, keptKey(upload.storageKey))
    const { status, body } = await confirmUpload(server, person, upload)
    expect(status).toBe(200)
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({ status: 'SUCCEEDED' })
  })

  test('the file of a book that is deleted and erased at the same time is deleted too', async () => {
    const { files } = server.running.opened.services
    for (let round = 0; round < 6; round += 1) {
      const upload = await sendFile(server, person, markdown)
      const [confirmed] = await Promise.all([
        confirmUpload(server, person, upload),
        callOverRest(server, person, 'delete_items', { ids: [upload.itemId] }),
      ])
      expect([200, 400, 404]).toContain(confirmed.status)
      // An upload that was confirmed before is in the bin; a reservation is already deleted.
      await send(server, person.key, { method: 'DELETE', path: `/api/v1/items/deleted/${upload.itemId}` })
      expect(await files.head(keptKey(upload.storageKey))).toBeNull()
      expect(await files.head(upload.storageKey)).toBeNull()
    }
  })

  test('a locked book is refused, with the remedy', async () => {
    const owner = await server.createPerson()
    await seedBooks(server, owner, { count: 2 })
    const upload = await sendFile(server, owner, markdown)
    await server.running.opened.services.accounts.change(owner.id, { tier: 'TINY' })
    expectRefusal(await confirmUpload(server, owner, upload), 'rest', {
      status: 403,
      code: 'ITEM_LOCKED',
      message: /keeps 2 books usable.*Upgrade at .*\/plans.*pick which/,
      fields: { tier: 'TINY', itemLimit: 2, upgradeUrl: `${server.baseUrl}/plans` },
    })
    await server.running.opened.services.accounts.change(owner.id, { tier: 'SELF_HOSTED' })
    expect((await confirmUpload(server, owner, upload)).status).toBe(200)
  })

  test('the slot is taken by the reservation, so a full library does not matter', async () => {
    const owner = await server.createPerson({ plan: 'TINY' })
    await seedBooks(server, owner, { count: 1 })
    const upload = await sendFile(server, owner, markdown)
    expect((await confirmUpload(server, owner, upload)).status).toBe(200)
    expect(await server.running.opened.services.accounts.byId(owner.id)).toMatchObject({ slots: 2, pending: [] })
  })

  test('needs a key, and one that may write', async () => {
    expectRefusal(await post({}, null), 'rest', { status: 401, message: /Missing Authorization header/ })
    const reader = await server.createPerson({ scopes: ['library:read'] })
    expectRefusal(await post({}, reader), 'rest', { status: 403, code: 'INSUFFICIENT_SCOPE', message: /library:write/ })
  })
})
