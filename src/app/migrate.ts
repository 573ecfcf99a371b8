import type { Log } from '../core/context.ts'
import { migrate, raiseToWritten, type Migrating } from '../db/migrate.ts'
import type { Services } from './context.ts'
import type { OpenedServices } from './services.ts'

/** An opened library in the form that migrations need. */
export function migratingOf({ database, services, tuning }: OpenedServices): Migrating<Services> {
  const { migrations, schema, leaseMs } = tuning
  return { db: database.db, services, migrations, schema, leaseMs }
}

/** Brings a library to the schema that this version writes, before it is used. Throws `StartError` if that fails. */
export function raiseLibrary(opened: OpenedServices, log: Log): Promise<void> {
  return raiseToWritten({ ...migratingOf(opened), onSlice: reportTo(log) })
}

/**
 * Returns a function that runs the migrations during normal operation until the signal aborts it. Failures are logged
 * and retried at the next call.
 */
export function migrateInBackground(opened: OpenedServices, log: Log): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    try {
      await migrate({ ...migratingOf(opened), onSlice: reportTo(log), signal })
    } catch (err) {
      if (!signal.aborted) log.error({ err }, 'a migration failed; it is tried again')
    }
  }
}

function reportTo(log: Log): (migration: { name: string }, changed: number) => void {
  return ({ name }, changed) => log.info({ migration: name, changed }, 'migrated')
}
