import type { CodeCache } from '../extract/code-cache.ts'
import { createDrawer } from '../extract/create-drawer.ts'
import { ExtractionError } from '../extract/extraction-error.ts'
import type { DrawnFile, DrawnPicture, Drawer } from '../extract/drawer.ts'
import type { QuarterTurn } from '../formats/picture/prepare-scan.ts'
import { addLeftWords } from './add-left-words.ts'
import { composePage, type RecognisedText } from './compose-page.ts'
import { detectLanguage } from './detect-language.ts'
import { dropLeaders } from './drop-leaders.ts'
import { candidateLanguages, isLanguage, tesseractLanguage } from './languages.ts'
import { isSideways, parseOrientation, parseWords, type Orientation, type RecognisedParagraph } from './parse-words.ts'
import {
  defaultLimits,
  findConfinement,
  findProgram,
  RecognitionError,
  runTesseract,
  type TesseractLimits,
  type TesseractTask,
} from './run-tesseract.ts'

/** Reads the text of pages from their pictures. */
export interface Recogniser {
  /** The installed languages, as Tesseract names them. */
  languages: readonly string[]
  /** Reads one page. Rejects with `RecognitionError` or `ExtractionError` for a page that cannot be read, or the reason of its signal. */
  read(page: PageToRead): Promise<ReadText>
  /** The processes that draw. */
  pids(): number[]
  /** Ends the processes that draw. */
  close(): Promise<void>
}

export interface PageToRead {
  file: DrawnFile
  accountId: string
  /** Default: pdf. */
  sourceType?: 'pdf' | 'comic' | undefined
  /** From 1. */
  page: number
  /** What earlier pages of the book were read in; null: not known yet. */
  language: string | null
  /** The language that the file names, BCP 47. */
  named: string | null
  signal?: AbortSignal | undefined
}

export interface ReadText extends RecognisedText {
  /** For the pages to come; null: this page had too few words to tell. */
  language: string | null
}

/** Why text is not recognised on this server. */
export type RecogniserProblem = 'off' | 'missing'

export interface RecogniserOptions {
  /** Name or path of Tesseract. */
  program: string
  /** Folders in which it is looked for by its name, as in `PATH`; default: those of the system. */
  searchPath?: string | undefined
  limits?: TesseractLimits
  /** Lends compiled code to the processes that draw; default none. */
  codeCache?: CodeCache | null
}

/** Finds Tesseract and what it can read; `missing` without it, without a language, or without a way to limit its memory. */
export async function openRecogniser({
  program: name,
  searchPath,
  limits = defaultLimits,
  codeCache = null,
}: RecogniserOptions): Promise<Recogniser | RecogniserProblem> {
  const program = findProgram(name, searchPath)
  const confinement = findConfinement()
  if (program === null || confinement === null) return 'missing'
  const run = (task: TesseractTask, signal?: AbortSignal) =>
    runTesseract({ program, confinement, limits }, task, signal)
  const installed = await run({ task: 'languages' }).then(
    (text) => text.split('\n').map((line) => line.trim()),
    (): string[] => [],
  )
  const languages = installed.filter(isLanguage)
  if (languages.length === 0) return 'missing'
  // A large page is drawn and cleaned in a second, and at the lowest priority in a minute.
  const drawer = createDrawer({ timeoutMs: 120_000, codeCache })
  const reading = { run, drawer, languages, findsDirection: installed.includes('osd') }
  return { languages, read: (page) => readPage(reading, page), pids: () => drawer.pids(), close: () => drawer.close() }
}

interface Reading {
  run(task: TesseractTask, signal?: AbortSignal): Promise<string>
  drawer: Drawer
  languages: readonly string[]
  findsDirection: boolean
}

/** A page that was read this surely stands upright and is in the right language. */
const goodConfidence = 80
/** A picture that is narrower has no letters, pixels. */
const minSide = 10
/** Words of a page; one with more is a texture. */
const maxRead = 20_000
/** Words by which a language can be told. */
const minWords = 20

async function readPage(reading: Reading, page: PageToRead): Promise<ReadText> {
  const { best, language } = await readUpright(reading, page)
  return { ...composePage(await readLeft(reading, page, best)), language }
}

/** The page in the direction and the language in which most of it can be read, and the language for the pages to come. */
async function readUpright(reading: Reading, page: PageToRead): Promise<{ best: Attempt; language: string | null }> {
  const { languages } = reading
  const named = tesseractLanguage(page.named)
  const likely = page.language ?? (named !== null && languages.includes(named) ? named : null)
  const first = likely ?? candidateLanguages(languages, null)[0] ?? 'eng'
  const upright = await attempt(reading, page, { turn: 0, language: first })
  if (isGood(upright) && likely !== null) return { best: upright, language: languageOf(upright) }
  const orientation = isGood(upright) ? null : await findOrientation(reading, page, upright.picture.bytes)
  const turned = await turnUpright(reading, page, { upright, orientation })
  if (isGood(turned) && likely !== null) return { best: turned, language: languageOf(turned) }
  // A chosen language stays; a page in poor print is no reason to read the book in another one.
  if (page.language !== null) return { best: turned, language: page.language }
  const best = await chooseLanguage(reading, page, { turned, script: orientation?.script ?? null })
  return { best, language: languageOf(best) }
}

