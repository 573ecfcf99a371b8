import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backUpIfDue } from '../../src/backup/scheduled.ts'
import { createLog } from '../../src/app/log.ts'
import { makeBook } from '../support/make-book.ts'
import { runLectern } from '../support/run-lectern.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { startTestServer, testDatabaseEnvironment, type TestServer } from '../support/server.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { webClient } from '../support/web-client.ts'

let directory: string
let server: TestServer
let smtp: SmtpServer
let admin: WebPerson
let environment: Record<string, string>

beforeAll(async () => {
  smtp = await startSmtpServer()
  directory = await mkdtemp(join(tmpdir(), 'lectern-health-'))
  const data = join(directory, 'data')
  // Without workers, so that nothing takes imports or makes backups.
  environment = { LECTERN_DATA_DIR: data, ...testDatabaseEnvironment(data) }
  server = await startTestServer({ ...environment, LECTERN_ROLE: 'web', LECTERN_SMTP_URL: smtp.url })
  admin = await signedInPerson(server, { admin: true })
})
afterAll(async () => {
  await server?.close()
  await smtp?.close()
  await rm(directory, { recursive: true, force: true })
})

/** The parts on the page, each as the text of its row. */
async function parts(): Promise<{ text: string; lead: string; rows: Map<string, string> }> {
  const { status, text } = await admin.browser.get('/admin/server')
  expect(status).toBe(200)
  const plain = (html: string) =>
    html
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
  const rows = [...text.matchAll(/<li [^>]*>\s*<svg class="icon"[\s\S]*?<strong>([^<]*)<\/strong>([\s\S]*?)<\/li>/g)]
  const lead = plain(/<p class="lead">([\s\S]*?)<\/p>/.exec(text)?.[1] ?? '')
  return { text, lead, rows: new Map(rows.map(([, title = '', row = '']) => [title, plain(row)])) }
}

/** Makes a scheduled backup into a folder, as a worker would do it. */
function backUp(to: string, at: Date): Promise<void> {
  const { services, database, secret } = server.running.opened
  const library = {
    database,
    files: services.files,
    secret,
    url: undefined,
    directory: environment['LECTERN_DATA_DIR'] ?? '',
  }
  const plan = { to, everyHours: 24, keep: 2 }
  const [log, { signal }] = [createLog('silent'), new AbortController()]
  return backUpIfDue({ plan, library, withSecret: true, now: () => at, log, leaseMs: 30_000, signal })
}

