import type { Drawer, ScanningJob } from '../extract/drawer.ts'
import { ExtractionError } from '../extract/extraction-error.ts'
import type { Box } from '../formats/picture/ink-components.ts'
import { addLeftWords } from './add-left-words.ts'
import { placeNumbers } from './place-numbers.ts'
import { parseWords, type RecognisedParagraph } from './parse-words.ts'
import { RecognitionError, type TesseractTask } from './run-tesseract.ts'

interface Means {
  run(task: TesseractTask, signal?: AbortSignal): Promise<string>
  drawer: Pick<Drawer, 'scanLeft' | 'scanIsolated'>
}

/** A page in the language and orientation in which it was read. */
interface ReadPage extends Pick<ScanningJob, 'turn'> {
  language: string
  paragraphs: readonly RecognisedParagraph[]
}

/** Maximum number of words on a page; a page with more is a texture. */
const maxRead = 20_000

/**
 * The paragraphs of a page together with what the first pass missed: first line numbers, pale print and words in
 * drawings, then isolated numbers, such as that of the page. Rejects with the reason of the signal.
 */
export async function readLeft(
  means: Means,
  page: Omit<ScanningJob, 'turn'> & { signal?: AbortSignal | undefined },
  { turn, language, paragraphs }: ReadPage,
): Promise<readonly RecognisedParagraph[]> {
  const { file, sourceType, accountId, page: number, signal } = page
  const job = { file, sourceType, accountId, page: number, turn }
  if (boxesOf(paragraphs).length > maxRead) return paragraphs
  const withWords = await keepOnFailure(paragraphs, async () => {
    signal?.throwIfAborted()
    const left = await means.drawer.scanLeft({ ...job, read: boxesOf(paragraphs) })
    if (!left) return paragraphs
    const table = await means.run({ task: 'words', picture: left.bytes, language, layout: 'scattered' }, signal)
    return addLeftWords(paragraphs, parseWords(table))
  })
  return keepOnFailure(withWords, async () => {
    signal?.throwIfAborted()
    const collage = await means.drawer.scanIsolated({ ...job, read: boxesOf(withWords) })
    if (!collage) return withWords
    const table = await means.run({ task: 'words', picture: collage.bytes, language, layout: 'rows' }, signal)
    return addLeftWords(withWords, placeNumbers(parseWords(table), collage.parts))
  })
}

function boxesOf(paragraphs: readonly RecognisedParagraph[]): Box[] {
  return paragraphs.flat(2).map(({ box }) => box)
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
