import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ExtractionError } from '../../src/imports/extract/extraction-error.ts'
import type {
  ExtractionJob,
  ExtractionSink,
  ExtractionSummary,
  Extractor,
  ExtractorOptions,
} from '../../src/imports/extract/extractor.ts'
import type { BookInfo, ExtractedPage } from '../../src/imports/formats/format.ts'
import { createExtractor } from '../../src/imports/extract/create-extractor.ts'
import type { Script } from './scripted-format.ts'

const formatModule = new URL('scripted-format.ts', import.meta.url).href

/** The data passed to a sink. */
export interface ReceivedBook {
  info: BookInfo | null
  pages: ExtractedPage[]
  firstPages: number[]
  progress: [pages: number, of: number | null][]
}

export interface ScriptedExtractor {
  extractor: Extractor
  /** Reads a book that consists of a script; `change` replaces parts of the job or the sink. */
  read(script: Script, change?: Partial<ExtractionJob & ExtractionSink>): Promise<ExtractionSummary & ReceivedBook>
}

/** An extractor whose files are scripts; it is closed after the test. */
export async function scriptedExtractor(options: ExtractorOptions = {}): Promise<ScriptedExtractor> {
  const folder = await createTemporaryFolder()
  const extractor = createExtractor({ spare: false, formatModule, ...options })
  onTestFinished(() => extractor.close())
  let scripts = 0
  return {
    extractor,
    read: async (script, change = {}) => {
      scripts += 1
      const path = join(folder, `${scripts}.json`)
      await writeFile(path, JSON.stringify(script))
      return readAll(extractor, { path, sourceType: 'markdown', ...change })
    },
  }
}

/** Extracts a book and keeps everything. */
export async function readAll(
  extractor: Extractor,
  job: Omit<ExtractionJob, 'accountId'> & Partial<ExtractionJob & ExtractionSink>,
): Promise<ExtractionSummary & ReceivedBook> {
  const received: ReceivedBook = { info: null, pages: [], firstPages: [], progress: [] }
  const summary = await extractor.extract(
    { accountId: 'reader', ...job },
    {
      onInfo: async (info, pageCount) => {
        received.info = info
        await job.onInfo?.(info, pageCount)
      },
      onPages: async (pages, firstPage, words) => {
        received.pages.push(...pages)
        received.firstPages.push(firstPage)
        await job.onPages?.(pages, firstPage, words)
      },
      ...(job.onFigure ? { onFigure: job.onFigure } : {}),
      onProgress: (pages, of) => received.progress.push([pages, of]),
    },
  )
  return { ...received, ...summary }
}

/** The error code of an extraction, or `ok`. */
export async function extractionOutcome(extraction: Promise<unknown>): Promise<string> {
  return extraction.then(
    () => 'ok',
    (error: ExtractionError) => error.code ?? `not an extraction error: ${error.stack}`,
  )
}

/** True while a process with this id exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A folder that is removed after the test. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