interface Attempt {
  turn: QuarterTurn
  language: string
  picture: DrawnPicture
  paragraphs: readonly RecognisedParagraph[]
  text: RecognisedText
}

async function attempt(
  { run, drawer }: Reading,
  { file, sourceType, accountId, page, signal }: PageToRead,
  { turn, language, drawn }: { turn: QuarterTurn; language: string; drawn?: DrawnPicture },
): Promise<Attempt> {
  signal?.throwIfAborted()
  const scan = drawn ?? (await drawer.scan({ file, sourceType, accountId, page, turn }))
  // Nothing to read, and too small for Tesseract.
  const isStrip = Math.min(scan.width, scan.height) < minSide
  const table = isStrip ? '' : await run({ task: 'words', picture: scan.bytes, language, layout: 'paragraphs' }, signal)
  const paragraphs = dropLeaders(parseWords(table))
  return { turn, language, picture: scan, paragraphs, text: composePage(paragraphs) }
}

/** The paragraphs of a page with what the first look at it passed over: numbers of lines and pages, pale print, words in drawings. */
async function readLeft(
  { run, drawer }: Reading,
  { file, sourceType, accountId, page, signal }: PageToRead,
  { turn, language, paragraphs, text }: Attempt,
): Promise<readonly RecognisedParagraph[]> {
  const read = paragraphs.flat(2).map(({ box }) => box)
  if (text.words < minWords || read.length > maxRead) return paragraphs
  signal?.throwIfAborted()
  try {
    const left = await drawer.scanLeft({ file, sourceType, accountId, page, turn, read })
    if (!left) return paragraphs
    const table = await run({ task: 'words', picture: left.bytes, language, layout: 'scattered' }, signal)
    return addLeftWords(paragraphs, parseWords(table))
  } catch (error) {
    // What was read before it stays.
    if (error instanceof RecognitionError || error instanceof ExtractionError) return paragraphs
    throw error
  }
}

function isGood({ text, paragraphs }: Attempt): boolean {
  return text.confidence >= goodConfidence && text.words >= 3 && !isSideways(paragraphs)
}

/** How much a direction has for itself; Tesseract reads pages that lie on their side too, but not all of them. */
function evidenceOf({ text, paragraphs }: Attempt): number {
  return isSideways(paragraphs) ? text.evidence / 2 : text.evidence
}

function languageOf(best: Attempt): string | null {
  const { language, text } = best
  const isCertain = isGood(best) || detectLanguage(text.content) === language
  return isCertain && text.words >= minWords ? language : null
}

/** Null where that cannot be told: on a page with few letters. */
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

/** The page in the direction in which most can be read: the one that was found, or else each, as long as there is anything like text. */
async function turnUpright(
  reading: Reading,
  page: PageToRead,
  { upright, orientation }: { upright: Attempt; orientation: Orientation | null },
): Promise<Attempt> {
  const isSilent = orientation === null && (reading.findsDirection || upright.text.words === 0)
  if (isGood(upright) || isSilent) return upright
  const turns: QuarterTurn[] = orientation && orientation.confidence >= 1 ? [orientation.turn] : [90, 270, 180]
  let best = upright
  for (const turn of turns) {
    if (turn === 0) continue
    const turned = await attempt(reading, page, { turn, language: upright.language })
    if (evidenceOf(turned) > evidenceOf(best)) best = turned
    if (isGood(best)) break
  }
  return best
}

/** The page in the language that its common words tell, or else in which most can be read. */
async function chooseLanguage(
  reading: Reading,
  page: PageToRead,
  { turned, script }: { turned: Attempt; script: string | null },
): Promise<Attempt> {
  const readIn = (language: string) => attempt(reading, page, { turn: turned.turn, language, drawn: turned.picture })
  const detected = detectLanguage(turned.text.content)
  if (detected === turned.language) return turned
  if (detected !== null && reading.languages.includes(detected)) return readIn(detected)
  // In the letters of the page, and still hard to read: in another language it is not easier.
  const candidates = candidateLanguages(reading.languages, script)
  if (isGood(turned) || (detected !== null && candidates.includes(turned.language))) return turned
  if (turned.text.words === 0 && script === null) return turned
  let best = turned
  for (const language of candidates) {
    if (language === turned.language) continue
    const read = await readIn(language)
    if (read.text.evidence > best.text.evidence) best = read
  }
  return best
}
