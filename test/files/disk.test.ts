import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDiskStore } from '../../src/files/disk-store.ts'
import type { FileStore } from '../../src/files/store.ts'
import { toArray, readBytes, numberedFile, randomFile, sha256, streamOf } from './bytes.ts'
import { hostileKeys } from './hostile-keys.ts'

const pdf = { contentType: 'application/pdf', maxBytes: 10_000_000 }

let outside: string
let directory: string
let store: FileStore

const open = () => openDiskStore({ directory, baseUrl: 'https://books.example', secret: 'secret' })

beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'lectern-disk-'))
  directory = join(outside, 'data', 'files')
  store = await open()
})
afterEach(() => rm(outside, { recursive: true, force: true }))

describe('the directory of a disk store', () => {
  test('hostile keys touch nothing outside it', async () => {
    await writeFile(join(outside, 'secret'), 'untouched')
    const before = await readdir(outside, { recursive: true })
    for (const key of hostileKeys) {
      await Promise.allSettled([
        store.put(key, streamOf(randomFile(10).bytes), pdf),
        store.move(key, 'originals/a'),
        store.delete(key),
        readBytes(store.read(key)),
      ])
    }
    expect(await readdir(outside, { recursive: true })).toEqual(before)
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('untouched')
  })

  test('a symbolic link is not a file', async () => {
    await writeFile(join(outside, 'secret'), 'untouched')
    await mkdir(join(directory, 'books'))
    await symlink(join(outside, 'secret'), join(directory, 'books', 'link'))
    expect(await store.head('books/link')).toBeNull()
    await expect(store.peek('books/link', 4)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(store.put('books/link', streamOf(randomFile(10).bytes), pdf)).rejects.toMatchObject({ code: 'EXISTS' })
    await expect(store.move('books/link', 'books/moved')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await toArray(store.list(''))).toEqual([])
    await store.delete('books/link')
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('untouched')
  })

  test('lists omit files of other programs', async () => {
    await store.put('books/a', streamOf(randomFile(1).bytes), pdf)
    await writeFile(join(directory, 'books', '.DS_Store'), '')
    await writeFile(join(directory, 'README.TXT'), '')
    await mkdir(join(directory, 'lost+found'))
    await writeFile(join(directory, '.tmp', 'x.part'), '')
    expect((await toArray(store.list(''))).map((file) => file.key)).toEqual(['books/a'])
  })

  test('files and folders are accessible only to the service', async () => {
    await store.put('books/a', streamOf(randomFile(1).bytes), pdf)
    const modes = spawnSync('stat', ['-c', '%a', directory, join(directory, 'books'), join(directory, 'books', 'a')])
    expect(modes.stdout.toString().trim().split('\n')).toEqual(['700', '700', '600'])
  })

  test('folders go with their last file', async () => {
    for (const key of ['incoming/a/file', 'incoming/b/file', 'books/a'])
      await store.put(key, streamOf(randomFile(1).bytes), pdf)
    await store.move('incoming/a/file', 'books/b')
    expect((await readdir(directory)).sort()).toEqual(['.tmp', 'books', 'incoming'])
    expect(await readdir(join(directory, 'incoming'))).toEqual(['b'])
    await store.delete('incoming/b/file')
    expect((await readdir(directory)).sort()).toEqual(['.tmp', 'books'])
    for (const key of ['books/a', 'books/b']) await store.delete(key)
    expect(await readdir(directory)).toEqual(['.tmp'])
    await store.assertReady()
  })

  test('a file is stored although its folder is removed at the same time', async () => {
    const other = await open()
    for (let round = 0; round < 50; round++) {
      await other.put('incoming/a/first', streamOf(randomFile(1).bytes), pdf)
      await Promise.all([
        other.delete('incoming/a/first'),
        store.put('incoming/a/second', streamOf(randomFile(1).bytes), pdf),
        store.put(`incoming/b/third`, streamOf(randomFile(1).bytes), pdf),
      ])
      expect((await toArray(store.list(''))).map(({ key }) => key)).toEqual(['incoming/a/second', 'incoming/b/third'])
      await Promise.all([store.move('incoming/a/second', 'incoming/b/second'), other.delete('incoming/b/third')])
      await store.delete('incoming/b/second')
      expect(await readdir(directory)).toEqual(['.tmp'])
    }
  })

  test('the store is not ready when the directory is missing', async () => {
    await store.assertReady()
    await rm(directory, { recursive: true })
    await expect(store.assertReady()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(store.put('books/a', streamOf(randomFile(1).bytes), pdf)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  })

  test.skipIf(process.getuid?.() === 0)('cannot be opened without write permission (root always has it)', async () => {
    await chmod(directory, 0o500)
    await rm(join(directory, '.tmp'), { recursive: true, force: true })
    await expect(open()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

test('of many files stored in parallel under one key, exactly one is stored, completely', async () => {
  const samples = [1, 2, 3, 4, 5, 6, 7, 8].map(() => randomFile(200_000))
  const results = await Promise.allSettled(samples.map(({ bytes }) => store.put('books/race', streamOf(bytes), pdf)))
  const kept = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.sha256] : []))
  expect(kept).toEqual([sha256(await readBytes(store.read('books/race')))])
  expect(await readdir(join(directory, '.tmp'))).toEqual([])
})

test('a key below a file, and a file in place of a folder, are refused', async () => {
  await store.put('a/b', streamOf(randomFile(1).bytes), pdf)
  await expect(store.put('a/b/c', streamOf(randomFile(1).bytes), pdf)).rejects.toMatchObject({ code: 'EXISTS' })
  await expect(store.put('a', streamOf(randomFile(1).bytes), pdf)).rejects.toMatchObject({ code: 'EXISTS' })
  expect(await store.head('a/b/c')).toBeNull()
  expect(await store.head('a')).toBeNull()
})

test('removing stale temporary files keeps younger ones and other files', async () => {
  const temporary = join(directory, '.tmp')
  await writeFile(join(temporary, 'old.part'), 'x')
  await writeFile(join(temporary, 'new.part'), 'x')
  await writeFile(join(temporary, 'of-another-program'), 'x')
  for (const name of ['old.part', 'of-another-program']) await utimes(join(temporary, name), new Date(0), new Date(0))
  expect(await store.removeStaleTempFiles(new Date(Date.now() - 60_000))).toBe(1)
  expect((await readdir(temporary)).sort()).toEqual(['new.part', 'of-another-program'])
})

const start = (mode: string) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'write-until-killed.ts'), directory, mode])
  return { child, lines: createInterface({ input: child.stdout }) }
}

describe('a process killed with SIGKILL', () => {
  test('while storing a file leaves no file, only a temporary one that is removed later', async () => {
    const { child, lines } = start('half')
    expect(await once(lines, 'line')).toEqual(['half'])
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await toArray(store.list(''))).toEqual([])
    expect(await store.head('books/0')).toBeNull()
    expect(await store.removeStaleTempFiles(new Date(Date.now() + 1000))).toBe(1)
    expect(await readdir(join(directory, '.tmp'))).toEqual([])
  })

  test.for([1, 2, 5, 9])('after file %i leaves every acknowledged file complete, and no partial one', async (n) => {
    const { child, lines } = start('all')
    let acknowledged = -1
    for await (const line of lines) {
      acknowledged = Number(line)
      if (acknowledged === n) child.kill('SIGKILL')
    }
    const files = await toArray(store.list(''))
    for (const { key } of files) {
      expect((await readBytes(store.read(key))).equals(numberedFile(Number(key.split('/')[1])))).toBe(true)
    }
    const books = files.map((file) => file.key).filter((key) => key.startsWith('books/'))
    for (let i = 0; i <= acknowledged; i++) expect(books).toContain(`books/${i}`)
    // An interrupted move leaves the file under one key or, between link and unlink, under both. A repeated move
    // completes it.
    for (const { key } of files)
      if (key.startsWith('incoming/')) await store.move(key, key.replace('incoming', 'books'))
    expect(await toArray(store.list('incoming/'))).toEqual([])
  })
})

const namespaces = spawnSync('unshare', ['-m', 'true']).status === 0

test.skipIf(!namespaces)(
  'a full disk refuses writes with FULL, loses nothing and still serves reads (needs unshare -m)',
  () => {
    const script = 'mount -t tmpfs -o size=4m none "$1" && exec "$2" "$3" "$1/files"'
    const program = join(import.meta.dirname, 'fill-disk.ts')
    const run = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', dirname(directory), process.execPath, program])
    expect(run.stderr.toString()).toBe('')
    expect(JSON.parse(run.stdout.toString())).toEqual({
      refused: 'FULL',
      leftovers: [],
      last: 'FULL',
      readable: true,
      books: ['books/first', 'books/small'],
    })
  },
)
