import type { CodeCache } from '../extract/code-cache.ts'
import { createPageRenderer } from '../extract/create-page-renderer.ts'
import type { DrawnFile, DrawnPicture, PageRenderer } from '../extract/page-renderer.ts'
import type { QuarterTurn } from '../formats/picture/prepare-scan.ts'
import { composePage, type RecognisedText } from './compose-page.ts'
import { detectLanguage } from './detect-language.ts'
import { dropLeaders } from './drop-leaders.ts'
import { candidateLanguages, isLanguage, tesseractLanguage } from './languages.ts'
import { isSideways, parseOrientation, parseWords, type Orientation, type RecognisedParagraph } from './parse-words.ts'
import { readRemaining } from './read-remaining.ts'
import {
  defaultLimits,
  findConfinement,
  findProgram,
  RecognitionError,
  runTesseract,
  type PageBudget,
  type TesseractLimits,
  type TesseractTask,
} from './run-tesseract.ts'

/** Recognises the text of pages from their pictures. */
export interface Recogniser {
  /** The installed languages, by Tesseract's names. */
  languages: readonly string[]
  /**
   * Recognises one page. Rejects with `RecognitionError` or `ExtractionError` if that fails, or with the reason of its
   * signal.
   */
  read(page: PageToRead): Promise<ReadText>
  /** The ids of the drawing processes. */
  pids(): number[]
  /** Ends the drawing processes. */
  close(): Promise<void>
}

export interface PageToRead {
  file: DrawnFile
  accountId: string
  /** Default: pdf. */
  sourceType?: 'pdf' | 'comic' | undefined
  /** From 1. */
  page: number
  /** The language of earlier pages of the book; null: not known yet. */
  language: string | null
  /** The language that the file declares, BCP 47. */
  named: string | null
  signal?: AbortSignal | undefined
}

export interface ReadText extends RecognisedText {
  /** The language for the following pages; null: this page has too few words. */
  language: string | null
}

/** Why this server has no text recognition. */
export type RecogniserProblem = 'off' | 'missing'

export interface RecogniserOptions {
  /** Name or path of the Tesseract program. */
  program: string
  /** Folders to search for it, like `PATH`. Default: those of the system. */
  searchPath?: string | undefined
  limits?: TesseractLimits
  /** Lends compiled code to the drawing processes. Default: none. */
  codeCache?: CodeCache | null
}

/**
 * Finds Tesseract and its languages. Returns `missing` if there is no program, no language, or no way to limit its
 * memory.
 */
export async function openRecogniser({
  program: name,
  searchPath,
  limits = defaultLimits,
  codeCache = null,
}: RecogniserOptions): Promise<Recogniser | RecogniserProblem> {
  const program = findProgram(name, searchPath)
  const confinement = findConfinement()
  if (program === null || confinement === null) return 'missing'
  const tesseract = { program, confinement, limits }
  const installed = await runTesseract(tesseract, { task: 'languages' }).then(
    (text) => text.split('\n').map((line) => line.trim()),
    (): string[] => [],
  )
  const languages = installed.filter(isLanguage)
  if (languages.length === 0) return 'missing'
  // Drawing and cleaning a large page takes a second, and up to a minute at the lowest priority.
  const renderer = createPageRenderer({ timeoutMs: 120_000, codeCache })
  const common = { renderer, languages, findsDirection: installed.includes('osd') }
  return {
    languages,
    read(page) {
      const budget = { leftMs: limits.maxCpuSeconds * 1000 }
      const run: Reading['run'] = (task, signal) => runTesseract({ ...tesseract, budget }, task, signal)
      return readPage({ ...common, run, budget }, page)
    },
    pids: () => renderer.pids(),
    close: () => renderer.close(),
  }
}

interface Reading {
  /** What the page may still cost; after that, tasks are refused with `RecognitionError`. */
  budget: PageBudget
  run(task: TesseractTask, signal?: AbortSignal): Promise<string>
  renderer: PageRenderer
  languages: readonly string[]
  findsDirection: boolean
}

/** A page with at least this confidence is upright and in the right language. */
const goodConfidence = 80
/** Narrower pictures contain no letters, pixels. */
const minSide = 10
/** With less processor time left, nothing more is tried for a page, ms. */
const minBudgetMs = 1000
/** Minimum number of words for detecting a language. */
const minWords = 20

async function readPage(reading: Reading, page: PageToRead): Promise<ReadText> {
  const { best, language } = await readUpright(reading, page)
  const isComplete = best.text.words < minWords || isSpent(reading)
  const paragraphs = isComplete ? best.paragraphs : await readRemaining(reading, page, best)
  return { ...composePage(paragraphs), language }
}

/**
 * Reads the page in the orientation and language that yield most text, and determines the language for the following
 * pages.
 */
async function readUpright(reading: Reading, page: PageToRead): Promise<{ best: Attempt; language: string | null }> {
  const { languages } = reading
  const named = tesseractLanguage(page.named)
  const likely = page.language ?? (named !== null && languages.includes(named) ? named : null)
  const first = likely ?? candidateLanguages(languages, null)[0] ?? 'eng'
  const upright = await attempt(reading, page, { turn: 0, language: first })
  if (isReliable(upright) && likely !== null) return { best: upright, language: languageOf(upright) }
  const orientation = isReliable(upright) ? null : await findOrientation(reading, page, upright.picture.bytes)
  const turned = await turnUpright(reading, page, { upright, orientation })
  if (isReliable(turned) && likely !== null) return { best: turned, language: languageOf(turned) }
  // A known language is kept: a badly printed page is no reason to switch the language of the book.
  if (page.language !== null) return { best: turned, language: page.language }
  const best = await chooseLanguage(reading, page, { turned, script: orientation?.script ?? null })
  return { best, language: languageOf(best) }
}

