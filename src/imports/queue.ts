import type { FileFormat } from '../books/file-formats.ts'
import type { ImportPasswords } from './import-passwords.ts'
import type { Lane } from './lane.ts'

/** The queue of background jobs. Each entry makes a worker run one import, which `claimNextJob` selects. */
export interface Queue {
  /** Adds an entry for a waiting job. Idempotent. */
  enqueue(job: { id: string; lane: Lane }): Promise<void>
  /** Tells the workers of this process that a file is arriving, whose import will be queued soon. */
  expect(file: ExpectedFile): void
  /** Registers `prepare`, replacing an earlier one, to be called when a file is arriving. */
  onExpected(prepare: (file: ExpectedFile) => void): void
}

export interface ExpectedFile {
  accountId: string
  format: FileFormat
}

export interface QueueServices {
  queue: Queue
  importPasswords: ImportPasswords
}
