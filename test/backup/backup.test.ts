import { randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { writeBackup } from '../../src/backup/write-backup.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import { eraseDeletedItem } from '../../src/books/erase-deleted-item.ts'
import {
  addText,
  findingsIn,
  sweepIn,
  makeSmallLibrary,
  placeEnvironment,
  runOn,
  usePlaces,
  type SmallLibrary,
} from '../support/backup-places.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { contextOf } from '../support/context.ts'
import { makeBook } from '../support/make-book.ts'
import { runLectern } from '../support/run-lectern.ts'
import { startTestServer } from '../support/server.ts'

const places = usePlaces()
const unlimited = { ...rateLimits, ...Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1_000_000])) }
const externalUrl = process.env['LECTERN_TEST_MONGODB_URL']

/** A separate database on the MongoDB of the tests. */
function databaseUrl(url: string): string {
  const parsed = new URL(url.replace(/^mongodb:/, 'http:'))
  parsed.pathname = `/backup_${randomBytes(6).toString('hex')}`
  return parsed.href.replace(/^http:/, 'mongodb:')
}

const engines: [string, () => Record<string, string>][] = [
  ['the embedded store', () => ({ LECTERN_MONGODB_URL: '' })],
  ...(externalUrl === undefined
    ? []
    : ([['MongoDB', () => ({ LECTERN_MONGODB_URL: databaseUrl(externalUrl) })]] as [
        string,
        () => Record<string, string>,
      ][])),
]

describe.for(engines)('on %s', { timeout: 300_000 }, ([, makeEnvironment]) => {
  test('a backup during 20 concurrent writers contains every write acknowledged before, and every original byte for byte', async () => {
    const directory = places.path('live')
    const environment = placeEnvironment(directory, makeEnvironment())
    const server = await startTestServer(environment, { rateLimits: unlimited })
    const owner = await server.createPerson()
    const originals = new Map([await addText(server, owner, 1000), await addText(server, owner, 5_000_000)])
    const written = new Set<string>()
    const over = new AbortController()
    const writers = Array.from({ length: 18 }, async (_, n) => {
      while (!over.signal.aborted) {
        written.add(await makeBook(server, owner, { title: `By ${n}`, content: `# A\n\n${n}` }))
        await delay(50)
      }
    })
    const senders = Array.from({ length: 2 }, async () => {
      while (!over.signal.aborted) {
        originals.set(...(await addText(server, owner, 20_000)))
        await delay(200)
      }
    })
    while (written.size < 40) await delay(20)
    let [file, booksBefore, originalsBefore] = ['', [...written], [...originals]]
    let report: any
    // Repeated if the machine was too busy for a write during the backup.
    for (let n = 1; written.size === booksBefore.length; n++) {
      ;[file, booksBefore, originalsBefore] = [places.path(`archive-${n}`), [...written], [...originals]]
      report = await runOn(environment, 'backup', '--to', file)
    }
    over.abort()
    await Promise.all([...writers, ...senders])
    await server.running.stop()
    expect(report).toMatchObject({ file, missing: [], erased: [] })
    expect((await stat(file)).mode & 0o777).toBe(0o600)

    const target = places.path('restored')
    const restored = placeEnvironment(target)
    const { collections, files } = await runOn(restored, 'restore', '--from', file)
    expect({ collections, files }).toEqual({ collections: report.collections, files: report.files })
    // The moment of the backup may be between the write of a book and that of its job.
    await sweepIn(restored)
    expect(await findingsIn(restored)).toEqual([])
    const { books } = await runOn(restored, 'book', 'list', '--email', owner.email)
    const ids = new Set(books.map(({ id }: { id: string }) => id))
    expect([...booksBefore, ...originalsBefore.map(([id]) => id)].filter((id) => !ids.has(id))).toEqual([])
    for (const [id, bytes] of originalsBefore) {
      const folder = join(target, 'files', 'originals', id)
      const [name = ''] = await readdir(folder)
      expect((await readFile(join(folder, name))).equals(bytes)).toBe(true)
    }
    expect(await readFile(join(target, 'secret'), 'utf8')).toBe(await readFile(join(directory, 'secret'), 'utf8'))
  })

  test('a book that is erased during the backup does not fail it, and is erased after the restore', async () => {
    const directory = places.path('erasing')
    const environment = placeEnvironment(directory, makeEnvironment())
    const server = await startTestServer(environment, { rateLimits: unlimited })
    const owner = await server.createPerson()
    const [keptId] = await addText(server, owner, 1000)
    const [erasedId] = await addText(server, owner, 2000)
    const stored = async () => (await server.running.opened.services.books.byIds([erasedId]))[0]
    while ((await stored())?.status !== 'READY') await delay(50)
    // More data than fits into the buffers between the store and the output.
    const line = () => randomBytes(64).toString('base64')
    const content = () => Array.from({ length: 2000 }, line).join('\n')
    for (let n = 0; n < 5; n++) await makeBook(server, owner, { content: content() })
    const chunks: Buffer[] = []
    const begun = Promise.withResolvers<void>()
    // The first chunk is read after the book was deleted.
    let isOpen = false
    let takeFirst = () => {}
    const output = new Writable({
      write(chunk: Buffer, _, done) {
        chunks.push(chunk)
        begun.resolve()
        if (isOpen) done()
        else takeFirst = done
      },
    })
    const { services, database, secret } = server.running.opened
    const url = environment['LECTERN_MONGODB_URL'] || undefined
    const backup = writeBackup({ database, files: services.files, secret, directory, url }, output, {
      withSecret: true,
      at: services.now(),
      show: () => {},
    })
    await begun.promise
    const ctx = await contextOf(server, owner)
    await deleteItems(ctx, { ids: [erasedId] })
    await eraseDeletedItem(ctx, { itemId: erasedId })
    isOpen = true
    takeFirst()
    const { missing, erased, isOneMoment } = await backup
    await server.running.stop()
    expect(missing).toEqual([])
    if (!isOneMoment) return
    expect(erased).toEqual([erasedId])
    const file = places.path('archive')
    await writeFile(file, Buffer.concat(chunks))
    const restored = placeEnvironment(places.path('restored'))
    await runOn(restored, 'restore', '--from', file)
    expect(await findingsIn(restored)).toEqual([])
    const { books } = await runOn(restored, 'book', 'list', '--email', owner.email)
    const ids = books.map(({ id }: { id: string }) => id)
    expect(ids).toContain(keptId)
    expect(ids).not.toContain(erasedId)
  })
})

