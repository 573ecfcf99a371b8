import { beforeAll, describe, expect, test } from 'vitest'
import { makeBucket, s3, s3SkipReason } from '../files/open-stores.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const booksOf = async ({ account }: WebPerson) => {
  const found = []
  for await (const book of server.running.opened.services.books.allOwned(account.id)) found.push(book)
  return found
}

describe('the routes of the script', () => {
  const steps: [step: string, body: Record<string, unknown>][] = [
    ['check', { filename: 'a.md' }],
    ['start', { filename: 'a.md', size: 3, contentType: 'text/markdown' }],
    ['bytes?item=x', {}],
    ['confirm', { itemId: 'x', storageKey: 'incoming/x/x.md' }],
    ['cancel', { itemId: 'x' }],
  ]

  interface Sent {
    status: number
    body: { error?: { code: string; message: string } } & Record<string, unknown>
  }

  async function call(
    person: WebPerson,
    step: string,
    body: string,
    headers: Record<string, string> = {},
  ): Promise<Sent> {
    const own = { Cookie: `lectern=${person.browser.cookies.get('lectern')}`, Origin: server.baseUrl }
    const init = { method: 'POST', body, headers: { ...own, ...headers } }
    const response = await fetch(`${server.baseUrl}/add/${step}`, init)
    return { status: response.status, body: (await response.json()) as Sent['body'] }
  }

  async function tokenOf({ browser }: WebPerson): Promise<string> {
    return /data-csrf="([^"]+)"/.exec((await browser.get('/add')).text)?.[1] ?? ''
  }

  test.for(steps)('%s is refused without the token of the session, and from another site', async ([step, fields]) => {
    const person = await signedInPerson(server)
    const other = await signedInPerson(server)
    const body = JSON.stringify(fields)
    const token = await tokenOf(person)
    expect(await call(person, step, body)).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
    for (const headers of [
      { 'X-CSRF-Token': await tokenOf(other) },
      { 'X-CSRF-Token': token, Origin: 'https://evil.example' },
      { 'X-CSRF-Token': token, 'Sec-Fetch-Site': 'cross-site' },
    ] as Record<string, string>[])
      expect((await call(person, step, body, headers)).status).toBe(403)
    expect(await booksOf(person)).toEqual([])
  })

  async function start(person: WebPerson, size: number, [filename, contentType] = ['a.md', 'text/markdown']) {
    const token = await tokenOf(person)
    const declared = { filename, size, contentType }
    const { body } = await call(person, 'start', JSON.stringify(declared), { 'X-CSRF-Token': token })
    return { token, itemId: String(body['itemId']), storageKey: String(body['storageKey']) }
  }

  test.for<[string, string, number, RegExp]>([
    ['longer than declared', 'abcdef', 413, /larger than the declared 3 bytes/],
    ['shorter than declared', 'a', 400, /^The file has not arrived completely\. Send it again\.$/],
  ])('a file that is %s is refused', async ([, bytes, status, message]) => {
    const person = await signedInPerson(server)
    const { token, itemId, storageKey } = await start(person, 3)
    const headers = { 'X-CSRF-Token': token }
    const sent = await call(person, `bytes?item=${itemId}`, bytes, headers)
    const answer =
      sent.status === 200 ? await call(person, 'confirm', JSON.stringify({ itemId, storageKey }), headers) : sent
    expect(answer.status).toBe(status)
    expect(answer.body.error?.message).toMatch(message)
  })

  test('a file with another content than its name says is refused in words for people', async () => {
    const person = await signedInPerson(server)
    const { token, itemId, storageKey } = await start(person, 9, ['a.pdf', 'application/pdf'])
    const headers = { 'X-CSRF-Token': token }
    const confirm = () => call(person, 'confirm', JSON.stringify({ itemId, storageKey }), headers)
    expect((await confirm()).body.error?.message).toBe('The file has not arrived. Send it again.')
    expect((await call(person, `bytes?item=${itemId}`, 'not a pdf', headers)).status).toBe(200)
    expect((await confirm()).body.error?.message).toBe(
      'The file is not in PDF format, although its name says so. Check that it is the right file, and add it again.',
    )
  })

  test("another account's reservation can be neither filled, confirmed nor cancelled", async () => {
    const [ann, ben] = [await signedInPerson(server), await signedInPerson(server)]
    const { itemId, storageKey } = await start(ann, 3)
    const headers = { 'X-CSRF-Token': await tokenOf(ben) }
    expect((await call(ben, `bytes?item=${itemId}`, 'abc', headers)).status).toBe(404)
    expect((await call(ben, 'confirm', JSON.stringify({ itemId, storageKey }), headers)).status).toBe(404)
    await call(ben, 'cancel', JSON.stringify({ itemId }), headers)
    expect(await booksOf(ann)).toMatchObject([{ id: itemId, status: 'DRAFT' }])
    await call(ann, 'cancel', JSON.stringify({ itemId }), { 'X-CSRF-Token': await tokenOf(ann) })
    expect(await booksOf(ann)).toEqual([])
  })

  test("another account's book cannot be put on a shelf", async () => {
    const [ann, ben] = [await signedInPerson(server), await signedInPerson(server)]
    const { token, itemId, storageKey } = await start(ann, 3)
    await call(ann, `bytes?item=${itemId}`, 'abc', { 'X-CSRF-Token': token })
    await call(ann, 'confirm', JSON.stringify({ itemId, storageKey }), { 'X-CSRF-Token': token })
    const headers = { 'X-CSRF-Token': await tokenOf(ben) }
    await call(ben, 'shelve', JSON.stringify({ itemId, folders: ['Sea'] }), headers)
    expect(await server.running.opened.services.placements.list(ben.account.id)).toEqual([])
  })

  const noShelf = 'Added, but the shelf no longer exists.'
  const noName = 'Added, but not put on a shelf for its folder. The name of a shelf needs at least one letter or digit.'
  test.for<[string, object, string, string[]]>([
    ['the folder of a shelf in other case', { folders: ['PHYSICS'] }, '', ['Physics: 1']],
    ['a new folder in an old Unicode form', { folders: ['Cafe\u0301'] }, '', ['Café: 1', 'Physics: 0']],
    ['a folder with a name of symbols', { folders: ['📚'] }, noName, ['Physics: 0']],
    ['a shelf that is gone, and a folder', { shelf: 'gone', folders: ['Physics'] }, noShelf, ['Physics: 1']],
    ['neither', { shelf: 'gone', folders: ['📚'] }, `${noShelf} ${noName}`, ['Physics: 0']],
  ])('a file of %s is put where it can be, and the rest is said', async ([, places, remark, shelved]) => {
    const person = await signedInPerson(server)
    const { services } = server.running.opened
    await person.browser.submit('/shelves', '/shelves', { name: 'Physics' })
    const { token, itemId, storageKey } = await start(person, 3)
    const headers = { 'X-CSRF-Token': token }
    await call(person, `bytes?item=${itemId}`, 'abc', headers)
    const { body } = await call(person, 'confirm', JSON.stringify({ itemId, storageKey, ...places }), headers)
    expect(body['remark']).toBe(remark)
    const placed = await services.placements.list(person.account.id)
    const shelves = await services.shelves.list(person.account.id)
    const counted = shelves.map(({ id, name }) => `${name}: ${placed.filter(({ shelfId }) => shelfId === id).length}`)
    expect(counted.toSorted()).toEqual(shelved)
  })

  test('a late cancel does not remove a confirmed book', async () => {
    const person = await signedInPerson(server)
    const { token, itemId, storageKey } = await start(person, 3)
    const headers = { 'X-CSRF-Token': token }
    expect((await call(person, `bytes?item=${itemId}`, 'abc', headers)).status).toBe(200)
    expect((await call(person, `bytes?item=${itemId}`, 'abc', headers)).status).toBe(409)
    expect((await call(person, 'confirm', JSON.stringify({ itemId, storageKey }), headers)).status).toBe(200)
    await call(person, 'cancel', JSON.stringify({ itemId }), headers)
    expect(await booksOf(person)).toHaveLength(1)
  })
})

