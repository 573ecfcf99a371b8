import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { StartError } from '../core/start-error.ts'
import { raiseSchema, readSchema, type SchemaVersions } from './installation.ts'
import { takeLease, type Lease } from './lease.ts'

/**
 * Converts documents of older versions to the shape of this version. Progress is counted in the store itself. So a
 * process may die at any point, and the next run finds what an older process still writes in the meantime.
 */
export interface Migration<Services> {
  /** In kebab-case. */
  name: string
  /** What it changes in stored data, for operators. */
  summary: string
  /**
   * The schema version that reads only the new shape: the migration must finish before a library is raised to it.
   * Absent: all code reads both shapes.
   */
  neededBy?: number
  /** Returns the number of documents in the older shape. */
  count(services: Services): Promise<number>
  /** Changes up to `limit` documents, each with one atomic update; returns the number of changed documents. */
  run(services: Services, limit: number): Promise<number>
}

/** A library with its migrations. */
export interface Migrating<Services> {
  db: Db
  services: Services
  migrations: readonly Migration<Services>[]
  schema: SchemaVersions
  /** A process that is silent for this long is considered dead, ms. */
  leaseMs: number
  /** Called after each batch. */
  onSlice?: (migration: Migration<Services>, changed: number) => void
  /** Stops the run between two batches. */
  signal?: AbortSignal
}

export interface PendingMigration {
  name: string
  summary: string
  /** Documents in the older shape. */
  pending: number
  /** True if a server of this version must finish it before it answers calls. */
  isBeforeStart: boolean
}

/** Number of documents per batch; between batches the run checks whether it must stop. */
const sliceSize = 100
const leaseId = 'migrations'

/** Reports what `migrate` would do. Changes nothing. */
export async function countPending<Services>({
  db,
  services,
  migrations,
  schema,
}: Migrating<Services>): Promise<PendingMigration[]> {
  const stored = await readSchema(db)
  const counted: PendingMigration[] = []
  for (const { name, summary, neededBy, count } of migrations)
    counted.push({
      name,
      summary,
      pending: await count(services),
      isBeforeStart: isNeeded({ neededBy }, stored, schema.written),
    })
  return counted
}

/**
 * Brings a library to the schema version that this Lectern writes, before the library is used: runs the required
 * migrations, then raises the version in the store. One process does it while others wait. Throws `StartError` if a
 * migration does not finish.
 */
export async function raiseToWritten<Services>(migrating: Migrating<Services>): Promise<void> {
  const { db, migrations, schema, leaseMs, signal } = migrating
  for (;;) {
    const stored = await readSchema(db)
    if (stored >= schema.written || signal?.aborted) return
    const lease = await takeLease(db, leaseId, leaseMs)
    if (lease === null) {
      await delay(Math.min(leaseMs / 3, 500))
      continue
    }
    try {
      for (const migration of migrations.filter((each) => isNeeded(each, stored, schema.written))) {
        const hasEnded = await runToEnd(migrating, migration, lease)
        // Whoever holds the lease now continues; this process waits for it, or takes the lease again.
        if (lease.isLost()) break
        if (!hasEnded && !signal?.aborted) throw notEndedError(migration)
      }
      if (!signal?.aborted && (await lease.renew())) await raiseSchema(db, schema.written)
    } finally {
      await lease.release()
    }
  }
}

/**
 * Runs all migrations while the server answers calls. Returns false if another process runs them, or if documents
 * remain, for example because they are being changed.
 */
export async function migrate<Services>(migrating: Migrating<Services>): Promise<boolean> {
  const { db, migrations, leaseMs } = migrating
  const lease = await takeLease(db, leaseId, leaseMs)
  if (lease === null) return false
  try {
    let hasEnded = true
    for (const migration of migrations) hasEnded = (await runToEnd(migrating, migration, lease)) && hasEnded
    return hasEnded
  } finally {
    await lease.release()
  }
}

function isNeeded({ neededBy }: { neededBy?: number | undefined }, stored: number, written: number): boolean {
  return neededBy !== undefined && neededBy > stored && neededBy <= written
}

/** Runs batches until no document remains; returns false if a batch changed nothing although documents remain. */
async function runToEnd<Services>(
  { services, onSlice, signal }: Migrating<Services>,
  migration: Migration<Services>,
  lease: Lease,
): Promise<boolean> {
  for (;;) {
    if (signal?.aborted || lease.isLost()) return false
    const changed = await migration.run(services, sliceSize)
    if (changed === 0) return (await migration.count(services)) === 0
    onSlice?.(migration, changed)
  }
}

function notEndedError({ name }: { name: string }): StartError {
  return new StartError(
    `The migration ${name} cannot change some of the documents, and this version cannot read them as they are. Start the older version again, let lectern doctor find what is wrong with them, and repeat.`,
  )
}
