import { setImmediate as nextTurn } from 'node:timers/promises'
import { MongoBackend } from '@agendajs/mongo-backend'
import { Agenda, InMemoryNotificationChannel, type JobRepository } from 'agenda'
import type { Db } from 'mongodb'

export interface AgendaOptions {
  /** Identifies this process in the rows that it locks. */
  workerName: string
  /** Interval at which the queue looks for jobs, ms. */
  pollIntervalMs: number
  /** How long a lock lasts without renewal, ms; after that another process may run the job. */
  lockTimeoutMs: number
}

export interface JobQueue {
  agenda: Agenda
  /** Takes no further rows, and releases those whose job has not begun. */
  stop(): Promise<void>
  /** Resolves when Agenda is no longer waiting for the database. Call it when the running jobs have ended. */
  idle(): Promise<void>
}

/**
 * The job queue: Agenda on the same database, collection `agenda`. Completed jobs are removed, so the collection stays
 * small.
 */
export function createAgenda(db: Db, { workerName, pollIntervalMs, lockTimeoutMs }: AgendaOptions): JobQueue {
  const backend = new MongoBackend({ mongo: db, collection: 'agenda' })
  const { repository, stopTaking, idle } = stoppableRows(backend.repository)
  const agenda = new Agenda({
    backend: Object.create(backend, { repository: { value: repository } }) as MongoBackend,
    name: workerName,
    processEvery: pollIntervalMs,
    // A job added by this process starts at once; polling finds the jobs of other processes.
    notificationChannel: new InMemoryNotificationChannel(),
    defaultLockLifetime: lockTimeoutMs,
    removeOnComplete: true,
  })
  return {
    agenda,
    async stop() {
      stopTaking()
      await agenda.stop()
    },
    idle,
  }
}

interface StoppableRows {
  repository: JobRepository
  /** From now on, no row is taken; one that a running call takes is released at once. */
  stopTaking(): void
  /** Resolves when no call is running. */
  idle(): Promise<void>
}

/**
 * Agenda's own `stop` does not wait for a poll that is running. The poll would fail when the database is closed, or lock
 * a row that no process can take until the lock expires.
 */
function stoppableRows(rows: JobRepository): StoppableRows {
  const running = new Set<Promise<unknown>>()
  let isTaking = true
  const getNextJobToRun: JobRepository['getNextJobToRun'] = async (...query) => {
    if (!isTaking) return undefined
    const row = await rows.getNextJobToRun(...query)
    if (isTaking || row === undefined) return row
    await rows.unlockJob(row)
    return undefined
  }
  const track = (call: Promise<unknown>) => {
    running.add(call)
    return call.finally(() => running.delete(call))
  }
  const repository = new Proxy(rows, {
    get(_, name) {
      const member: unknown = name === 'getNextJobToRun' ? getNextJobToRun : Reflect.get(rows, name)
      if (typeof member !== 'function') return member
      return (...inputs: unknown[]) => track(member.apply(rows, inputs))
    },
  })
  return {
    repository,
    stopTaking() {
      isTaking = false
    },
    async idle() {
      do {
        await Promise.allSettled(running)
        // Code that waited for these calls may start further ones in its next turn.
        await nextTurn()
      } while (running.size > 0)
    },
  }
}
