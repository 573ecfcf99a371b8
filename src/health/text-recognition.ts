import type { RecognitionStores } from '../imports/ocr/recognition-store.ts'
import type { Recogniser, RecogniserProblem } from '../imports/ocr/recogniser.ts'
import { counted } from '../text/counted.ts'
import { languageName } from '../text/language-name.ts'
import { improvable, well, type HealthCheck } from './check.ts'

/** What a process knows of its text recognition. */
export type InstalledRecognition = Pick<Recogniser, 'languages'> | RecogniserProblem

const countedBooks = 1000

/** Says whether this process recognises the text of scans, in which languages, and how many books wait. */
export function recognitionCheck(
  { recognitions }: RecognitionStores,
  findInstalled: () => Promise<InstalledRecognition>,
): HealthCheck {
  return {
    name: 'recognition',
    title: 'Text recognition',
    async look() {
      const installed = await findInstalled()
      if (installed === 'off')
        return improvable(
          'Text recognition is switched off: scanned pages stay without text.',
          'Set LECTERN_OCR=on to use it.',
        )
      if (installed === 'missing')
        return improvable(
          'Tesseract with a language, or prlimit, is missing: scanned pages stay without text.',
          'Install Tesseract with the languages of your books, start the server again, and reprocess the books.',
        )
      const { languages } = installed
      const unfinished = await recognitions.countUnfinished(countedBooks)
      const books = unfinished === countedBooks ? `${countedBooks} or more books` : counted(unfinished, 'book')
      const progress =
        unfinished === 0
          ? 'No book waits for it.'
          : `${books} ${unfinished === 1 ? 'waits' : 'wait'} for it or ${unfinished === 1 ? 'is' : 'are'} being read.`
      return well(
        `Scanned pages get text in ${counted(languages.length, 'language')}: ${languages.map(languageName).join(', ')}. ${progress}`,
      )
    },
    remedy: 'See the log of the server.',
  }
}
