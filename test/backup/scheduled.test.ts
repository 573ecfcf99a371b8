import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backUpIfDue } from '../../src/backup/scheduled.ts'
import { createLog } from '../../src/app/log.ts'
import { findingsIn, placeEnvironment, runOn, usePlaces } from '../support/backup-places.ts'
import { makeBook } from '../support/make-book.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const places = usePlaces()
const hourMs = 60 * 60 * 1000

/** The work that a process does each minute, at a time that the test sets. */
function processOf(server: TestServer, directory: string, to: string) {
  const { services, database, secret } = server.running.opened
  const library = { database, files: services.files, secret, url: undefined, directory }
  return (at: Date, signal = new AbortController().signal) =>
    backUpIfDue({
      plan: { to, everyHours: 24, keep: 2 },
      library,
      withSecret: true,
      now: () => at,
      log: createLog('silent'),
      leaseMs: 30_000,
      signal,
    })
}

test(
  'a server with LECTERN_BACKUP_TO makes a backup at startup, which can be restored',
  { timeout: 60_000 },
  async () => {
    const [directory, to] = [places.path('server'), places.path('backups')]
    const server = await startTestServer({
      ...placeEnvironment(directory, { LECTERN_MONGODB_URL: '' }),
      LECTERN_BACKUP_TO: to,
    })
    const isMade = (name: string) => name.endsWith('.tar.zst')
    while (!(await readdir(to)).some(isMade)) await new Promise((resolve) => setTimeout(resolve, 50))
    await server.close()
    const name = (await readdir(to)).find(isMade) ?? ''
    const restored = placeEnvironment(places.path('restored'))
    await runOn(restored, 'restore', '--from', join(to, name))
    expect(await findingsIn(restored)).toEqual([])
  },
)

test(
  'one of several processes makes each due backup, and the oldest backups are removed',
  { timeout: 60_000 },
  async () => {
    const [directory, to] = [places.path('server'), places.path('backups')]
    await mkdir(to)
    await writeFile(join(to, 'notes.txt'), 'of somebody else')
    const dead = join(to, 'lectern-20200101T000000Z.tar.zst.part')
    await writeFile(dead, 'half')
    await utimes(dead, 0, 0)
    const server = await startTestServer(placeEnvironment(directory, { LECTERN_MONGODB_URL: '' }))
    await makeBook(server, await server.createPerson())
    const run = processOf(server, directory, to)
    const start = new Date('2030-01-01T00:00:00Z').getTime()
    const names = async () => (await readdir(to)).sort()

    await Promise.all([run(new Date(start)), run(new Date(start)), run(new Date(start))])
    expect(await names()).toEqual(['lectern-20300101T000000Z.tar.zst', 'notes.txt'])
    await run(new Date(start + 23 * hourMs))
    expect(await names()).toHaveLength(2)
    await run(new Date(start + 24 * hourMs))
    await run(new Date(start + 48 * hourMs))
    expect(await names()).toEqual(['lectern-20300102T000000Z.tar.zst', 'lectern-20300103T000000Z.tar.zst', 'notes.txt'])

    // When the process ends, no file and no claim is left.
    const due = new Date(start + 72 * hourMs)
    await run(due, AbortSignal.abort())
    expect(await names()).toHaveLength(3)
    await run(due)
    expect(await names()).toContain('lectern-20300104T000000Z.tar.zst')
    await server.close()
  },
)
