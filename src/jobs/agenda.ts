import { MongoBackend } from '@agendajs/mongo-backend'
import { Agenda, InMemoryNotificationChannel } from 'agenda'
import type { Db } from 'mongodb'

export interface AgendaOptions {
  /** Identifies this process in the rows that it locks. */
  workerName: string
  /** Interval at which the queue looks for jobs, ms. */
  pollIntervalMs: number
  /** How long a lock lasts without renewal, ms; after that another process may run the job. */
  lockTimeoutMs: number
}

/**
 * The job queue: Agenda on the same database, collection `agenda`. Completed jobs are removed, so the collection stays
 * small.
 */
export function createAgenda(db: Db, { workerName, pollIntervalMs, lockTimeoutMs }: AgendaOptions): Agenda {
  return new Agenda({
    backend: new MongoBackend({ mongo: db, collection: 'agenda' }),
    name: workerName,
    processEvery: pollIntervalMs,
    // A job added by this process starts at once; polling finds the jobs of other processes.
    notificationChannel: new InMemoryNotificationChannel(),
    defaultLockLifetime: lockTimeoutMs,
    removeOnComplete: true,
  })
}
