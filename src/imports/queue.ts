import type { FileFormat } from '../books/file-formats.ts'
import type { ImportPasswords } from './import-passwords.ts'
import type { Lane } from './lane.ts'

/** The queue of background jobs: each entry lets a worker run one import, which `claimNextJob` chooses. */
export interface Queue {
  /** Adds an entry for a waiting job; adding it twice adds one. */
  enqueue(job: { id: string; lane: Lane }): Promise<void>
  /** Tells the workers of this process that a file is on its way, whose import will be queued in a moment. */
  expect(file: ExpectedFile): void
  /** Calls `prepare`, instead of an earlier one, whenever a file is on its way. */
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
