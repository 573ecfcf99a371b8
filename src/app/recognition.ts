import type { Logger } from 'pino'
import type { CodeCache } from '../imports/extract/code-cache.ts'
import type { Ocr } from '../imports/ocr-service.ts'
import { openRecogniser } from '../imports/ocr/recogniser.ts'
import { startRecognition, type RecognitionWorker, type WorkerTimes } from '../imports/ocr/recognition-worker.ts'
import type { RecognitionServices } from '../imports/ocr/run-recognition.ts'
import type { Config } from './config.ts'

/** Text recognition in this process. */
export interface ProcessRecognition {
  ocr: Ocr
  /** Starts recognising waiting pages; does nothing without text recognition. */
  start(services: Omit<RecognitionServices, 'recogniser'>, times: WorkerTimes): void
  /** Releases the current book and ends the processes. */
  stop(): Promise<void>
}

/** Finds the configured Tesseract program; without it, logs that the process recognises no text. */
export async function openRecognition(
  { ocr }: Pick<Config, 'ocr'>,
  { log, codeCache }: { log: Logger; codeCache: CodeCache | null },
): Promise<ProcessRecognition> {
  const recogniser = ocr === null ? 'off' : await openRecogniser({ ...ocr, codeCache })
  if (ocr !== null && recogniser === 'missing')
    log.info(
      { program: ocr.program },
      'the text of scans is not recognised: Tesseract with a language, or prlimit, is missing',
    )
  let worker: RecognitionWorker | null = null
  return {
    ocr: { recogniser, maxPages: ocr?.maxPages ?? 0 },
    start(services, times) {
      if (typeof recogniser !== 'string') worker = startRecognition({ ...services, recogniser }, times)
    },
    async stop() {
      await worker?.stop()
      if (typeof recogniser !== 'string') await recogniser.close()
    },
  }
}
