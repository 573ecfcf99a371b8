import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openBookSource } from '../../src/folders/open-book-source.ts'
import { walkFolder } from '../../src/folders/walk-folder.ts'
import { collect } from '../support/collect.ts'
import { makeCalibreLibrary } from '../support/calibre.ts'

let outer: string
let folder: string

beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), 'lectern-walk-'))
  folder = join(outer, 'books')
  await mkdir(folder)
})
afterEach(() => rm(outer, { recursive: true, force: true }))

async function put(path: string, text = 'text'): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

async function walked() {
  const source = await walkFolder(folder)
  const files = await collect(source.files())
  return {
    files: files.map(({ name, shelves }) => [name, ...shelves]),
    leftOut: source.leftOut.rows().map(({ reason, names }) => [reason, ...names]),
    total: source.total,
  }
}

test('every file that could become a book is found in order, with the shelf of its folder', async () => {
  for (const path of ['b.md', 'a.PDF', 'Science/Physics/c.epub', 'Science/d.fb2.zip', 'Empty/x.jpg']) await put(path)
  expect(await walked()).toEqual({
    files: [['Science/Physics/c.epub', 'Science / Physics'], ['Science/d.fb2.zip', 'Science'], ['a.PDF'], ['b.md']],
    leftOut: [['.jpg files, which Lectern does not read', 'Empty/x.jpg']],
    total: { files: 4, bytes: 16 },
  })
})

test('hidden and system files are skipped, others are counted and named', async () => {
  const ignored = [
    '.hidden.pdf',
    '.git/a.md',
    'Thumbs.db',
    'DESKTOP.INI',
    '@eaDir/a.pdf',
    '~$draft.docx',
    '__MACOSX/a.md',
  ]
  for (const path of [...ignored, 'a.djvu', 'b.DJVU', 'README', 'a.kfx']) await put(path)
  await put('empty.pdf', '')
  const socket = createServer().listen(join(folder, 'socket.pdf'))
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  expect(await walked()).toEqual({
    files: [],
    leftOut: [
      ['.djvu files, which Lectern does not read', 'a.djvu', 'b.DJVU'],
      ['files without an extension', 'README'],
      ['.kfx files, which Lectern does not read', 'a.kfx'],
      ['empty files', 'empty.pdf'],
      ['no files (devices, sockets, pipes)', 'socket.pdf'],
    ],
    total: { files: 0, bytes: 0 },
  })
})

test('a link to a file inside the folder counts as that file; no other link is followed', async () => {
  await writeFile(join(outer, 'secret.md'), 'secret')
  await put('Physics/waves.md')
  await symlink(join(outer, 'secret.md'), join(folder, 'out.md'))
  await symlink('../books/../secret.md', join(folder, 'out-too.md'))
  await symlink(outer, join(folder, 'up.md'))
  await symlink('../Favourites', join(folder, 'Physics', 'round'))
  await symlink('gone.md', join(folder, 'gone-link.md'))
  await mkdir(join(folder, 'Favourites'))
  await symlink('../Physics/waves.md', join(folder, 'Favourites', 'waves.md'))
  const { files, leftOut } = await walked()
  expect(files).toEqual([
    ['Favourites/waves.md', 'Favourites'],
    ['Physics/waves.md', 'Physics'],
  ])
  expect(leftOut).toEqual([
    ['links that lead out of the folder', 'out-too.md', 'out.md', 'up.md'],
    ['links to folders', 'Physics/round'],
    ['files that cannot be read (ENOENT)', 'gone-link.md'],
  ])
})

test.skipIf(process.getuid?.() === 0)('a folder that cannot be read is left out', async () => {
  await put('locked/a.md')
  await chmod(join(folder, 'locked'), 0o000)
  expect((await walked()).leftOut).toEqual([['folders that cannot be read (EACCES)', 'locked']])
  await chmod(join(folder, 'locked'), 0o700)
})

test('a Calibre library inside the folder is left out, for a separate import', async () => {
  await makeCalibreLibrary(join(folder, 'Calibre'), [{ title: 'A', authors: ['B'], files: { MD: Buffer.from('x') } }])
  await put('a.md')
  expect(await walked()).toMatchObject({
    files: [['a.md']],
    leftOut: [[expect.stringMatching(/^Calibre libraries/), 'Calibre']],
  })
})

test.for([
  ['a folder that does not exist', 'none', /^Folder not found/],
  ['a file', 'file.pdf', /lectern book add/],
])('refuses %s', async ([, name, message]) => {
  await put('file.pdf')
  await expect(openBookSource(join(folder, name as string))).rejects.toThrow(message)
})
