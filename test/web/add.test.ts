import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileExtensions } from '../../src/books/file-formats.ts'
import { conversions } from '../../src/books/unread-formats.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { dripBytes } from '../support/slow-client.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, type PageAnswer } from '../support/web-client.ts'

const bodyTimes = { anonymous: 600, caller: 1500, upload: 60_000 }
const plans = await plansEnvironment(
  { tier: 'TINY', tierDisplay: 'Tiny', itemLimit: 2, uploadMb: 1, storageMb: null },
  { tier: 'CRAMPED', tierDisplay: 'Cramped', itemLimit: 20, uploadMb: 1, storageMb: 1 },
)
const directory = await mkdtemp(join(tmpdir(), 'lectern-add-'))
// Hooks run in reverse order after the tests, so this one runs when the server has stopped.
afterAll(() => rm(directory, { recursive: true, force: true }))
const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_DATA_DIR: directory, ...plans }, { bodyTimes })

interface FormFile {
  name: string
  bytes: Uint8Array | string
}

const pdf = (text: string) => `%PDF-1.7\n${text}`

/** Sends the form of /add like a browser without scripts, with its hidden fields. */
async function sendFiles(
  { browser }: Pick<WebPerson, 'browser'>,
  files: readonly FormFile[],
  fields: Record<string, string> = {},
): Promise<PageAnswer> {
  const { text } = await browser.get('/add')
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...hiddenFields(text, '/add'), ...fields })) form.append(name, value)
  for (const { name, bytes } of files) form.append('files', new Blob([Buffer.from(bytes as string)]), name)
  const { type, body } = await encode(form)
  return post({ browser }, body, type)
}

async function encode(form: FormData): Promise<{ type: string; body: Buffer }> {
  const encoded = new Response(form)
  return { type: encoded.headers.get('content-type') ?? '', body: Buffer.from(await encoded.arrayBuffer()) }
}

async function post({ browser }: Pick<WebPerson, 'browser'>, body: Buffer, type: string): Promise<PageAnswer> {
  const headers = { 'Content-Type': type, Origin: server.baseUrl, Cookie: cookieOf({ browser }) }
  const init = { method: 'POST', headers, body: new Uint8Array(body), redirect: 'manual' } as const
  const response = await fetch(`${server.baseUrl}/add`, init)
  const location = response.headers.get('location')
  return { status: response.status, text: await response.text(), headers: response.headers, location, setCookies: [] }
}

const cookieOf = ({ browser }: Pick<WebPerson, 'browser'>) => `lectern=${browser.cookies.get('lectern')}`

const booksOf = async ({ account }: Pick<WebPerson, 'account'>, on: Pick<TestServer, 'running'> = server) => {
  const found = []
  for await (const book of on.running.opened.services.books.allOwned(account.id)) found.push(book)
  return found
}

const temporaryFiles = () => readdir(join(directory, 'files', '.tmp'))

