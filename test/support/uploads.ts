import { setTimeout as delay } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { doors, send, type Answer } from './transports.ts'
import type { Person, TestServer } from './server.ts'

type Key = Pick<Person, 'key'>
type Address = Pick<TestServer, 'baseUrl'>

/** A file that a test sends. */
export interface TestFile {
  filename: string
  bytes: Uint8Array
  /** Made from the ending when left out. */
  contentType?: string
}

export interface StartedUpload {
  itemId: string
  uploadUrl: string
  storageKey: string
  expiresAt: string
}

const [, rest] = doors[0] as (typeof doors)[0]
const contentTypes: Record<string, string> = { pdf: 'application/pdf', epub: 'application/epub+zip' }

/** The content type that a file is sent with. */
export function contentTypeOf({ filename, contentType }: Pick<TestFile, 'filename' | 'contentType'>): string {
  return contentType ?? contentTypes[filename.split('.').at(-1) ?? ''] ?? 'text/markdown'
}

/** Calls a tool of the import group over REST, which is the only way to them. */
export function call(server: TestServer, person: Key, tool: string, input?: Record<string, unknown>): Promise<Answer> {
  return rest.call(server, person, tool, input)
}

/** Reserves a book for a file; throws when that is refused. */
export async function reserve(server: Address, person: Key, file: TestFile): Promise<StartedUpload> {
  const body = { filename: file.filename, size: file.bytes.byteLength, contentType: contentTypeOf(file) }
  return accepted(await post(server, person, '/upload', body))
}

/** PUTs a body to an upload address, as a client without a key does. */
export async function put(
  url: string,
  body: Uint8Array,
  headers: Record<string, string> = { 'Content-Type': 'text/markdown' },
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(url, { method: 'PUT', headers, body: Buffer.from(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** Reserves a book and sends its file; what is left is to confirm it. */
export async function sendFile(server: Address, person: Key, file: TestFile): Promise<StartedUpload> {
  const upload = await reserve(server, person, file)
  const { status, body } = await put(upload.uploadUrl, file.bytes, { 'Content-Type': contentTypeOf(file) })
  if (status !== 200) throw new Error(`PUT answered ${status}: ${JSON.stringify(body)}`)
  return upload
}

/** Confirms an upload and gives the answer, refusal or not. */
export function confirm(
  server: Address,
  person: Key,
  upload: Pick<StartedUpload, 'itemId' | 'storageKey'> & { replacesItemId?: string },
): Promise<Answer> {
  const { itemId, storageKey, replacesItemId } = upload
  return post(server, person, '/upload/confirm', { itemId, storageKey, replacesItemId })
}

/** Sends and confirms a file; its import is queued then. */
export async function addFile(
  server: Address,
  person: Key,
  file: TestFile,
): Promise<{ itemId: string; jobId: string; storageKey: string }> {
  const { itemId, storageKey } = await sendFile(server, person, file)
  const { job } = accepted<{ job: { id: string } }>(await confirm(server, person, { itemId, storageKey }))
  return { itemId, storageKey, jobId: job.id }
}

export interface ShownJob {
  id: string
  itemId: string
  type: string
  status: string
  progress: number
  stage: string
  error: string | null
  errorCode: string | null
  attempts: number
  createdAt: string
  updatedAt: string
}

/** The job once it has ended; throws when it has not after `timeoutMs`. */
export async function jobEnd(server: Address, person: Key, jobId: string, timeoutMs = 20_000): Promise<ShownJob> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { job } = accepted<{ job: ShownJob }>(await get(server, person, `/jobs/${jobId}`))
    if (job.status !== 'PENDING' && job.status !== 'RUNNING') return job
    if (performance.now() > deadline) throw new Error(`Job ${jobId} is still ${job.status} (attempt ${job.attempts})`)
    await delay(50)
  }
}

export interface ListedItem {
  id: string
  title: string
  author: string | null
  sourceType: string
  status: string
  health: string
  healthReason: string | null
  pageCount: number
}

/** A book as its owner's library lists it; undefined when it is not there. */
export async function listed(server: Address, person: Key, itemId: string): Promise<ListedItem | undefined> {
  const { items } = accepted<{ items: ListedItem[] }>(await get(server, person, '/items'))
  return items.find(({ id }) => id === itemId)
}

/** Sends a file and waits for its import to end. */
export async function importFile(server: Address, person: Key, file: TestFile) {
  const { itemId, jobId, storageKey } = await addFile(server, person, file)
  const job = await jobEnd(server, person, jobId)
  const item = await listed(server, person, itemId)
  if (!item) throw new Error(`Book ${itemId} is not in the library`)
  return { itemId, jobId, storageKey, job, item }
}

/** The text of every page of a book. */
export async function pagesOf(server: Address, person: Key, itemId: string): Promise<string[]> {
  const { items } = accepted<{ items: { pages: { content: string }[] }[] }>(
    await post(server, person, '/items/batch', { items: [{ id: itemId, pages: '1-100000' }] }),
  )
  return items[0]?.pages.map(({ content }) => content) ?? []
}

/** Lower-case hexadecimal SHA-256. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The body of an answer that must not be a refusal. */
export function accepted<T>(answer: Answer): T {
  if (!answer.ok) throw new Error(`Refused with ${answer.status}: ${answer.text}`)
  return answer.body as T
}

function post(server: Address, { key }: Key, path: string, body: unknown): Promise<Answer> {
  return send(server, key, { method: 'POST', path: `/api/v1${path}`, body })
}

function get(server: Address, { key }: Key, path: string): Promise<Answer> {
  return send(server, key, { method: 'GET', path: `/api/v1${path}` })
}
