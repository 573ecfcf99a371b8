import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { contentTypesOf, formatOf, takenFiles } from '../books/file-formats.ts'
import { conversionAdvice } from '../books/unread-formats.ts'
import { callJson, refusalOf } from './call-json.ts'
import { parseJson } from './parse-json.ts'
import { createProgressLine, type ProgressLine } from './progress-line.ts'
import { putBody } from './put-body.ts'
import type { ReadArguments } from './read-arguments.ts'
import { ClientError } from './client-error.ts'
import { oneLine } from './show-value.ts'
import { findServer, textOption, type Server } from './server.ts'
import { readSecret, reasonOf, type Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { hasEnded, waitForImport, type ImportJob } from './wait-for-import.ts'

interface SourceFile {
  /** The path as the user gave it. */
  file: string
  path: string
  filename: string
  size: number
  contentType: string
}

interface Uploaded {
  file: string
  itemId: string
  job: ImportJob
}

/** Sends files and waits for their imports. Checks all files before it sends the first one. */
export async function upload({ words, options }: ReadArguments, terminal: Terminal): Promise<number> {
  if (words.length === 0) throw new UsageError('FILE is missing')
  const sources: SourceFile[] = []
  for (const file of words) sources.push(await findFile(file, terminal))
  const server = await findServer(terminal, options)
  const password = await readPassword(options, terminal)
  const progress = createProgressLine(terminal)
  const state: UploadState = { sending: null, uploaded: [] }
  const stop = () => {
    progress.clear()
    terminal.stderr.write(describeStop(state))
    process.exit(130)
  }
  process.once('SIGINT', stop)
  try {
    for (const source of sources) {
      state.sending = source.file
      state.uploaded.push(await send(server, { source, password, progress }))
      state.sending = null
    }
    if (!options.has('no-wait')) await waitForAll(server, state.uploaded, progress)
  } catch (error) {
    progress.clear()
    if (state.uploaded.length > 0) terminal.stderr.write(describeStop({ ...state, sending: null }))
    throw error
  } finally {
    process.off('SIGINT', stop)
    progress.clear()
  }
  return printResult(state.uploaded, options.has('json'), terminal)
}

/** The password of encrypted files; `-` prompts for it, or reads a line of stdin. */
async function readPassword(options: ReadArguments['options'], terminal: Terminal): Promise<string | null> {
  const given = textOption(options, 'password')
  if (given !== '-') return given
  if (textOption(options, 'key') === '-' && !terminal.stdin.isTTY)
    throw new UsageError('--key and --password: stdin can give only one of them')
  return readSecret(terminal, 'Password for the files (not shown): ')
}

interface UploadState {
  sending: string | null
  uploaded: Uploaded[]
}

/** What continues after an interruption, and how to see it. */
function describeStop({ sending, uploaded }: UploadState): string {
  const unsent = sending === null ? '' : `${sending} was not sent completely and is not added. Send it again.\n`
  const running = uploaded.filter(({ job }) => !hasEnded(job))
  return (
    unsent +
    running
      .map(
        ({ file, job }) =>
          `The server continues to import ${file}. To see the progress: lectern jobs get ${job.id}. To cancel it: lectern jobs cancel ${job.id}.\n`,
      )
      .join('')
  )
}

async function findFile(file: string, { folder }: Terminal): Promise<SourceFile> {
  const path = resolve(folder, file)
  const found = await stat(path).catch((cause: unknown) => {
    throw new ClientError('NOT_FOUND', `${file} cannot be read: ${reasonOf(cause)}.`, { cause })
  })
  const filename = basename(path)
  const format = formatOf(filename)
  if (!found.isFile()) throw new ClientError('INVALID_INPUT', `${file} is not a file.`)
  if (!format) {
    const advice = conversionAdvice(filename) ?? `Supported are ${takenFiles}.`
    throw new ClientError('INVALID_INPUT', `${file} cannot be imported, because its format is not supported. ${advice}`)
  }
  return { file, path, filename, size: found.size, contentType: contentTypesOf(format)[0] as string }
}

interface Sending {
  source: SourceFile
  password: string | null
  progress: ProgressLine
}

async function send(server: Server, { source, password, progress }: Sending): Promise<Uploaded> {
  const { file, filename, size, contentType } = source
  progress.show(`Sending ${file}`, null)
  const started = await callJson(server, 'POST', { path: '/api/v1/upload', body: { filename, size, contentType } })
  await putFile(String(started['uploadUrl']), source, progress)
  const { itemId, storageKey } = started
  const body = { itemId, storageKey, ...(password === null ? {} : { password }) }
  const confirmed = await callJson(server, 'POST', { path: '/api/v1/upload/confirm', body })
  return { file, itemId: String(itemId), job: confirmed['job'] as ImportJob }
}

/** Sends the bytes and shows the progress. */
async function putFile(
  url: string,
  { file, path, size, contentType }: SourceFile,
  progress: ProgressLine,
): Promise<void> {
  const startedAt = performance.now()
  const { status, text } = await putBody(url, {
    headers: { 'Content-Type': contentType },
    size,
    stream: createReadStream(path),
    onSent: (sent) => progress.show(`Sending ${file}`, { share: size === 0 ? 1 : sent / size, startedAt }),
  })
  if (status < 200 || status > 299) throw refusedFile(file, { url, status, text })
}

/** The error for a file that its upload address refuses: that of the server, or of a bucket, which answers with XML. */
function refusedFile(file: string, { url, status, text }: { url: string; status: number; text: string }): ClientError {
  const { origin } = new URL(url)
  const answer = parseJson(text) ?? { error: describeStoreAnswer(origin, status, text) }
  const { code, message } = refusalOf({ url: origin, key: null }, status, answer)
  return new ClientError(code, `${file} was refused: ${message}`)
}

function describeStoreAnswer(origin: string, status: number, xml: string): string {
  const fields = [/<Code>([^<]+)<\/Code>/, /<Message>([^<]+)<\/Message>/]
  const parts = fields.flatMap((field) => field.exec(xml)?.[1] ?? [])
  const reason = parts.length > 0 ? ` (${oneLine(parts.join(': '))})` : ''
  const remedy =
    status === 429 || status >= 500
      ? 'Try again in a few seconds.'
      : 'Send the file again; if that fails, tell the administrator of the server.'
  return `the file store at ${origin} answered with status ${status}${reason}. ${remedy}`
}

async function waitForAll(server: Server, uploaded: Uploaded[], progress: ProgressLine): Promise<void> {
  for (const one of uploaded) one.job = await waitForImport(server, one, progress)
}

function printResult(uploaded: readonly Uploaded[], asJson: boolean, { stdout, stderr }: Terminal): number {
  if (asJson) stdout.write(`${JSON.stringify({ uploads: uploaded })}\n`)
  for (const { file, itemId, job } of asJson ? [] : uploaded) {
    stdout.write(`${itemId}\n`)
    if (job.status === 'FAILED')
      stderr.write(`${file}: the import failed: ${oneLine(job.error ?? 'for an unknown reason')}\n`)
    else if (job.status === 'CANCELLED') stderr.write(`${file}: the import was cancelled.\n`)
    else if (!hasEnded(job)) stderr.write(`${file}: the import is queued. lectern jobs get ${job.id} shows it.\n`)
  }
  return uploaded.some(({ job }) => job.status === 'FAILED' || job.status === 'CANCELLED') ? 1 : 0
}