describe('the form to add books', () => {
  let tiny: WebPerson
  beforeAll(async () => {
    tiny = await signedInPerson(server, { plan: 'TINY' })
  })

  test('it shows beforehand what can be added, how large, and how many', async () => {
    const { text } = await tiny.browser.get('/add')
    expect(text).toContain('You can still add 2 books. Each file can have up to 1 MB.')
    expect(text).toMatch(/PDF, EPUB, Markdown, Word/)
    expect(text).toMatch(/<form method="post" action="\/add" enctype="multipart\/form-data"/)
    // The token comes before the files, so that the server knows it before their first byte.
    expect(text.indexOf('name="csrf"', text.indexOf('action="/add"'))).toBeLessThan(text.indexOf('type="file"'))
    const cramped = await signedInPerson(server, { plan: 'CRAMPED' })
    expect((await cramped.browser.get('/add')).text).toContain('You can still add 20 books, 1 MB in all.')
  })

  test('several files are added at once, with names in any script, and are imported', async () => {
    const person = await signedInPerson(server)
    const answer = await sendFiles(person, [
      { name: 'Die Würde.md', bytes: '# One' },
      { name: '吾輩は猫である.pdf', bytes: pdf('two') },
      { name: 'folder\\Third.epub', bytes: 'PK\u0003\u0004 three' },
    ])
    expect(answer).toMatchObject({ status: 303, location: '/imports?added=3' })
    const books = await booksOf(person)
    expect(books.map(({ title, status, sourceType }) => [title, status, sourceType]).toSorted()).toEqual([
      ['Die Würde', 'PROCESSING', 'markdown'],
      ['Third', 'PROCESSING', 'epub'],
      ['吾輩は猫である', 'PROCESSING', 'pdf'],
    ])
    const markdown = books.find(({ sourceType }) => sourceType === 'markdown')
    const sha256 = createHash('sha256').update('# One').digest('hex')
    expect(markdown?.original).toMatchObject({ bytes: 5, sha256, filename: 'Die Würde.md' })
    const { text } = await person.browser.get('/imports?added=3')
    expect(text).toContain('3 files were added and are being read.')
    expect(text).toContain('Being imported (3)')
    expect(await temporaryFiles()).toEqual([])
  })

  test.for<[string, FormFile, RegExp]>([
    ['another type', { name: 'Song.mp3', bytes: 'x' }, /Only PDF, EPUB, Markdown, Word/],
    ['a file that is not what its name says', { name: 'Photo.pdf', bytes: 'GIF89a' }, /The file is not in PDF format/],
    ['an older Word file', { name: 'Letter.doc', bytes: 'x' }, /Save it as \.docx or PDF, then add that copy/],
    ['an empty file', { name: 'Nothing.md', bytes: '' }, /The file is empty/],
    ['a file over the limit', { name: 'Big.md', bytes: 'x'.repeat(1024 * 1024 + 1) }, /larger than 1 MB, the limit/],
  ])('%s is refused with the reason, and the others in the form are added', async ([, file, reason]) => {
    const person = await signedInPerson(server, { plan: 'TINY' })
    const good = { name: 'Good.md', bytes: '# Good' }
    const answer = await sendFiles(person, [file, good])
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('1 of 2 files are added')
    expect(answer.text).toMatch(reason)
    expect(answer.text).toMatch(/<title>Error: /)
    expect(answer.text).toContain('href="/imports"')
    expect((await booksOf(person)).map(({ title }) => title)).toEqual(['Good'])
    expect(await temporaryFiles()).toEqual([])
  })

  test('the script knows the same formats as the server', async () => {
    const script = (await import(new URL('../../src/web/scripts/file-types.js', import.meta.url).href)) as {
      fileTypes: Record<string, string>
      conversions: Record<string, string>
    }
    expect(Object.keys(script.fileTypes).toSorted()).toEqual(fileExtensions.toSorted())
    expect(script.conversions).toEqual(conversions)
  })

  test('a file of exactly the limit is added', async () => {
    const person = await signedInPerson(server, { plan: 'TINY' })
    expect((await sendFiles(person, [{ name: 'Full.md', bytes: 'x'.repeat(1024 * 1024) }])).status).toBe(303)
  })

  test('a book that exists already is reported with a link, and added on request', async () => {
    const person = await signedInPerson(server)
    const file = { name: 'Once.md', bytes: '# The same' }
    await sendFiles(person, [file])
    const [first] = await booksOf(person)
    const answer = await sendFiles(person, [{ ...file, name: 'Renamed.md' }])
    expect(answer.text).toContain('No file was added')
    expect(answer.text).toMatch(
      new RegExp(`you already have this book\\.\\s+<a href="/books/${first?.id}"[^>]*>Open “Once”`),
    )
    expect(await booksOf(person)).toHaveLength(1)
    expect((await sendFiles(person, [file], { again: 'on' })).location).toBe('/imports?added=1')
    expect(await booksOf(person)).toHaveLength(2)
    const stranger = await signedInPerson(server)
    expect((await sendFiles(stranger, [file])).location).toBe('/imports?added=1')
  })

  test('a book that exists already is put on the chosen shelf', async () => {
    const person = await signedInPerson(server)
    const shelf = (await makeShelf(person, 'Course'))[0]?.id ?? ''
    const file = { name: 'Once.md', bytes: '# The same' }
    await sendFiles(person, [file])
    const [book] = await booksOf(person)
    const answer = await sendFiles(person, [file], { shelf })
    expect(answer.text).toMatch(/Not added: you already have this book\. It is on the shelf “Course” now\./)
    const { placements } = server.running.opened.services
    expect(await placements.list(person.account.id)).toMatchObject([{ itemId: book?.id, shelfId: shelf }])
    expect((await sendFiles(person, [file], { shelf: 'gone' })).text).toContain(
      'The shelf that you chose no longer exists.',
    )
    expect((await sendFiles(person, [file])).text).not.toMatch(/shelf “|no longer exists/)
  })

  test('the same file twice in one form becomes one book', async () => {
    const person = await signedInPerson(server)
    const answer = await sendFiles(person, [
      { name: 'A.md', bytes: '# Twin' },
      { name: 'B.md', bytes: '# Twin' },
    ])
    expect(answer.text).toContain('1 of 2 files are added')
    expect(await booksOf(person)).toHaveLength(1)
  })

  test('files beyond a full library are refused with the remedy, and the form is hidden', async () => {
    const person = await signedInPerson(server, { plan: 'TINY' })
    const files = ['A', 'B', 'C'].map((name) => ({ name: `${name}.md`, bytes: `# ${name}` }))
    const answer = await sendFiles(person, files)
    expect(answer.text).toContain('2 of 3 files are added')
    expect(answer.text).toMatch(/C\.md[\s\S]*Your library is full: it has 2 of 2 books\.[\s\S]*href="\/plans"/)
    const { text } = await person.browser.get('/add')
    expect(text).toContain('Your library is full: it has 2 of 2 books.')
    expect(text).not.toContain('type="file"')
    expect(await temporaryFiles()).toEqual([])
  })

  test('files beyond the storage are refused, and leave no reserved book', async () => {
    const person = await signedInPerson(server, { plan: 'CRAMPED' })
    await sendFiles(person, [{ name: 'Half.md', bytes: 'x'.repeat(600_000) }])
    const answer = await sendFiles(person, [{ name: 'Other.md', bytes: 'y'.repeat(600_000) }])
    expect(answer.text).toMatch(/The file does not fit into your storage of 1 MB\./)
    expect(await booksOf(person)).toHaveLength(1)
  })

  test('books are put on the chosen shelf', async () => {
    const person = await signedInPerson(server)
    const { services } = server.running.opened
    const [shelf] = await makeShelf(person, 'To read')
    const { text } = await person.browser.get('/add')
    expect(text).toMatch(/<option value="[^"]+" dir="auto"[^>]*>To read<\/option>/)
    const added = await sendFiles(person, [{ name: 'Shelved.md', bytes: '# S' }], { shelf: shelf?.id ?? '' })
    expect(added.location).toBe('/imports?added=1')
    const [book] = await booksOf(person)
    expect(await services.placements.list(person.account.id, { itemIds: [book?.id ?? ''] })).toMatchObject([
      { shelfId: shelf?.id },
    ])
    const gone = await sendFiles(person, [{ name: 'Other.md', bytes: '# O' }], { shelf: 'gone' })
    expect(gone.text).toContain('because that shelf no longer exists.')
  })

  test('a form without a file asks for one', async () => {
    const answer = await sendFiles(tiny, [])
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Choose at least one file.')
    expect((await sendFiles(tiny, [{ name: '', bytes: '' }])).text).toContain('Choose at least one file.')
  })

  async function makeShelf({ account }: WebPerson, name: string) {
    const { key } = await keyOf(account.id)
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name })
    await fetch(`${server.baseUrl}/api/v1/shelves`, { method: 'POST', headers, body })
    return server.running.opened.services.shelves.list(account.id)
  }
})

