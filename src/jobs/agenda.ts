import { MongoBackend } from '@agendajs/mongo-backend'
import { Agenda, InMemoryNotificationChannel } from 'agenda'
import type { Db } from 'mongodb'

export interface AgendaOptions {
  /** Names this process in the rows it locks. */
  workerName: string
  /** How often waiting work is looked for, ms. */
  pollIntervalMs: number
  /** After this long without a sign of life another process may run a row again, ms. */
  lockTimeoutMs: number
}

/** The job queue: Agenda on the same store, collection `agenda`. Finished rows are removed, so it stays small. */
export function createAgenda(db: Db, { workerName, pollIntervalMs, lockTimeoutMs }: AgendaOptions): Agenda {
  return new Agenda({
    backend: new MongoBackend({ mongo: db, collection: 'agenda' }),
    name: workerName,
    processEvery: pollIntervalMs,
    // Work that this process adds is begun at once; what others add is found by looking.
    notificationChannel: new InMemoryNotificationChannel(),
    defaultLockLifetime: lockTimeoutMs,
    removeOnComplete: true,
  })
}