describe('the page about the server', () => {
  test('shows administrators every part, and what can be improved', async () => {
    const { lead, rows, text } = await parts()
    expect(lead).toBe('All parts of this server work.')
    expect([...rows.keys()]).toEqual(['Database', 'Files', 'Disk space', 'Backups', 'Imports', 'Search index', 'Mail'])
    expect(rows.get('Database')).toMatch(/^The database answers in \d+ ms\.$/)
    expect(rows.get('Disk space')).toMatch(/^[\d.,]+ [MGT]B of [\d.,]+ [GT]B are free in the data directory\.$/)
    expect(rows.get('Backups')).toMatch(/makes no backups by itself\. Set LECTERN_BACKUP_TO/)
    expect(rows.get('Imports')).toBe('No import waits or runs.')
    expect(rows.get('Mail')).toBe('Mail is sent. No mail waits.')
    expect(text).toMatch(/running since\s+<time/)
    expect((await admin.browser.get('/')).text).not.toContain('/admin/server">See')
  })

  test('does not exist for others', async () => {
    const { browser } = await signedInPerson(server)
    const [there, absent] = [await browser.get('/admin/server'), await browser.get('/admin/nothing')]
    expect([there.status, absent.status]).toEqual([404, 404])
    expect((await browser.get('/')).text).not.toContain('/admin/server')
    expect((await webClient(server).get('/admin/server')).location).toContain('/sign-in')
  })

  test('says that nothing takes imports, and the library of administrators says it too', async () => {
    const { services } = server.running.opened
    const other = await signedInPerson(server)
    const itemId = await makeBook(server, other.account)
    const createdAt = new Date(services.now().getTime() - 3 * 60 * 60_000)
    const id = services.now().getTime().toString()
    const place = {
      id,
      itemId,
      accountId: other.account.id,
      type: 'import',
      lane: 'layout',
      bytes: 1,
      retry: 0,
    } as const
    const state = { status: 'PENDING', progress: 0, stage: 'queued', error: null, errorCode: null } as const
    const claim = { attempts: 0, fence: null, leaseUntil: null, createdAt, updatedAt: createdAt }
    await services.jobs.add({ ...place, ...state, ...claim })
    const stuck = await parts()
    expect(stuck.lead).toBe('One part of this server needs your attention.')
    expect([...stuck.rows.keys()][0]).toBe('Imports')
    expect(stuck.rows.get('Imports')).toMatch(
      /^Needs attention 1 import waits, the oldest for 3 hours\. 0 imports run\. Imports need a process with the role/,
    )
    const library = await admin.browser.get('/')
    expect(library.text).toMatch(/The server needs your attention: imports\./)
    expect((await other.browser.get('/')).text).not.toContain('needs your attention')
    await services.jobs.end(id, { status: 'CANCELLED', error: null, errorCode: null, updatedAt: createdAt })
    expect((await parts()).lead).toBe('All parts of this server work.')
    expect((await admin.browser.get('/')).text).not.toContain('needs your attention')
  })

  test('says that the mail server refuses mail, until it takes one again', async () => {
    const { services } = server.running.opened
    smtp.replies = { MAIL: '554 5.7.1 <lectern@localhost> may not send here' }
    await services.mail?.send({ to: 'reader@lectern.example', subject: 'Hello', text: 'https://secret.example/token' })
    await expect
      .poll(async () => (await parts()).rows.get('Mail'))
      .toMatch(/did not take the last mail: .*may not send here/)
    const { text } = await parts()
    expect(text).not.toContain('secret.example')
    smtp.replies = {}
    await services.mail?.send({ to: 'reader@lectern.example', subject: 'Hello', text: 'again' })
    await expect.poll(async () => (await parts()).rows.get('Mail')).toBe('Mail is sent. No mail waits.')
    smtp.replies = { RCPT: '550 5.1.1 no such user' }
    await services.mail?.send({ to: 'nobody@lectern.example', subject: 'Hello', text: 'again' })
    await expect.poll(async () => (await parts()).rows.get('Mail')).toBe('Mail is sent. No mail waits.')
    smtp.replies = {}
  })

  test('shows a failed backup with its reason, until one succeeds; the doctor does too', async () => {
    const to = join(directory, 'backups')
    const { now } = server.running.opened.services
    await backUp(to, now())
    const failed = (await parts()).rows.get('Backups')
    expect(failed).toMatch(
      /^Needs attention The last attempt failed less than a minute ago: ENOENT.* There is no complete backup yet\. Correct the cause/,
    )
    const doctor = await runLectern(['doctor'], { ...environment, LECTERN_LOG_LEVEL: 'silent' })
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/^BAD {2}backups: The last attempt failed .*\n {5}→ Correct the cause/m)
    await mkdir(to)
    await backUp(to, now())
    expect((await parts()).rows.get('Backups')).toBe('The last backup began less than a minute ago.')
    await rm(to, { recursive: true })
  })

  test('answers while the file store does not', async () => {
    const files = join(environment['LECTERN_DATA_DIR'] ?? '', 'files')
    await rename(files, `${files}-away`)
    try {
      const { lead, rows } = await parts()
      expect(lead).toBe('One part of this server needs your attention.')
      expect(rows.get('Files')).toMatch(
        /^Needs attention This could not be checked: The disk.* See the log of the server/,
      )
    } finally {
      await rename(`${files}-away`, files)
    }
  })
})
