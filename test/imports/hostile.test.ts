import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Extractor } from '../../src/imports/extract/extractor.ts'
import { SourceType } from '../../src/imports/extract/messages.ts'
import { createExtractor } from '../../src/imports/extract/create-extractor.ts'
import { extractionOutcome, readAll } from '../support/extraction.ts'
import { smallBookPages, smallBooks } from '../support/small-books.ts'

const memoryBytes = 512 * 1024 * 1024
const truncations = [1, 5, 10, 20, 35, 50, 65, 80, 90, 99]
const formats = SourceType.options
// The allowed error codes. The codes for a killed process are excluded, because none of these files may cause that.
const refusals = ['BROKEN', 'EMPTY', 'ENCRYPTED', 'DRM', 'TOO_LARGE', 'TOO_DEEP']
/** The formats that any file without zero bytes may be read as. */
const plainTexts = new Set<SourceType>(['markdown', 'text', 'html'])
/** Formats that are recognised by content, even if the file name is that of another format. */
const recognised = new Set<SourceType>(['epub', 'html', 'fb2', 'docx', 'odt', 'rtf', 'mobi', 'azw3', 'cbz'])
const documents = new Set<SourceType>(['text', 'html', 'fb2', 'docx', 'odt', 'rtf', 'mobi', 'azw3', 'cbz'])

let folder: string
let extractor: Extractor

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-'))
  extractor = createExtractor({ maxMemoryBytes: memoryBytes })
})

afterAll(async () => {
  await extractor.close()
  await rm(folder, { recursive: true, force: true })
})

/** Returns pseudo-random bytes. The same seed gives the same bytes. */
function noise(length: number, seed: number): Buffer {
  return createHash('shake256', { outputLength: length }).update(String(seed)).digest()
}

async function read(sourceType: SourceType, bytes: Uint8Array) {
  const path = join(folder, 'book')
  await writeFile(path, bytes)
  return readAll(extractor, { path, sourceType })
}

/** Reads a hostile file. Checks that it ends with an allowed outcome, and that a valid book can be read afterwards. */
async function survive(sourceType: SourceType, bytes: Uint8Array): Promise<string> {
  const reading = read(sourceType, bytes)
  const ended = await extractionOutcome(reading)
  expect(['ok', ...refusals]).toContain(ended)
  if (ended === 'ok') {
    const { pages, pageCount } = await reading
    expect(pages).toHaveLength(pageCount)
    for (const { content } of pages) {
      expect(content.isWellFormed()).toBe(true)
      expect(content).not.toContain('\0')
    }
  }
  await expectGoodBook(sourceType)
  return ended
}

async function expectGoodBook(sourceType: SourceType): Promise<void> {
  const book = await read(sourceType, await smallBooks[sourceType]())
  expect(book.pages).toHaveLength(2)
  // The pages of a comic are pictures.
  if (sourceType === 'cbz') return
  for (const [at, text] of smallBookPages.entries()) expect(book.pages[at]?.content).toContain(text)
}

describe.for(formats)('a file uploaded as %s', (sourceType) => {
  test('that is complete is read', async () => {
    await expectGoodBook(sourceType)
  })

  test('with no bytes is refused or has no pages', async () => {
    const reading = read(sourceType, Buffer.alloc(0))
    const ended = await extractionOutcome(reading)
    if (sourceType === 'markdown') expect((await reading).pageCount).toBe(0)
    else expect(['BROKEN', 'EMPTY']).toContain(ended)
    await expectGoodBook(sourceType)
  })

  test.for([1, 4, 100, 4_096, 1_000_000])('of %i random bytes does no harm', async (length) => {
    const ended = await survive(sourceType, noise(length, length))
    if (!plainTexts.has(sourceType)) expect(ended).toBe('BROKEN')
  })

  test('of a megabyte of zeros does no harm', async () => {
    const ended = await survive(sourceType, Buffer.alloc(1_000_000))
    if (sourceType !== 'markdown') expect(ended).toBe('BROKEN')
  })

  test.for(truncations)('truncated at %i percent does no harm', async (percent) => {
    const whole = await smallBooks[sourceType]()
    await survive(sourceType, whole.subarray(0, Math.floor((whole.length * percent) / 100)))
  })

  test('with noise over its middle does no harm', async () => {
    for (let n = 0; n < 5; n += 1) {
      const book = await smallBooks[sourceType]()
      noise(40, n).copy(book, Math.floor((book.length * (n + 1)) / 7))
      await survive(sourceType, book)
    }
  })

  test.for(formats.filter((other) => other !== sourceType))('but is %s does no harm', async (other) => {
    const ended = await survive(sourceType, await smallBooks[other]())
    if (documents.has(sourceType) && recognised.has(other)) expect(ended).toBe('ok')
    else if (!plainTexts.has(sourceType)) expect(ended).toBe('BROKEN')
  })
})