/** True if the page has used up its processor time. What was read until then is its text. */
function isSpent({ budget }: Reading): boolean {
  return budget.leftMs < minBudgetMs
}

interface Attempt {
  turn: QuarterTurn
  language: string
  picture: DrawnPicture
  paragraphs: readonly RecognisedParagraph[]
  text: RecognisedText
}

async function attempt(
  { run, renderer, budget }: Reading,
  { file, sourceType, accountId, page, signal }: PageToRead,
  { turn, language, drawn }: { turn: QuarterTurn; language: string; drawn?: DrawnPicture },
): Promise<Attempt> {
  signal?.throwIfAborted()
  const scan = drawn ?? (await renderer.scan({ file, sourceType, accountId, page, turn }))
  if (!drawn) budget.leftMs -= scan.drawingMs
  // Empty, or too small for Tesseract.
  const isStrip = Math.min(scan.width, scan.height) < minSide
  const table = isStrip ? '' : await run({ task: 'words', picture: scan.bytes, language, layout: 'paragraphs' }, signal)
  const paragraphs = dropLeaders(parseWords(table))
  return { turn, language, picture: scan, paragraphs, text: composePage(paragraphs) }
}

/** Another attempt, or null if the page has used up its processor time. */
async function attemptAgain(
  reading: Reading,
  page: PageToRead,
  how: Parameters<typeof attempt>[2],
): Promise<Attempt | null> {
  if (isSpent(reading)) return null
  try {
    return await attempt(reading, page, how)
  } catch (error) {
    if (error instanceof RecognitionError && isSpent(reading)) return null
    throw error
  }
}

function isReliable({ text, paragraphs }: Attempt): boolean {
  return text.confidence >= goodConfidence && text.words >= 3 && !isSideways(paragraphs)
}

function moreEvident(first: Attempt, second: Attempt): Attempt {
  return second.text.evidence > first.text.evidence ? second : first
}

/** The evidence for an orientation. Tesseract reads some pages that lie on their side, but not all of them. */
function evidenceOf({ text, paragraphs }: Attempt): number {
  return isSideways(paragraphs) ? text.evidence / 2 : text.evidence
}

function languageOf(best: Attempt): string | null {
  const { language, text } = best
  const isCertain = isReliable(best) || detectLanguage(text.content) === language
  return isCertain && text.words >= minWords ? language : null
}

/** Detects the orientation; null if the page has too few letters. */
async function findOrientation(
  { run, findsDirection }: Reading,
  { signal }: PageToRead,
  picture: Uint8Array,
): Promise<Orientation | null> {
  if (!findsDirection) return null
  try {
    return parseOrientation(await run({ task: 'orientation', picture }, signal))
  } catch (error) {
    if (error instanceof RecognitionError) return null
    throw error
  }
}

/**
 * Turns the page to the orientation in which most can be read: the detected one, otherwise each in turn, as long as
 * something looks like text.
 */
async function turnUpright(
  reading: Reading,
  page: PageToRead,
  { upright, orientation }: { upright: Attempt; orientation: Orientation | null },
): Promise<Attempt> {
  const isSilent = orientation === null && (reading.findsDirection || upright.text.words === 0)
  if (isReliable(upright) || isSilent) return upright
  const turns: QuarterTurn[] = orientation && orientation.confidence >= 1 ? [orientation.turn] : [90, 270, 180]
  let best = upright
  for (const turn of turns) {
    if (turn === 0) continue
    const turned = await attemptAgain(reading, page, { turn, language: upright.language })
    if (!turned) break
    if (evidenceOf(turned) > evidenceOf(best)) best = turned
    if (isReliable(best)) break
  }
  return best
}

/** Reads the page in the language that its frequent words indicate, or else in the one that yields most text. */
async function chooseLanguage(
  reading: Reading,
  page: PageToRead,
  { turned, script }: { turned: Attempt; script: string | null },
): Promise<Attempt> {
  const readIn = async (language: string) =>
    (await attemptAgain(reading, page, { turn: turned.turn, language, drawn: turned.picture })) ?? turned
  const { content } = turned.text
  const detected = detectLanguage(content)
  if (detected === turned.language) return turned
  if (detected !== null && reading.languages.includes(detected)) return readIn(detected)
  // Danish shares many words with German, which does not matter if it is not installed.
  const likely = detected === null ? detectLanguage(content, reading.languages) : null
  if (likely !== null && likely !== turned.language) return moreEvident(turned, await readIn(likely))
  // If the text has the letters of the page's script and is still unclear, other languages do not help.
  const candidates = candidateLanguages(reading.languages, script)
  if (isReliable(turned) || (detected !== null && candidates.includes(turned.language))) return turned
  if (turned.text.words === 0 && script === null) return turned
  let best = turned
  for (const language of candidates) {
    if (language === turned.language) continue
    const read = await readIn(language)
    if (read.text.evidence > best.text.evidence) best = read
  }
  return best
}
