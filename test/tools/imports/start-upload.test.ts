import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../../support/transports.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { callOverRest, findListedItem } from '../../support/uploads.ts'

const megabyte = 1024 * 1024

const server = useTestServer(
  await plansEnvironment(
    { tier: 'TINY', itemLimit: 3 },
    { tier: 'SMALL_FILES', tierDisplay: 'Small files', uploadMb: 1 },
  ),
)
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const file = { filename: 'A Book.pdf', size: 1000, contentType: 'application/pdf' }
const start = (body: unknown, who = person) => send(server, who.key, { method: 'POST', path: '/api/v1/upload', body })
const slotsOf = async ({ id }: Person) => (await server.running.opened.services.accounts.byId(id))?.slots

describe('start_upload', () => {
  test('reserves a book and a slot, and returns a URL that is valid for 15 minutes', async () => {
    const owner = await server.createPerson()
    const before = Date.now()
    const { status, body } = await start(file, owner)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['expiresAt', 'itemId', 'storageKey', 'uploadUrl'])
    expect(body.uploadUrl).toMatch(new RegExp(`^${server.baseUrl}/api/v1/upload/blob/[\\w-]+\\.[\\w-]+$`))
    const minutes = (new Date(body.expiresAt).getTime() - before) / 60_000
    expect(minutes).toBeGreaterThanOrEqual(15)
    expect(minutes).toBeLessThan(16)
    expect(await slotsOf(owner)).toBe(1)
    const item = await findListedItem(server, owner, body.itemId)
    expect(item).toMatchObject({ title: 'A Book', status: 'DRAFT', sourceType: 'pdf', pageCount: 0 })
  })

  test.for([
    ['report.PDF', 'application/pdf', 'report', 'pdf'],
    ['a_tale-of.two cities.epub', 'application/epub+zip', 'a tale-of.two cities', 'epub'],
    ['notes.md', 'text/markdown', 'notes', 'markdown'],
    ['notes.markdown', 'text/plain', 'notes', 'markdown'],
    ['  spaced.md  ', 'text/plain', 'spaced', 'markdown'],
    ['C:\\books\\moby-dick.epub', 'application/epub+zip', 'moby dick', 'epub'],
    ['日本語の本.pdf', 'application/pdf', '日本語の本', 'pdf'],
  ] as const)('takes %j as %s under the title %j', async ([filename, contentType, title, sourceType]) => {
    const owner = await server.createPerson()
    const { body } = await start({ filename, contentType, size: 1 }, owner)
    expect(await findListedItem(server, owner, body.itemId)).toMatchObject({ title, sourceType })
  })

  const required = /^filename, size and contentType are required$/
  test.for<[string, unknown, RegExp]>([
    ['an empty body', {}, required],
    ['no filename', { ...file, filename: undefined }, required],
    ['an empty filename', { ...file, filename: '' }, required],
    ['a filename that is not a string', { ...file, filename: 5 }, required],
    ['no size', { ...file, size: undefined }, required],
    ['a size that is null', { ...file, size: null }, required],
    ['a size in letters', { ...file, size: '1000' }, required],
    ['half a byte', { ...file, size: 0.5 }, required],
    ['no content type', { ...file, contentType: undefined }, required],
    ['a content type that is not a string', { ...file, contentType: ['application/pdf'] }, required],
    ['no bytes', { ...file, size: 0 }, /size must be a positive number/],
    ['a negative size', { ...file, size: -1 }, /size must be a positive number/],
    ['another kind of file', { ...file, filename: 'a.mp3' }, /only PDF, EPUB, Markdown, Word/i],
    ['a file without an extension', { ...file, filename: 'pdf' }, /only PDF, EPUB, Markdown, Word/i],
    ['a type that does not match the ending', { ...file, filename: 'a.epub' }, /invalid content type.*epub\+zip/i],
    ['plain text as PDF', { ...file, contentType: 'text/plain' }, /invalid content type/i],
    ['Markdown as PDF', { ...file, filename: 'a.md' }, /invalid content type.*text\/markdown or text\/plain/i],
    ['a type with parameters', { ...file, contentType: 'application/pdf; a=b' }, /invalid content type/i],
    ['only an extension', { ...file, filename: '.pdf' }, /visible character/],
    ['an invisible name', { ...file, filename: '\u200b\u2060.pdf' }, /visible character/],
    ['a name of blanks', { ...file, filename: ' \u00a0\u3000.pdf' }, /visible character/],
    ['a lone surrogate', { ...file, filename: '\ud800.pdf' }, /well-formed/],
    ['a very long name', { ...file, filename: `${'a'.repeat(1000)}.pdf` }, /filename must be at most 1000/],
    ['a body that is not JSON', 'filename=a.pdf', /Invalid JSON body/],
  ])('refuses %s without a code', async ([, body, says]) => {
    const before = await slotsOf(person)
    expectRefusal(await start(body), 'rest', { status: 400, message: says })
    expect(await slotsOf(person)).toBe(before)
  })

  test('accepts a file of exactly the size that the plan allows, and not a byte more', async () => {
    const owner = await server.createPerson({ plan: 'SMALL_FILES' })
    expect((await start({ ...file, size: megabyte }, owner)).status).toBe(200)
    const says = /larger than 1 MB, the limit of the Small files plan/
    expectRefusal(await start({ ...file, size: megabyte + 1 }, owner), 'rest', { status: 400, message: says })
    expectRefusal(await start({ ...file, size: 2 ** 52 }, owner), 'rest', { status: 400, message: says })
  })

  test("refuses a full library, with the plan's numbers", async () => {
    const owner = await server.createPerson({ plan: 'TINY' })
    await seedBooks(server, owner, { count: 3 })
    expectRefusal(await start(file, owner), 'rest', {
      status: 403,
      code: 'PLAN_LIMIT_EXCEEDED',
      message: /^Your library is full\. Upgrade to add more items\./,
      fields: { tier: 'TINY', itemCount: 3, itemLimit: 3, upgradeUrl: `${server.baseUrl}/plans` },
    })
  })

  test('a file that is too large is refused for its size, also when the library is full', async () => {
    const owner = await server.createPerson({ plan: 'TINY' })
    await seedBooks(server, owner, { count: 3 })
    expectRefusal(await start({ ...file, size: 26 * megabyte }, owner), 'rest', { status: 400, message: /25 MB/ })
  })

  test('of parallel calls for the last slot exactly one gets it', async () => {
    const owner = await server.createPerson({ plan: 'TINY' })
    await seedBooks(server, owner, { count: 2 })
    const answers = await Promise.all(Array.from({ length: 12 }, () => start(file, owner)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 403)])
    expect(await slotsOf(owner)).toBe(3)
  })

  test('deleting a reservation releases its slot and invalidates its URL', async () => {
    const owner = await server.createPerson()
    const { body } = await start({ ...file, size: 3 }, owner)
    await callOverRest(server, owner, 'delete_items', { ids: [body.itemId] })
    expect(await slotsOf(owner)).toBe(0)
    const headers = { 'Content-Type': 'application/pdf' }
    expect((await fetch(body.uploadUrl, { method: 'PUT', headers, body: 'abc' })).status).toBe(409)
  })

  test('needs a key, and one that may write', async () => {
    const request = { method: 'POST', path: '/api/v1/upload', body: file }
    expectRefusal(await send(server, null, request), 'rest', { status: 401, message: /Missing Authorization header/ })
    const reader = await server.createPerson({ scopes: ['library:read'] })
    const refusal = { status: 403, code: 'INSUFFICIENT_SCOPE', message: /library:write/ }
    expectRefusal(await start(file, reader), 'rest', refusal)
  })

  test('a retry with the same Idempotency-Key returns the same reservation, also if the first response was lost', async () => {
    const owner = await server.createPerson()
    const request = { method: 'POST', path: '/api/v1/upload', body: file, headers: { 'Idempotency-Key': 'once' } }
    const first = await send(server, owner.key, request)
    expect((await send(server, owner.key, request)).body).toEqual(first.body)
    const answers = server.running.opened.database.db.collection('idempotency')
    await answers.updateMany({}, { $set: { answer: null, aliveUntil: new Date(0) } })
    const again = await send(server, owner.key, request)
    expect(again.body.itemId).toBe(first.body.itemId)
    expect(await slotsOf(owner)).toBe(1)
    expect((await server.running.opened.services.uploads.byItem(owner.id, again.body.itemId))?.storageKey).toBe(
      again.body.storageKey,
    )
  })

  test('a hundred and twenty calls pass in a minute; the next one is RATE_LIMITED', async () => {
    const hasty = await server.createPerson()
    for (let n = 0; n < 120; n += 1) expect((await start({ ...file, size: 0 }, hasty)).status).toBe(400)
    const answer = await start(file, hasty)
    expectRefusal(answer, 'rest', { status: 429, code: 'RATE_LIMITED', message: /^Too many requests/ })
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  })
})
