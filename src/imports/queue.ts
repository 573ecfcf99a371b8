import type { ImportPasswords } from './import-passwords.ts'
import type { Lane } from './lane.ts'

/** The queue of background jobs: each entry lets a worker run one import, which `claimNextJob` chooses. */
export interface Queue {
  /** Adds an entry for a waiting job; adding it twice adds one. */
  enqueue(job: { id: string; lane: Lane }): Promise<void>
}

export interface QueueServices {
  queue: Queue
  importPasswords: ImportPasswords
}