describe('on S3', () => {
  const bucket = s3?.bucket ?? ''
  const environment = {
    LECTERN_FILES: 's3',
    LECTERN_S3_BUCKET: bucket,
    LECTERN_S3_ENDPOINT: s3?.endpoint ?? '',
    LECTERN_S3_REGION: s3?.region ?? '',
    LECTERN_S3_ACCESS_KEY: s3?.accessKey ?? '',
    LECTERN_S3_SECRET_KEY: s3?.secretKey ?? '',
    LECTERN_S3_FORCE_PATH_STYLE: 'true',
  }
  if (!s3) {
    test('books go to the bucket', ({ skip }) => skip(s3SkipReason))
    return
  }
  const real = s3
  beforeAll(() => makeBucket(real))
  const onS3 = useTestServer({ LECTERN_ROLE: 'web', ...environment })

  test('books go to the bucket, by the form and by the script', async () => {
    const person = await signedInPerson(onS3)
    const { files } = onS3.running.opened.services
    const text = (await person.browser.get('/add')).text
    const headers = { Cookie: `lectern=${person.browser.cookies.get('lectern')}`, Origin: onS3.baseUrl }
    const form = new FormData()
    form.append('csrf', /data-csrf="([^"]+)"/.exec(text)?.[1] ?? '')
    form.append('files', new Blob(['# By form']), 'By form.md')
    const init = { method: 'POST', body: form, headers, redirect: 'manual' } as const
    expect((await fetch(`${onS3.baseUrl}/add`, init)).status).toBe(303)
    const post = async (step: string, body: string) => {
      const token = { 'X-CSRF-Token': /data-csrf="([^"]+)"/.exec(text)?.[1] ?? '' }
      const sent = { method: 'POST', body, headers: { ...headers, ...token } }
      const response = await fetch(`${onS3.baseUrl}/add/${step}`, sent)
      expect(response.status).toBe(200)
      return (await response.json()) as Record<string, string>
    }
    const declared = { filename: 'By script.md', size: 11, contentType: 'text/markdown' }
    const { itemId, storageKey } = await post('start', JSON.stringify(declared))
    await post(`bytes?item=${itemId}`, '# By script')
    await post('confirm', JSON.stringify({ itemId, storageKey }))
    const found = []
    for await (const book of onS3.running.opened.services.books.allOwned(person.account.id)) found.push(book)
    expect(found.map(({ title, status }) => [title, status]).toSorted()).toEqual([
      ['By form', 'PROCESSING'],
      ['By script', 'PROCESSING'],
    ])
    for (const { original } of found) {
      const bytes = Buffer.from(await files.peek(original?.storageKey ?? '', 100)).toString()
      expect(bytes).toBe(original?.filename === 'By form.md' ? '# By form' : '# By script')
    }
  })
})
