import { setTimeout as delay } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { rest, send, type ToolResponse } from './transports.ts'
import type { Person, TestServer } from './server.ts'

type KeyHolder = Pick<Person, 'key'>
type ServerAddress = Pick<TestServer, 'baseUrl'>

/** A file that a test sends. */
export interface TestFile {
  filename: string
  bytes: Uint8Array
  /** Default: derived from the extension. */
  contentType?: string
}

export interface StartedUpload {
  itemId: string
  uploadUrl: string
  storageKey: string
  expiresAt: string
}

const contentTypes: Record<string, string> = { pdf: 'application/pdf', epub: 'application/epub+zip', txt: 'text/plain' }

/** The content type of a file. */
export function contentTypeOf({ filename, contentType }: Pick<TestFile, 'filename' | 'contentType'>): string {
  return contentType ?? contentTypes[filename.split('.').at(-1) ?? ''] ?? 'text/markdown'
}

/** Calls a tool of the import group over REST, which is its only transport. */
export function callOverRest(
  server: TestServer,
  person: KeyHolder,
  tool: string,
  input?: Record<string, unknown>,
): Promise<ToolResponse> {
  return rest.call(server, person, tool, input)
}

/** Reserves a book for a file; throws if that is refused. */
export async function reserveUpload(server: ServerAddress, person: KeyHolder, file: TestFile): Promise<StartedUpload> {
  const body = { filename: file.filename, size: file.bytes.byteLength, contentType: contentTypeOf(file) }
  return unwrap(await post(server, person, '/upload', body))
}

/** PUTs a body to an upload URL, like a client without a key. */
export async function putFile(
  url: string,
  body: Uint8Array,
  headers: Record<string, string> = { 'Content-Type': 'text/markdown' },
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(url, { method: 'PUT', headers, body: Buffer.from(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** Reserves a book and sends its file, without confirming it. */
export async function sendFile(server: ServerAddress, person: KeyHolder, file: TestFile): Promise<StartedUpload> {
  const upload = await reserveUpload(server, person, file)
  const { status, body } = await putFile(upload.uploadUrl, file.bytes, { 'Content-Type': contentTypeOf(file) })
  if (status !== 200) throw new Error(`PUT answered ${status}: ${JSON.stringify(body)}`)
  return upload
}

/** Confirms an upload and returns the answer, refusal or not. */
export function confirmUpload(
  server: ServerAddress,
  person: KeyHolder,
  upload: Pick<StartedUpload, 'itemId' | 'storageKey'> & { replacesItemId?: string },
): Promise<ToolResponse> {
  const { itemId, storageKey, replacesItemId } = upload
  return post(server, person, '/upload/confirm', { itemId, storageKey, replacesItemId })
}

/** Sends and confirms a file, which queues its import. */
export async function addFile(
  server: ServerAddress,
  person: KeyHolder,
  file: TestFile,
): Promise<{ itemId: string; jobId: string; storageKey: string }> {
  const { itemId, storageKey } = await sendFile(server, person, file)
  const { job } = unwrap<{ job: { id: string } }>(await confirmUpload(server, person, { itemId, storageKey }))
  return { itemId, storageKey, jobId: job.id }
}

export interface JobBody {
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

/** The pauses before a job is asked for again. They grow, because each call costs processor time. */
const pauses = { firstMs: 20, factor: 1.5, longestMs: 250 }

/** The job after its end; throws if it does not end within `timeoutMs`. */
export async function waitForJobEnd(
  server: ServerAddress,
  person: KeyHolder,
  jobId: string,
  timeoutMs = 20_000,
): Promise<JobBody> {
  const deadline = performance.now() + timeoutMs
  for (let pauseMs = pauses.firstMs; ; pauseMs = Math.min(pauseMs * pauses.factor, pauses.longestMs)) {
    const { job } = unwrap<{ job: JobBody }>(await get(server, person, `/jobs/${jobId}`))
    if (job.status !== 'PENDING' && job.status !== 'RUNNING') return job
    if (performance.now() > deadline) throw new Error(`Job ${jobId} is still ${job.status} (attempt ${job.attempts})`)
    await delay(pauseMs)
  }
}

export interface ItemBody {
  id: string
  title: string
  author: string | null
  sourceType: string
  status: string
  health: string
  healthReason: string | null
  pageCount: number
}

/** A book in its owner's list; undefined if it is missing. */
export async function findListedItem(
  server: ServerAddress,
  person: KeyHolder,
  itemId: string,
): Promise<ItemBody | undefined> {
  const { items } = unwrap<{ items: ItemBody[] }>(await get(server, person, '/items'))
  return items.find(({ id }) => id === itemId)
}

/** Sends a file and waits until its import has ended. */
export async function importFile(server: ServerAddress, person: KeyHolder, file: TestFile) {
  const { itemId, jobId, storageKey } = await addFile(server, person, file)
  const job = await waitForJobEnd(server, person, jobId)
  const item = await findListedItem(server, person, itemId)
  if (!item) throw new Error(`Book ${itemId} is not in the library`)
  return { itemId, jobId, storageKey, job, item }
}

/** The text of every page of a book. */
export async function readPageTexts(server: ServerAddress, person: KeyHolder, itemId: string): Promise<string[]> {
  const { items } = unwrap<{ items: { pages: { content: string }[] }[] }>(
    await post(server, person, '/items/batch', { items: [{ id: itemId, pages: '1-100000' }] }),
  )
  return items[0]?.pages.map(({ content }) => content) ?? []
}

/** Lower-case hexadecimal SHA-256. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The body of an answer; throws if it is a refusal. */
export function unwrap<T>(answer: ToolResponse): T {
  if (!answer.ok) throw new Error(`Refused with ${answer.status}: ${answer.text}`)
  return answer.body as T
}

function post(server: ServerAddress, { key }: KeyHolder, path: string, body: unknown): Promise<ToolResponse> {
  return send(server, key, { method: 'POST', path: `/api/v1${path}`, body })
}

function get(server: ServerAddress, { key }: KeyHolder, path: string): Promise<ToolResponse> {
  return send(server, key, { method: 'GET', path: `/api/v1${path}` })
}
