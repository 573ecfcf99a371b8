import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createCodeCache, type CodeCache } from '../../../src/imports/extract/code-cache.ts'
import { createExtractor } from '../../../src/imports/extract/create-extractor.ts'
import { createTemporaryFolder, readAll, scriptedExtractor } from '../../support/extraction.ts'
import { showText, writePdf } from '../../support/pdf.ts'

const directory = mkdtempSync(join(tmpdir(), 'lectern-code-'))
let codeCache: CodeCache

beforeAll(async () => {
  codeCache = createCodeCache(directory)
  await codeCache.prepare(new Date())
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Returns the paths and digests of the compiled code, except copies that are lent to processes. */
async function compiledCode(): Promise<string[]> {
  const name = (await readdir(directory)).find((entry) => !/^(?:lent|new)-/.test(entry)) ?? ''
  const entries = await readdir(join(directory, name), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const lines = files.map(
    async (path) =>
      `${path} ${createHash('sha256')
        .update(await readFile(path))
        .digest('hex')}`,
  )
  return (await Promise.all(lines)).toSorted()
}

const lentDirectories = async () => (await readdir(directory)).filter((name) => name.startsWith('lent-'))

test('the modules of every format are compiled, not only those of PDF and EPUB', async () => {
  // PDF, EPUB and Markdown alone load fewer than 450 modules.
  expect((await compiledCode()).length).toBeGreaterThan(500)
})

test('a file that takes over its process cannot change the code that other processes start with', async () => {
  const before = await compiledCode()
  expect(before.length).toBeGreaterThan(50)
  const { read } = await scriptedExtractor({ codeCache })
  const { pages } = await read({ steps: [{ do: 'overwrite code' }] })
  // The server deletes the directory once the process has loaded its modules: a deleted file cannot be changed either.
  expect(pages[0]?.content).toMatch(/^ERR_ACCESS_DENIED(?: ENOENT)?$/)
  expect(await compiledCode()).toEqual(before)
})

test('a process with compiled code has no other additional permissions', async () => {
  const [plain, withCode] = await Promise.all([scriptedExtractor(), scriptedExtractor({ codeCache })])
  const attempts = { steps: [{ do: 'trespass' as const }] }
  const [expected, found] = await Promise.all([plain.read(attempts), withCode.read(attempts)])
  const outcomes = (book: typeof found) => book.pages[0]?.content.split('\n').slice(0, 4)
  expect(outcomes(found)).toEqual(outcomes(expected))
})

test('a process loads the precompiled code, and its directory is removed', async () => {
  const extractor = createExtractor({ codeCache, spare: false })
  onTestFinished(() => extractor.close())
  const path = join(await createTemporaryFolder(), 'book.pdf')
  await writeFile(path, writePdf({ pages: [{ content: showText('Compiled before', { x: 72, y: 700 }) }] }))
  const { pages } = await readAll(extractor, { path, sourceType: 'pdf' })
  expect(pages[0]?.content).toBe('Compiled before')
  await expect.poll(lentDirectories, { timeout: 20_000 }).toEqual([])
})

test('the code is compiled once, and leftovers of a killed server are removed', async () => {
  const before = await compiledCode()
  const folder = before[0]?.slice(0, before[0].lastIndexOf('/')) ?? ''
  const { mtimeMs } = await stat(folder)
  const [old, recent] = [join(directory, 'lent-old'), join(directory, 'lent-recent')]
  await Promise.all([mkdir(old), mkdir(recent)])
  const hourAgo = new Date(Date.now() - 3_600_000)
  await utimes(old, hourAgo, hourAgo)
  const again = createCodeCache(directory)
  await again.prepare(new Date())
  const lentNow = await lentDirectories()
  expect(lentNow).toContain('lent-recent')
  expect(lentNow).not.toContain('lent-old')
  expect((await stat(folder)).mtimeMs).toBe(mtimeMs)
  expect(await compiledCode()).toEqual(before)
  const lent = again.lend()
  expect(lent?.directory).toContain('lent-')
  lent?.release()
})

test('without a writable directory, books are read without the cache', async () => {
  const file = join(await createTemporaryFolder(), 'file')
  await writeFile(file, '')
  const none = createCodeCache(join(file, 'inside'))
  await none.prepare(new Date())
  expect(none.lend()).toBeNull()
  const { read } = await scriptedExtractor({ codeCache: none })
  expect((await read({ steps: [{ do: 'overwrite code' }] })).pages[0]?.content).toBe('no compiled code')
})
