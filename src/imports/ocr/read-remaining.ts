import type { PageRenderer, ScanningJob } from '../extract/page-renderer.ts'
import { ExtractionError } from '../extract/extraction-error.ts'
import type { Box } from '../formats/picture/ink-components.ts'
import { addRemainingWords } from './add-remaining-words.ts'
import { overlap, placeNumbers } from './place-numbers.ts'
import { parseWords, type RecognisedParagraph, type RecognisedWord } from './parse-words.ts'
import { RecognitionError, type TesseractTask } from './run-tesseract.ts'

/** The services that a second pass needs. */
interface SecondPassServices {
  run(task: TesseractTask, signal?: AbortSignal): Promise<string>
  renderer: Pick<PageRenderer, 'scanRemaining' | 'scanIsolated'>
}

/** A page in the language and orientation in which it was read. */
interface ReadPage extends Pick<ScanningJob, 'turn'> {
  language: string
  paragraphs: readonly RecognisedParagraph[]
}

/** Maximum number of words on a page; a page with more is a texture. */
const maxRead = 20_000
/** Shorter words with less confidence get a second opinion. */
const doubtful = { confidence: 70, length: 3 }

/**
 * The paragraphs of a page together with what the first pass missed: first line numbers, pale print and words in
 * drawings, then isolated numbers, such as that of the page. Rejects with the reason of the signal.
 */
export async function readRemaining(
  services: SecondPassServices,
  page: Omit<ScanningJob, 'turn'> & { signal?: AbortSignal | undefined },
  { turn, language, paragraphs }: ReadPage,
): Promise<readonly RecognisedParagraph[]> {
  const { file, sourceType, accountId, page: number, signal } = page
  const job = { file, sourceType, accountId, page: number, turn }
  if (paragraphs.flat(2).length > maxRead) return paragraphs
  const withWords = await keepOnFailure(paragraphs, async () => {
    signal?.throwIfAborted()
    const remaining = await services.renderer.scanRemaining({ ...job, read: boxesOf(paragraphs, () => true) })
    if (!remaining) return paragraphs
    const table = await services.run({ task: 'words', picture: remaining.bytes, language, layout: 'scattered' }, signal)
    return addRemainingWords(paragraphs, parseWords(table))
  })
  return keepOnFailure(withWords, async () => {
    signal?.throwIfAborted()
    const read = boxesOf(withWords, (word) => !isDoubtful(word))
    const collage = await services.renderer.scanIsolated({ ...job, read })
    if (!collage) return withWords
    const table = await services.run({ task: 'words', picture: collage.bytes, language, layout: 'rows' }, signal)
    const numbers = placeNumbers(parseWords(table), collage.parts)
    return addRemainingWords(withoutReplaced(withWords, numbers), numbers)
  })
}

function boxesOf(paragraphs: readonly RecognisedParagraph[], isWanted: (word: RecognisedWord) => boolean): Box[] {
  return paragraphs
    .flat(2)
    .filter(isWanted)
    .map(({ box }) => box)
}

/** A less certain short word without digits may be a number: `oo` instead of 9. */
function isDoubtful({ text, confidence }: RecognisedWord): boolean {
  return confidence < doubtful.confidence && text.length <= doubtful.length && !/\p{N}/u.test(text)
}

/** The paragraphs without the doubtful words that turned out to be numbers. */
function withoutReplaced(
  paragraphs: readonly RecognisedParagraph[],
  numbers: readonly RecognisedParagraph[],
): RecognisedParagraph[] {
  const boxes = boxesOf(numbers, () => true)
  const isKept = (word: RecognisedWord) => !isDoubtful(word) || !boxes.some((box) => overlap(box, word.box))
  return paragraphs
    .map((lines) => lines.map((line) => line.filter(isKept)).filter((line) => line.length > 0))
    .filter((lines) => lines.length > 0)
}

/** The result of a step, or what was read before if the step fails. */
async function keepOnFailure<Text>(before: Text, step: () => Promise<Text>): Promise<Text> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof RecognitionError || error instanceof ExtractionError) return before
    throw error
  }
}
