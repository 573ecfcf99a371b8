import { beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../../src/accounts/create-api-key.ts'
import { sniffPicture } from '../../../src/imports/formats/picture/sniff-picture.ts'
import { findFigureMarkers } from '../../../src/text/figure-markers.ts'
import { illustratedWithPassword, withUserPassword } from '../../support/encrypted-pdf.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { signedInPerson } from '../../support/signed-in-person.ts'
import { sendMcp, transports } from '../../support/transports.ts'
import { callOverRest, importFile, readPageTexts, sendFile, unwrap, waitForJobEnd } from '../../support/uploads.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()
const file = { filename: 'sealed.pdf', bytes: withUserPassword }
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

/** Returns the rows of a collection that match, as text. */
async function rowsOf(collection: string, filter: Record<string, unknown> = {}): Promise<string> {
  const rows = server.running.opened.database.db.collection(collection).find(filter)
  return JSON.stringify(await rows.toArray())
}

async function confirm(input: Record<string, unknown>) {
  const { itemId, storageKey } = await sendFile(server, person, file)
  const { job } = unwrap<{ job: { id: string } }>(
    await callOverRest(server, person, 'confirm_upload', { itemId, storageKey, ...input }),
  )
  return { itemId, jobId: job.id }
}

test('the password that is sent with the upload opens a PDF, and is removed when the import has ended', async () => {
  const { itemId, jobId } = await confirm({ password: 'user' })
  expect(await waitForJobEnd(server, person, jobId, 60_000)).toMatchObject({ status: 'SUCCEEDED', errorCode: null })
  expect(await readPageTexts(server, person, itemId)).toEqual(['Secret text'])
  expect(await rowsOf('jobs')).not.toContain('sealedPassword')
})

test('while the import waits, its row contains the password encrypted', async () => {
  const { jobs, importPasswords } = server.running.opened.services
  const sealed = importPasswords.seal('correct horse', 'job-1')
  expect(sealed).not.toContain('correct horse')
  expect(importPasswords.open(sealed, 'job-1')).toBe('correct horse')
  expect(importPasswords.open(sealed, 'job-2')).toBeNull()
  expect(importPasswords.open(undefined, 'job-1')).toBeNull()
  const at = new Date()
  const common = {
    itemId: 'none',
    accountId: person.id,
    type: 'import',
    progress: 0,
    stage: 'waiting',
    error: null,
    errorCode: null,
    attempts: 0,
    fence: null,
    leaseUntil: null,
    createdAt: at,
    updatedAt: at,
  } as const
  await jobs.add({ ...common, id: 'job-1', status: 'PENDING', sealedPassword: sealed })
  expect(await rowsOf('jobs', { itemId: 'none' })).toContain('sealedPassword')
  await jobs.end('job-1', { status: 'CANCELLED', error: null, errorCode: null, updatedAt: at })
  expect(await rowsOf('jobs', { itemId: 'none' })).not.toContain('sealedPassword')
})

test('without a password, and with a wrong one, the reason gives the next step', async () => {
  const without = await importFile(server, person, file)
  expect(without.job).toMatchObject({ status: 'FAILED', errorCode: 'ENCRYPTED' })
  expect(without.item.healthReason).toMatch(/reprocess the book and send the password/)
  const { jobId } = await confirm({ password: 'swordfish' })
  const job = await waitForJobEnd(server, person, jobId)
  expect(job).toMatchObject({ status: 'FAILED', errorCode: 'WRONG_PASSWORD' })
  expect(job.error).toMatch(/reprocess the book with the right one/)
  expect(await rowsOf('jobs')).not.toMatch(/swordfish|sealedPassword/)
  expect(await rowsOf('items')).not.toContain('swordfish')
})

test.for(transports)('reprocessing over %s requires it again', async ([, transport]) => {
  const { itemId } = await importFile(server, person, file)
  const again = await transport.call(server, person, 'reprocess_item', { itemId })
  expect(await waitForJobEnd(server, person, again.body.job.id)).toMatchObject({ errorCode: 'ENCRYPTED' })
  const opened = await transport.call(server, person, 'reprocess_item', { itemId, password: 'user' })
  expect(await waitForJobEnd(server, person, opened.body.job.id)).toMatchObject({ status: 'SUCCEEDED' })
  expect(await readPageTexts(server, person, itemId)).toEqual(['Secret text'])
})

test('the imports page accepts it for a retry', async () => {
  const { browser, account } = await signedInPerson(server)
  const { id, email } = account
  const { key } = await createApiKey(server.running.opened.services, id, {})
  const reader = { id, email, key }
  const { itemId } = await importFile(server, reader, file)
  const answer = await browser.submit('/imports', '/imports/retry', { item: itemId, password: 'user' })
  expect(answer).toMatchObject({ status: 303, location: '/imports?done=retry' })
  await expect.poll(() => readPageTexts(server, reader, itemId), { timeout: 30_000 }).toEqual(['Secret text'])
})

describe('a PDF with pictures that was opened with its password', () => {
  let itemId: string
  let figure: string

  beforeAll(async () => {
    const { itemId: id, storageKey } = await sendFile(server, person, { ...file, bytes: illustratedWithPassword })
    const input = { itemId: id, storageKey, password: 'geheim ü' }
    const confirmed = await callOverRest(server, person, 'confirm_upload', input)
    const { job } = unwrap<{ job: { id: string } }>(confirmed)
    expect(await waitForJobEnd(server, person, job.id, 60_000)).toMatchObject({ status: 'SUCCEEDED' })
    itemId = id
    const [text = ''] = await readPageTexts(server, person, id)
    expect(text).toMatch(/^Secret text above the picture\n\n!\[Figure 1: Secret squares\]\(figure:\w+\)\n\nFigure 1/)
    figure = findFigureMarkers(text)[0]?.id ?? ''
  })

  test('shows its figures over REST and MCP', async () => {
    const response = await fetch(`${server.baseUrl}/api/v1/items/${itemId}/pages/1/picture?figure=${figure}`, {
      headers: { Authorization: `Bearer ${person.key}` },
    })
    expect(response.status).toBe(200)
    const shown = sniffPicture(new Uint8Array(await response.arrayBuffer()))
    expect(shown).toMatchObject({ width: 912, height: 612 })
    const params = { name: 'get_figure', arguments: { itemId, page: 1, figure } }
    const { body } = await sendMcp(server, person.key, { method: 'tools/call', params })
    const image = body.result.content.find(({ type }: { type: string }) => type === 'image')
    expect(sniffPicture(Buffer.from(image.data, 'base64'))).toEqual(shown)
  })

  test.for(transports)(
    'has no picture of a whole page over %s, and the refusal gives the reason',
    async ([name, transport]) => {
      const answer = await transport.call(server, person, 'get_figure', { itemId, page: 1 })
      expectRefusal(answer, name, { status: 404, code: 'NOT_FOUND', message: /password, which was not kept/ })
    },
  )
})
