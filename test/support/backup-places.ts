import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { createLog } from '../../src/app/log.ts'
import { openServices } from '../../src/app/services.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { runLectern, type CommandRun } from './run-lectern.ts'
import { startTestServer, type Person, type TestServer } from './server.ts'
import { addFile } from './uploads.ts'
import { makeBook } from './make-book.ts'

/** Places for libraries and archives in a folder that is removed afterwards. */
export interface Places {
  /** An unused path. */
  path(name: string): string
}

/** Creates a folder for the places of a test file. */
export function usePlaces(): Places {
  let directory = ''
  let count = 0
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lectern-places-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))
  return { path: (name) => join(directory, `${name}-${++count}`) }
}

/** The environment of commands on a data directory. */
export function placeEnvironment(directory: string, more: Record<string, string> = {}): Record<string, string> {
  return { LECTERN_DATA_DIR: directory, LECTERN_LOG_LEVEL: 'silent', LECTERN_OCR: 'off', ...more }
}

/** Runs a command with `--json`, which must succeed. */
export async function runOn(environment: Record<string, string>, ...args: string[]): Promise<any> {
  const run: CommandRun = await runLectern([...args, '--json'], environment)
  if (run.code !== 0) throw new Error(`${args.join(' ')}: ${run.stdout}${run.stderr}`)
  return run.json
}

/** Completes what the moment of a backup interrupted, as a server does some minutes after it was restored. */
export async function sweepIn(environment: Record<string, string>): Promise<void> {
  const { services, close } = await openServices(readConfig(environment))
  const later = new Date(Date.now() + 10 * 60_000)
  await sweep({ ...services, now: () => later, log: createLog('silent') })
  await close()
}

/** The findings of `lectern doctor --deep` in a place. */
export async function findingsIn(environment: Record<string, string>): Promise<string[]> {
  const { json } = await runLectern(['doctor', '--deep', '--json'], environment)
  if (!json.checks) return [json.error]
  return json.checks.flatMap(({ ok, name, detail }: any) => (ok ? [] : [`${name}: ${detail}`]))
}

export interface SmallLibrary {
  owner: Person
  /** The bytes of original files by book id. */
  originals: Map<string, Buffer>
}

/**
 * Creates a small library with both kinds of books, one with a file of `largestBytes`, in a data directory; then its
 * server is stopped.
 */
export async function makeSmallLibrary(directory: string, { largestBytes = 5_000_000 } = {}): Promise<SmallLibrary> {
  const server = await startTestServer({ LECTERN_DATA_DIR: directory, LECTERN_MONGODB_URL: '' })
  const owner = await server.createPerson()
  for (let n = 0; n < 5; n++)
    await makeBook(server, owner, { title: `Book ${n}`, content: `# Page\n\nText of book ${n}` })
  const originals = new Map([await addText(server, owner, 1000), await addText(server, owner, largestBytes)])
  await server.running.stop()
  return { owner, originals }
}

/** Adds a text file of about this size; its import may still be running. */
export async function addText(server: TestServer, owner: Person, size: number): Promise<[string, Buffer]> {
  const lines = Array.from({ length: Math.ceil(size / 64) }, (_, n) => `${Math.random()} of line ${n}`.padEnd(63))
  const bytes = Buffer.from(`# Text\n\n${lines.join('\n')}`)
  const { itemId } = await addFile(server, owner, { filename: 'text.txt', bytes, contentType: 'text/plain' })
  return [itemId, bytes]
}
