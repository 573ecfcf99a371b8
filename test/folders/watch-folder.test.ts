import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createContextOf } from '../../src/app/account-context.ts'
import type { Log } from '../../src/core/context.ts'
import { watchFolder, type FolderWatch } from '../../src/folders/watch-folder.ts'
import { makeCalibreLibrary } from '../support/calibre.ts'
import { collect } from '../support/collect.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let folder: string
let person: Person
let warnings: { facts: object; message: string }[]
let watches: FolderWatch[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-watch-'))
  person = await server.createPerson()
  warnings = []
  watches = []
})
afterEach(async () => {
  await Promise.all(watches.map((each) => each.stop()))
  await rm(folder, { recursive: true, force: true })
})

interface WatchOptions {
  email?: string
  /** Called when the watcher begins to look at the folder. */
  onLook?: () => Promise<void>
}

function watch({ email = person.email, onLook = () => Promise.resolve() }: WatchOptions = {}): FolderWatch {
  const { services } = server.running.opened
  const silent = () => undefined
  const log: Log = {
    debug: silent,
    info: silent,
    error: silent,
    warn: (facts, message) => warnings.push({ facts, message }),
  }
  const actAs: Parameters<typeof watchFolder>[0]['actAs'] = (account) =>
    createContextOf({ services, log }, account, { id: 'watched-folder', clientAddress: 'watched folder' })
  const store: typeof services.watches = {
    ...services.watches,
    async hold(...claim) {
      await onLook()
      return services.watches.hold(...claim)
    },
  }
  const times = { pollIntervalMs: 40, leaseMs: 60_000, pauseMs: 60_000 }
  const started = watchFolder({ ...services, watches: store, log, actAs }, { directory: folder, email }, times)
  watches.push(started)
  return started
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

const { waitFor } = vi

async function titles(): Promise<string[]> {
  const books = await collect(server.running.opened.services.books.allOwned(person.id))
  return books.flatMap(({ status, title }) => (status === 'READY' ? [title] : [])).sort()
}

const untilTitles = (expected: string[]) =>
  waitFor(async () => expect(await titles()).toEqual(expected), { timeout: 30_000 })

/** Waits until the watcher has looked at the folder again, so that any pending change has happened. */
async function untilLookedAgain(): Promise<void> {
  const { services } = server.running.opened
  const marker = `Marker ${services.now().getTime()}`
  await put(`${marker}.md`, `# ${marker}`)
  await waitFor(async () => expect(await titles()).toContain(marker), { timeout: 30_000 })
}

const timeout = 60_000

test('files that arrive together cause one notification; a single one is named', { timeout }, async () => {
  const told = async () => {
    const { notifications } = server.running.opened.services
    return (await notifications.list(person.id, { unread: true, limit: 10 })).map(({ title }) => title)
  }
  for (const name of ['One', 'Two', 'Three']) await put(`${name}.md`, `# ${name}`)
  watch()
  await untilTitles(['One', 'Three', 'Two'])
  const first = ['3 books were added from the watched folder']
  await waitFor(async () => expect(await told()).toEqual(first), { timeout: 10_000 })
  await put('Notes/four.md', '# Four')
  await untilTitles(['Four', 'One', 'Three', 'Two'])
  const second = ['"Notes/four.md" was added from the watched folder', ...first]
  await waitFor(async () => expect(await told()).toEqual(second), { timeout: 10_000 })
})

test('a file that appears becomes a book on the shelf of its folder', { timeout }, async () => {
  watch()
  await put('Science/waves.md', '# Waves')
  await untilTitles(['Waves'])
  const { shelves, placements } = server.running.opened.services
  const [shelf] = await shelves.list(person.id)
  expect([shelf?.name, (await placements.list(person.id)).length]).toEqual(['Science', 1])
})

test('a growing file is imported once it has stopped growing', { timeout }, async () => {
  let looks = 0
  const grows = 10
  await put('growing.md', '# Growing\n')
  watch({
    onLook: async () => {
      looks += 1
      if (looks <= grows) await appendFile(join(folder, 'growing.md'), `Line ${looks}.\n`)
    },
  })
  await untilTitles(['Growing'])
  const books = await collect(server.running.opened.services.books.allOwned(person.id))
  const whole = `# Growing\n${Array.from({ length: grows }, (_, at) => `Line ${at + 1}.\n`).join('')}`
  expect(books.map(({ original }) => original?.bytes)).toEqual([Buffer.byteLength(whole)])
})

test('after a restart nothing is imported twice, and a deleted book stays deleted', { timeout }, async () => {
  await put('kept.md', '# Kept')
  await put('deleted.md', '# Deleted')
  const first = watch()
  await untilTitles(['Deleted', 'Kept'])
  await first.stop()
  const { books } = server.running.opened.services
  const deleted = (await collect(books.allOwned(person.id))).find(({ title }) => title === 'Deleted')
  const answer = await fetch(`${server.baseUrl}/api/v1/items`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${person.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ids: [deleted?.id] }),
  })
  expect(answer.status).toBe(200)
  watch()
  await untilLookedAgain()
  expect((await titles()).filter((title) => !title.startsWith('Marker'))).toEqual(['Kept'])
  await put('deleted.md', '# Deleted\n\nNow with more.')
  await waitFor(async () => expect(await titles()).toContain('Deleted'), { timeout: 30_000 })
})

test('of two processes one watches; the other takes over when it has ended', { timeout }, async () => {
  const first = watch()
  await put('one.md', '# One')
  await untilTitles(['One'])
  watch()
  await put('two.md', '# Two')
  await untilTitles(['One', 'Two'])
  await first.stop()
  await put('three.md', '# Three')
  await untilTitles(['One', 'Three', 'Two'])
  expect(warnings).toEqual([])
})

test('a file that cannot be imported is reported once, in the log and to the account', { timeout }, async () => {
  await put('text.pdf', 'only text')
  await symlink('/etc/hostname', join(folder, 'out.md'))
  watch()
  await untilLookedAgain()
  await untilLookedAgain()
  expect(warnings).toEqual([
    {
      facts: { reason: 'links that lead out of the folder', names: ['out.md'] },
      message: 'left out of the watched folder',
    },
    {
      facts: { file: 'text.pdf', reason: 'content does not match the file extension' },
      message: 'a file of the watched folder could not be imported',
    },
  ])
  const { notifications } = server.running.opened.services
  expect(await notifications.list(person.id, { unread: true, type: 'import_failed', limit: 10 })).toMatchObject([
    {
      title: '"text.pdf" could not be imported',
      body: 'It is in the watched folder: content does not match the file extension',
    },
  ])
})

test.for([
  [
    'an account that does not exist',
    () => ({ email: 'nobody@lectern.example' }),
    /LECTERN_WATCH_EMAIL is not the address of an active account/,
  ],
  ['a Calibre library', () => makeCalibreLibrary(folder, []), /is a Calibre library/],
  ['a folder that does not exist', () => rm(folder, { recursive: true }), /could not be checked/],
] as const)('%s is reported, and nothing is imported', { timeout }, async ([, prepare, message]) => {
  await put('a.md', '# A')
  const options = await prepare()
  watch(options === undefined ? {} : options)
  await waitFor(() => expect(warnings).toMatchObject([{ message: expect.stringMatching(message) }]))
  expect(await titles()).toEqual([])
})
