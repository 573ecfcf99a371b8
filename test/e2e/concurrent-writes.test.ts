import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forkAndWait } from '../support/fork-and-wait.ts'
import { makeBook } from '../support/make-book.ts'
import { startTestServer, testDatabaseEnvironment, type Person, type TestServer } from '../support/server.ts'
import { stampedText, type WriteTask } from '../support/write-task.ts'
import { findOwnedBook, storedPages } from '../support/stored-pages.ts'

/** Prints a measurement. */
const report = (text: string) => process.stdout.write(`${text}\n`)

let server: TestServer
let environment: Record<string, string>

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-writes-'))
  environment = { LECTERN_DATA_DIR: directory, LECTERN_ROLE: 'web', ...testDatabaseEnvironment(directory) }
  server = await startTestServer(environment)
})
afterAll(async () => {
  await server.close()
  await rm(environment['LECTERN_DATA_DIR'] as string, { recursive: true, force: true })
})

interface Process {
  child: ChildProcess
  /** Resolves with the exit code when the process ends. */
  result: Promise<number>
}

/** Starts one process per task, all at the same time. */
async function run(tasks: WriteTask[]): Promise<Process[]> {
  const env = { ...process.env, ...environment }
  const forked = await Promise.all(tasks.map(() => forkAndWait('write-process.ts', { env })))
  return forked.map(({ child, ended: exit }, index) => {
    const ended = exit.then(() => {
      throw new Error(`process ${index} ended with ${child.exitCode}`)
    })
    const result = Promise.race([once(child, 'message').then(([value]) => value as number), ended])
    ended.catch(() => {})
    child.send(tasks[index] as WriteTask)
    return { child, result }
  })
}

async function finish(writers: Process[], readers: Process[]): Promise<{ written: number[]; read: number[] }> {
  const written = await Promise.all(writers.map(({ result }) => result))
  for (const { child } of readers) child.send('stop')
  return { written, read: await Promise.all(readers.map(({ result }) => result)) }
}

const taskFor = (person: Person, itemId: string) => (kind: WriteTask['kind'], name: string, count: number) => ({
  kind,
  name,
  count,
  accountId: person.id,
  itemId,
})

test(
  'of 4 processes that append 50 pages each without a version, every append is stored once, and readers see complete versions',
  { timeout: 240_000 },
  async () => {
    const person = await server.createPerson()
    const itemId = await makeBook(server, person, { content: '# first\n' })
    const task = taskFor(person, itemId)
    const names = ['a', 'b', 'c', 'd']
    const processes = await run([...names.map((name) => task('append', name, 50)), task('read appended', 'r', 0)])
    const { written, read } = await finish(processes.slice(0, 4), processes.slice(4))
    const pages = await storedPages(server, person, { id: itemId })
    expect(pages[0]).toBe('# first\n')
    const wanted = names.flatMap((name) => Array.from({ length: 50 }, (_, index) => `# ${name} ${index}\n`))
    expect(pages.slice(1).sort()).toEqual(wanted.sort())
    // Each process sees its pages in the order in which it wrote them.
    for (const name of names) {
      const own = (await storedPages(server, person, { id: itemId })).filter((page) => page.startsWith(`# ${name} `))
      expect(own).toEqual(Array.from({ length: 50 }, (_, index) => `# ${name} ${index}\n`))
    }
    expect(await findOwnedBook(server, person, itemId)).toMatchObject({ version: 201, pageCount: 201 })
    expect(read[0]).toBeGreaterThan(0)
    report(
      `200 appends by 4 processes; ${written.reduce((a, b) => a + b, 0)} times told to retry; ${read[0]} whole reads`,
    )
  },
)

test('no reader ever sees part of a write while processes replace the whole text', { timeout: 240_000 }, async () => {
  const person = await server.createPerson()
  const itemId = await makeBook(server, person, { content: stampedText(1) })
  const task = taskFor(person, itemId)
  const processes = await run([
    task('stamp', 'a', 40),
    task('stamp', 'b', 40),
    task('read stamped', 'c', 0),
    task('read stamped', 'd', 0),
  ])
  const { read } = await finish(processes.slice(0, 2), processes.slice(2))
  const { version } = await findOwnedBook(server, person, itemId)
  expect(version).toBe(81)
  for (let number = 1; number <= version; number++) {
    expect((await storedPages(server, person, { id: itemId, version: number })).join('')).toBe(stampedText(number))
  }
  for (const reads of read) expect(reads).toBeGreaterThan(0)
  report(`80 replacements by 2 processes; ${read.join(' and ')} whole reads by 2 others`)
})