describe('of an idle library', { timeout: 120_000 }, () => {
  let [directory, file] = ['', '']
  let library: SmallLibrary

  beforeAll(async () => {
    directory = places.path('source')
    file = places.path('archive')
    library = await makeSmallLibrary(directory)
    await runOn(placeEnvironment(directory), 'backup', '--to', file)
  })

  test('two backups have the same contents; an existing file is not replaced', async () => {
    const second = places.path('archive')
    const report = await runOn(placeEnvironment(directory), 'backup', '--to', second)
    const restored = await runOn(placeEnvironment(places.path('restored')), 'restore', '--from', file)
    expect(restored.files).toEqual(report.files)
    expect(restored.collections).toMatchObject({
      books: report.collections.books,
      contents: report.collections.contents,
    })
    const refused = await runLectern(['backup', '--to', second], placeEnvironment(directory))
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/exists already/) })
  })

  test('an unwritable or unreadable file is refused with its reason', async () => {
    const nowhere = join(places.path('missing'), 'archive')
    const refused = await runLectern(['backup', '--to', nowhere], placeEnvironment(directory))
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/archive cannot be used: its folder does not exist/),
    })
    const unread = await runLectern(['restore', '--from', nowhere], placeEnvironment(places.path('restored')))
    expect(unread).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/archive cannot be used: there is no such file/),
    })
  })

  test('works with pipes, to standard output and from standard input', async () => {
    const piped = places.path('archive')
    const writing = await runProcess(['backup', '--to', '-'], directory, { stdout: openSync(piped, 'w') })
    expect(writing).toMatchObject({ code: 0, stderr: expect.stringMatching(/protect it like a password/) })
    const target = places.path('restored')
    const reading = await runProcess(['restore', '--from', '-'], target, { stdin: openSync(piped, 'r') })
    expect(reading.code, reading.stderr).toBe(0)
    expect(await findingsIn(placeEnvironment(target))).toEqual([])
  })

  test('a missing original is reported, and the backup succeeds', async () => {
    const source = placeEnvironment(places.path('copied'))
    await runOn(source, 'restore', '--from', file)
    const [id = ''] = library.originals.keys()
    await rm(join(source['LECTERN_DATA_DIR'] ?? '', 'files', 'originals', id), { recursive: true })
    const report = await runOn(source, 'backup', '--to', places.path('archive'))
    expect(report.missing).toEqual([expect.stringContaining(`originals/${id}/`)])
  })

  test.for<[string, (bytes: Buffer) => Buffer]>([
    ['with a flipped bit at a tenth', (bytes) => flipped(bytes, 0.1)],
    ['with a flipped bit in the middle', (bytes) => flipped(bytes, 0.5)],
    ['with a flipped bit near its end', (bytes) => flipped(bytes, 0.9999)],
    ['cut in the middle', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['without its last hundred bytes', (bytes) => bytes.subarray(0, -100)],
    ['that is empty', () => Buffer.alloc(0)],
    ['that is another file', () => Buffer.from('%PDF-1.7 and so on')],
  ])('an archive %s is refused before anything is restored', async ([, damage]) => {
    const damaged = places.path('damaged')
    await writeFile(damaged, damage(await readFile(file)))
    const target = places.path('untouched')
    const refused = await runLectern(['restore', '--from', damaged], placeEnvironment(target))
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/damaged or incomplete: .*Nothing was restored/s),
    })
    await expect(stat(target)).rejects.toThrow('ENOENT')
  })

  test('a damaged archive from standard input leaves the place empty, so that a complete one can be restored', async () => {
    const damaged = places.path('damaged')
    await writeFile(damaged, flipped(await readFile(file), 0.9))
    const target = places.path('restored')
    const refused = await runProcess(['restore', '--from', '-'], target, { stdin: openSync(damaged, 'r') })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/damaged or incomplete/) })
    await runOn(placeEnvironment(target), 'restore', '--from', file)
    expect(await findingsIn(placeEnvironment(target))).toEqual([])
  })

  test('a place that contains a library, or only files, is refused and stays unchanged', async () => {
    const refused = await runLectern(['restore', '--from', file], placeEnvironment(directory))
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/There is a library in .* already/) })
    expect(await findingsIn(placeEnvironment(directory))).toEqual([])
    const target = places.path('restored')
    await mkdir(join(target, 'files', 'originals', 'x'), { recursive: true })
    await writeFile(join(target, 'files', 'originals', 'x', 'y'), 'kept')
    const again = await runLectern(['restore', '--from', file], placeEnvironment(target))
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/There are files for books in .* already/) })
    expect(await readFile(join(target, 'files', 'originals', 'x', 'y'), 'utf8')).toBe('kept')
  })

  test('with LECTERN_SECRET, the backup lacks the secret, and the restore says what is missing', async () => {
    const secret = 'a secret of thirty-two characters, or more'
    const archive = places.path('archive')
    await runOn(placeEnvironment(directory, { LECTERN_SECRET: secret }), 'backup', '--to', archive)
    const without = await runLectern(['restore', '--from', archive], placeEnvironment(places.path('restored')))
    expect(without).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/LECTERN_SECRET is not the secret of this/),
    })
    const withSecret = placeEnvironment(places.path('restored'), { LECTERN_SECRET: secret })
    const restored = await runLectern(['restore', '--from', archive], withSecret)
    expect(restored).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/LECTERN_SECRET is not/) })
  })
})

/** Flips a bit of the byte at a share of an archive that changes what it contains: some bits of a frame mean nothing. */
function flipped(bytes: Buffer, at: number): Buffer {
  const content = zstdDecompressSync(bytes)
  const index = Math.floor(bytes.length * at)
  for (let bit = 0; bit < 8; bit++) {
    const copy = Buffer.from(bytes)
    copy[index] = (copy[index] ?? 0) ^ (1 << bit)
    if (!decompressesTo(copy, content)) return copy
  }
  throw new Error(`No bit of byte ${index} changes what the archive contains.`)
}

function decompressesTo(bytes: Buffer, content: Buffer): boolean {
  try {
    return zstdDecompressSync(bytes).equals(content)
  } catch {
    return false
  }
}

/** Runs a command in a separate process that has a file as its input or output. */
async function runProcess(args: string[], directory: string, files: { stdin?: number; stdout?: number }) {
  const child = spawn(process.execPath, ['bin/lectern.cjs', ...args], {
    env: { ...childEnvironment, ...placeEnvironment(directory) },
    stdio: [files.stdin ?? 'ignore', files.stdout ?? 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stderr }
}