async function keyOf(accountId: string) {
  const { createApiKey } = await import('../../src/accounts/create-api-key.ts')
  return createApiKey(server.running.opened.services, accountId, {})
}

describe('a form with files that is forged, broken or slow', () => {
  test.for<[string, (person: WebPerson) => Promise<string>]>([
    ['without a token', async () => ''],
    ['with an invented token', async () => 'x'.repeat(43)],
    [
      'with the token of another session',
      async () => hiddenFields((await (await signedInPerson(server)).browser.get('/add')).text, '/add')['csrf'] ?? '',
    ],
  ])('%s: nothing is stored', async ([, token]) => {
    const person = await signedInPerson(server)
    const files = ['A', 'B', 'C'].map((name) => ({ name: `${name}.md`, bytes: `# ${name}` }))
    const answer = await sendFiles(person, files, { csrf: await token(person) })
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('This form has expired')
    expect(await booksOf(person)).toEqual([])
  })

  test('with the token after the files: refused before a byte of them is stored', async () => {
    const person = await signedInPerson(server)
    const { csrf = '' } = hiddenFields((await person.browser.get('/add')).text, '/add')
    const form = new FormData()
    form.append('files', new Blob(['# F']), 'Forged.md')
    form.append('csrf', csrf)
    const { type, body } = await encode(form)
    expect((await post(person, body, type)).status).toBe(403)
    expect(await booksOf(person)).toEqual([])
  })

  test.for([
    ['urlencoded', 'application/x-www-form-urlencoded', 415],
    ['without a boundary', 'multipart/form-data', 415],
    ['without parts', 'multipart/form-data; boundary=x', 400],
  ] as const)('%s: refused with the next step', async ([, type, status]) => {
    const person = await signedInPerson(server)
    const answer = await post(person, Buffer.from('nonsense'), type)
    expect(answer.status).toBe(status)
    expect(answer.text).toContain('role="alert"')
  })

  test('truncated within a file: the file is refused, and nothing is left of it', async () => {
    const person = await signedInPerson(server)
    const { csrf = '' } = hiddenFields((await person.browser.get('/add')).text, '/add')
    const form = new FormData()
    form.append('csrf', csrf)
    form.append('files', new Blob(['# Whole']), 'Whole.md')
    form.append('files', new Blob(['# Cut'.repeat(1000)]), 'Cut.md')
    const { type, body } = await encode(form)
    const answer = await post(person, body.subarray(0, body.length - 2000), type)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('did not arrive whole')
    expect(answer.text).toMatch(/Whole\.md/)
    expect((await booksOf(person)).map(({ title }) => title)).toEqual(['Whole'])
    expect(await temporaryFiles()).toEqual([])
  })

  test('a client that disconnects leaves no book and no file', { timeout: 20_000 }, async () => {
    const person = await signedInPerson(server)
    const { sending, head } = await openForm(person, 'Gone.md')
    sending.write(head)
    sending.write('x'.repeat(100_000))
    await expect.poll(temporaryFiles, { timeout: 5000 }).toHaveLength(1)
    sending.destroy()
    await expect.poll(temporaryFiles, { timeout: 5000 }).toEqual([])
    expect(await booksOf(person)).toEqual([])
  })

  test('forms of 26 people that do not end keep nobody else from sending one', { timeout: 60_000 }, async () => {
    const people = await Promise.all(Array.from({ length: 26 }, () => signedInPerson(server)))
    const held = await Promise.all([...people, ...people].map((person) => openForm(person, 'Endless.md')))
    for (const { sending, head } of held) sending.write(head)
    for (const { sending } of held) sending.write('x'.repeat(100_000))
    await expect.poll(async () => (await temporaryFiles()).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(50)
    const answer = await sendFiles(await signedInPerson(server), [{ name: 'Mine.md', bytes: '# Mine' }])
    expect(answer.status).toBe(303)
    for (const { sending } of held) sending.destroy()
    await expect.poll(temporaryFiles, { timeout: 10_000 }).toEqual([])
  })

  test('an honest slow form may take longer than other bodies', { timeout: 20_000 }, async () => {
    const person = await signedInPerson(server)
    const { sending, head, tail, answered } = await openForm(person, 'Slow.md')
    sending.write(head)
    for (let count = 0; count < 30; count += 1) {
      sending.write(`line ${count}\n`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    sending.end(tail)
    expect(await answered).toBe(303)
    expect((await booksOf(person)).map(({ original }) => original?.bytes)).toEqual([7 * 10 + 8 * 20])
  })

  test('a form that trickles before its token is aborted like other bodies', { timeout: 20_000 }, async () => {
    const person = await signedInPerson(server)
    const head = `POST /add HTTP/1.1\r\nHost: x\r\nCookie: ${cookieOf(person)}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n`
    const { ms, answer } = await dripBytes(server, head, 50).ended
    expect(ms).toBeLessThan(bodyTimes.caller + 3000)
    expect(answer).toMatch(/^HTTP\/1\.1 408/)
  })

  async function openForm(person: WebPerson, filename: string) {
    const { csrf = '' } = hiddenFields((await person.browser.get('/add')).text, '/add')
    const part = (disposition: string) => `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
    const head = `${part('name="csrf"')}${csrf}\r\n${part(`name="files"; filename="${filename}"`)}`
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b', Cookie: cookieOf(person) }
    const sending = httpRequest(`${server.baseUrl}/add`, { method: 'POST', headers })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sending.on('response', (response) => resolve(response.resume().statusCode))
      sending.on('error', reject)
    })
    answered.catch(() => {})
    return { sending, head, tail: '\r\n--b--\r\n', answered }
  }
})

describe('a large file', () => {
  test('is never held in memory', { timeout: 120_000 }, async () => {
    const large = await startTestServer({ LECTERN_ROLE: 'web' })
    try {
      const person = await signedInPerson(large)
      const { csrf = '' } = hiddenFields((await person.browser.get('/add')).text, '/add')
      const part = (disposition: string) => `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b', Cookie: cookieOf(person) }
      const sending = httpRequest(`${large.baseUrl}/add`, { method: 'POST', headers })
      const answered = new Promise<number | undefined>((resolve, reject) => {
        sending.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
      })
      sending.write(`${part('name="csrf"')}${csrf}\r\n${part('name="files"; filename="Large.pdf"')}%PDF-1.7\n`)
      const chunk = Buffer.alloc(1024 * 1024, 'x')
      const before = process.memoryUsage().rss
      let most = 0
      for (let count = 0; count < 300; count += 1) {
        if (!sending.write(chunk)) await new Promise((resolve) => sending.once('drain', resolve))
        most = Math.max(most, process.memoryUsage().rss - before)
      }
      sending.end('\r\n--b--\r\n')
      expect(await answered).toBe(303)
      expect((await booksOf(person, large)).map(({ original }) => original?.bytes)).toEqual([300 * 1024 * 1024 + 9])
      // The memory of the client and the server, which run in this process.
      expect(most).toBeLessThan(150 * 1024 * 1024)
    } finally {
      await large.close()
    }
  })
})
