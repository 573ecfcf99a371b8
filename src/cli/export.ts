import { EventEmitter } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ClientError } from './client-error.ts'
import { refusalOf } from './call-json.ts'
import { createProgressLine } from './progress-line.ts'
import type { ReadArguments } from './read-arguments.ts'
import { sendRequest } from './rest-client.ts'
import { findServer, textOption, type Server } from './server.ts'
import { codeOf, type Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/**
 * Writes the export of the account to a new file, named `FILE.part` until it is complete, or to stdout (`-`). Refuses
 * an existing file before it contacts the server.
 */
export async function exportAccount({ words, options }: ReadArguments, terminal: Terminal): Promise<number> {
  const to = textOption(options, 'to')
  if (to === null || words.length > 0) throw new UsageError('name a file with --to FILE, or - for stdout')
  if (to === '-' && terminal.stdout.isTTY) throw new UsageError('--to -: stdout is a terminal. Name a file')
  const path = resolve(terminal.folder, to)
  if (to !== '-') await requireNew(path, to)
  const body = await requestExport(await findServer(terminal, options))
  const bytes =
    to === '-'
      ? await copy(body, { to, terminal, output: toStdout(terminal) })
      : await save(body, path, { to, terminal })
  if (options.has('json') && to !== '-') terminal.stdout.write(`${JSON.stringify({ file: to, bytes })}\n`)
  else terminal.stderr.write(`${to === '-' ? 'stdout' : to}: ${bytes} bytes\n`)
  return 0
}

async function requireNew(path: string, shown: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw unwritable(shown, error)
    return null
  })
  if (found) throw new ClientError('CONFLICT', `${shown} exists already. Name another file, or remove that one first.`)
}

async function requestExport(server: Server): Promise<Readable> {
  const response = await sendRequest(server, { method: 'GET', path: '/api/v1/account/export', headers: {} })
  if (!response.ok || !response.body) throw refusalOf(server, response.status, await response.json().catch(() => null))
  return Readable.fromWeb(response.body)
}

interface Target {
  /** The path as the user gave it. */
  to: string
  terminal: Terminal
}

async function save(body: Readable, path: string, target: Target): Promise<number> {
  const part = `${path}.part`
  const stop = () => {
    rmSync(part, { force: true })
    process.exit(130)
  }
  process.once('SIGINT', stop)
  try {
    const output = createWriteStream(part, { flags: 'w', mode: 0o600, flush: true })
    const bytes = await copy(body, { ...target, output })
    await requireNew(path, target.to)
    await rename(part, path)
    return bytes
  } catch (error) {
    await rm(part, { force: true }).catch(() => {})
    throw error
  } finally {
    process.off('SIGINT', stop)
  }
}

/** Copies the archive and shows the number of bytes so far. Returns its size in bytes. */
async function copy(body: Readable, { to, terminal, output }: Target & { output: Writable }): Promise<number> {
  const progress = createProgressLine(terminal)
  let bytes = 0
  // A failure of one stream ends the other one, which then fails too.
  let failed: 'server' | 'file' | null = null
  body.once('error', () => (failed ??= 'server'))
  output.once('error', () => (failed ??= 'file'))
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      progress.show(`Exporting to ${to === '-' ? 'stdout' : to}`, null, ` ${(bytes / 1e6).toFixed(1)} MB`)
      done(null, chunk)
    },
  })
  try {
    await pipeline(body, counted, output)
    return bytes
  } catch (error) {
    if (failed !== 'server') throw unwritable(to, error)
    const message = 'The server ended the export early. The incomplete file was removed; try again.'
    throw new ClientError('UNAVAILABLE', message, { cause: error })
  } finally {
    progress.clear()
  }
}

function unwritable(shown: string, cause: unknown): ClientError {
  const message = `${shown} cannot be written: ${codeOf(cause)}. Name another file with --to.`
  return new ClientError('FORBIDDEN', message, { cause })
}

function toStdout({ stdout }: Terminal): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      if (stdout.write(chunk) === false && stdout instanceof EventEmitter) stdout.once('drain', () => done())
      else done()
    },
  })
}
