import { describe, expect, onTestFinished, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { newId } from '../../src/core/ids.ts'
import type { ExtractionErrorCode } from '../../src/imports/extract/extraction-error.ts'
import { createManualWorker, uploadScript } from '../support/manual-worker.ts'
import type { Script } from '../support/scripted-format.ts'
import type { Person } from '../support/server.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { addFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

interface Reader extends WebPerson {
  /** The same person as a caller with a key. */
  person: Person
}

async function reader(): Promise<Reader> {
  const signedIn = await signedInPerson(server)
  const { id, email } = signedIn.account
  const { key } = await createApiKey(server.running.opened.services, id, {})
  return { ...signedIn, person: { id, email, key } }
}

const refusing = (code: string): Script => ({ steps: [{ do: 'refuse', code: code as never }] })

describe('the imports', () => {
  test('an empty page says what to do next', async () => {
    const { browser } = await reader()
    const { text } = await browser.get('/imports')
    expect(text).toContain('Nothing is being imported')
    expect(text).toMatch(/<a class="button" href="\/add">.*Add books<\/a>/)
  })

  test('the page to add books leads there', async () => {
    const { browser } = await reader()
    expect((await browser.get('/add')).text).toMatch(/<a class="button quiet" href="\/imports">.*Imports<\/a>/)
  })

  test('waiting files are listed in queue order, with their position', async () => {
    const { browser, person } = await reader()
    const long = Buffer.from(`# Long\n\n${'words '.repeat(2000)}`)
    await addFile(server, person, { filename: 'Long.md', bytes: long })
    await addFile(server, person, { filename: 'Short.md', bytes: Buffer.from('# Short') })
    const { text } = await browser.get('/imports')
    expect(text).toContain('Being imported (2)')
    expect(text.indexOf('>Short<')).toBeLessThan(text.indexOf('>Long<'))
    expect(text).toContain('Waiting to be read')
    expect(text).toContain('Waiting: 1 of your files is ahead of it')
    expect(text).toMatch(/<progress[^>]*max="1"[^>]*value="0"[^>]*aria-label="Import of Long"/)
  })

  test('a book with the file of another one says which, and how to keep both', async () => {
    const { browser, person } = await reader()
    const worker = createManualWorker(server)
    const script: Script = { pageCount: 1, steps: [{ do: 'pages', count: 1 }] }
    const bytes = Buffer.from(JSON.stringify(script))
    const first = await addFile(server, person, { filename: 'The "first" one.md', bytes })
    await worker.run(first.jobId)
    const { jobId, itemId } = await addFile(server, person, { filename: 'Second.md', bytes })
    await worker.run(jobId)
    const advice = '“The &quot;first&quot; one” in your library is the same file. Delete one of the two books'
    expect((await browser.get('/imports')).text).toContain(advice)
    const book = (await browser.get(`/books/${itemId}`)).text
    expect(book).toContain(advice)
    expect(book).not.toContain('may be wrong')
  })

  test('a running import shows its page and the total, in words and as a bar', async () => {
    const { browser, person } = await reader()
    const worker = createManualWorker(server)
    const script: Script = { pageCount: 1200, steps: [{ do: 'pages', count: 600 }, { do: 'wait for ever' }] }
    const { jobId } = await uploadScript(server, person, script)
    const running = worker.run(jobId)
    await expect
      .poll(async () => (await browser.get('/imports')).text, { timeout: 10_000 })
      .toMatch(
        /<span class="import-label">Page [1-9]\d* of 1,200<\/span>\s*<progress[^>]*max="1200"[^>]*value="[1-9]\d*"/,
      )
    await browser.submit('/imports', '/imports/cancel', {})
    await running
    const { text } = await browser.get('/imports?done=cancel')
    expect(text).toMatch(/role="status">The import is cancelled/)
    expect(text).toMatch(/data-status="CANCELLED"/)
    expect(text).not.toContain('<progress')
  })

  test.for<[ExtractionErrorCode, RegExp, boolean]>([
    ['ENCRYPTED', /protected by a password[^]*<input[^>]*name="password"\s+type="password"\s+autocomplete="off"/, true],
    ['WRONG_PASSWORD', /Enter the correct password[^]*name="password"/, true],
    ['TOO_DEEP', /nested too deeply/, false],
    ['DRM', /copy-protected/, false],
    ['BROKEN', /damaged/, false],
    ['UNREAD_OFFICE', /presentation, spreadsheet or drawing[^]*as PDF/, false],
    ['EMPTY', /has no pages/, false],
    ['TOO_LARGE', /Split the file/, false],
  ])('%s is explained in plain words with the next step', async ([code, words, canRetry]) => {
    const { browser, person } = await reader()
    const { jobId, itemId } = await uploadScript(server, person, refusing(code))
    await createManualWorker(server).run(jobId)
    const { text } = await browser.get('/imports')
    expect(text).toMatch(words)
    expect(text.includes('action="/imports/retry"')).toBe(canRetry)
    expect(text).toContain('href="/add"')
    expect(text).not.toContain(`href="/books/${itemId}"`)
  })

  test('an import that failed through no fault of the file is retried, and is ready with a link', async () => {
    const { browser, person } = await reader()
    const { jobId, itemId } = await uploadScript(server, person, { steps: [{ do: 'pages', count: 1 }] })
    const worker = createManualWorker(server)
    const { jobs } = worker.services
    await browser.submit('/imports', '/imports/cancel', { job: jobId })
    const answer = await browser.submit('/imports', '/imports/retry', {})
    expect(answer).toMatchObject({ status: 303, location: '/imports?done=retry' })
    const [again] = await jobs.listActive(person.id)
    expect(again).toMatchObject({ itemId, type: 'reprocess' })
    expect((await browser.get('/imports')).text).toContain('Being imported (1)')
    await worker.run(again?.id ?? '')
    const { text } = await browser.get('/imports')
    expect(text).toContain(`href="/books/${itemId}"`)
    // The page shows only the last import of a book.
    expect(text.match(/data-job-id=/g)).toHaveLength(1)
    expect(text).toMatch(new RegExp(`data-job-id="${again?.id}" data-status="SUCCEEDED"`))
  })

  test('an unusable file is deleted with its book', async () => {
    const { browser, person } = await reader()
    const { jobId, itemId } = await uploadScript(server, person, refusing('BROKEN'))
    const worker = createManualWorker(server)
    await worker.run(jobId)
    expect((await browser.submit('/imports', '/imports/delete', {})).location).toBe('/imports?done=delete')
    expect((await browser.get('/imports')).text).toContain('Nothing is being imported')
    expect((await browser.get(`/books/${itemId}`)).status).toBe(404)
  })

  test('a stuck import says so, and what to do', async () => {
    const { browser, person } = await reader()
    const { itemId } = await uploadScript(server, person, {})
    const { books } = server.running.opened.services
    const healthReason = 'The import has reported no progress for 15 minutes.'
    await books.change(person.id, itemId, { set: { health: 'stuck', healthReason } })
    expect((await browser.get('/imports')).text).toMatch(
      /no progress for 15 minutes\. If it does not go on, tell the administrator of this server, or cancel it and try\s+again/,
    )
    expect((await browser.get(`/books/${itemId}`)).text).toContain('The import is taking longer than it should.')
  })

  test('failed imports are listed before finished ones, however many files were read since', async () => {
    const { browser, person } = await reader()
    const worker = createManualWorker(server)
    const { jobs } = worker.services
    const failed = await uploadScript(server, person, refusing('BROKEN'), 'Broken.md')
    await worker.run(failed.jobId)
    const ready = await uploadScript(server, person, { steps: [{ do: 'pages', count: 1 }] }, 'Fine.md')
    await worker.run(ready.jobId)
    const like = await jobs.byId(person.id, ready.jobId)
    if (!like) throw new Error('The job is missing')
    for (let count = 0; count < 100; count += 1) await jobs.add({ ...like, id: newId() })
    const { text } = await browser.get('/imports')
    expect(text).toMatch(
      new RegExp(`Not imported \\(1\\)[^]*data-job-id="${failed.jobId}"[^]*Finished in the last two weeks[^]*>Fine<`),
    )
    expect(text.match(/data-job-id=/g)).toHaveLength(2)
  })

  test("another account's import is neither shown nor changed", async () => {
    const [ann, ben] = [await reader(), await reader()]
    const { jobId } = await uploadScript(server, ann.person, {})
    await uploadScript(server, ben.person, {})
    expect((await ben.browser.get('/imports')).text).not.toContain(jobId)
    const answer = await ben.browser.submit('/imports', '/imports/cancel', { job: jobId })
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('role="alert"')
    expect(await server.running.opened.services.jobs.byId(ann.account.id, jobId)).toMatchObject({ status: 'PENDING' })
  })
})

describe('the events of imports', () => {
  test('report the progress in the words of the page, and end with the session', { timeout: 20_000 }, async () => {
    const { browser, person, account } = await reader()
    const { jobId } = await uploadScript(server, person, {})
    const stop = new AbortController()
    const headers = { Cookie: `lectern=${browser.cookies.get('lectern')}` }
    const response = await fetch(`${server.baseUrl}/imports/events`, { headers, signal: stop.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    let received = ''
    const reading = (async () => {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) received += chunk
    })()
    await expect.poll(() => received).toMatch(/event: import\nid: [^\n]+\ndata: \{/)
    expect(received).toContain(`"id":"${jobId}"`)
    expect(received).toContain('"label":"Waiting to be read"')
    await browser.submit('/imports', '/imports/cancel', { job: jobId })
    await expect.poll(() => received, { timeout: 5000 }).toContain('"label":"Cancelled"')
    await server.running.opened.services.webSessions.endAll(account.id)
    await reading
    stop.abort()
  })

  test('report the title found in the file', { timeout: 60_000 }, async () => {
    const { browser, person } = await reader()
    const script: Script = { info: { title: 'The Springs' }, steps: [{ do: 'pages', count: 1 }] }
    const { jobId } = await uploadScript(server, person, script)
    await createManualWorker(server).run(jobId)
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const headers = { Cookie: `lectern=${browser.cookies.get('lectern')}` }
    const { body } = await fetch(`${server.baseUrl}/imports/events`, { headers, signal: stop.signal })
    let received = ''
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      received += chunk
      if (received.includes('"Ready"')) break
    }
    expect(received).toContain('"title":"The Springs"')
  })

  test('are limited to ten streams per account, including those with a key', { timeout: 20_000 }, async () => {
    const { browser, person } = await reader()
    const stop = new AbortController()
    const headers = { Cookie: `lectern=${browser.cookies.get('lectern')}` }
    const open = (path: string, init: Record<string, string>) =>
      fetch(server.baseUrl + path, { headers: init, signal: stop.signal })
    for (let count = 0; count < 10; count += 1) {
      const withKey = count % 2 === 0
      const response = withKey
        ? await open('/api/v1/jobs/events', { Authorization: `Bearer ${person.key}` })
        : await open('/imports/events', headers)
      expect(response.status).toBe(200)
    }
    const refused = await open('/imports/events', headers)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('15')
    expect(await refused.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } })
    stop.abort()
  })
})
