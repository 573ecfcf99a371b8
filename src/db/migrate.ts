import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { StartError } from '../core/start-error.ts'
import { raiseSchema, readSchema, type SchemaVersions } from './installation.ts'
import { takeLease, type Lease } from './lease.ts'

/**
 * Brings what older versions have stored into the shape of this one. How much is left is counted in the store, so a process may die
 * anywhere, and what an older process still writes meanwhile is found by the next run.
 */
export interface Migration<Services> {
  /** In kebab-case. */
  name: string
  /** What it does to stored data, for operators. */
  summary: string
  /**
   * The version of the schema that reads the new shape only: it is at its end before a library is raised to that. Absent: all
   * code reads both.
   */
  neededBy?: number
  /** How many documents have the older shape. */
  count(services: Services): Promise<number>
  /** Changes up to `limit` of them, each with one atomic update; returns how many were changed. */
  run(services: Services, limit: number): Promise<number>
}

/** A library and what is known of how to bring it forward. */
export interface Migrating<Services> {
  db: Db
  services: Services
  migrations: readonly Migration<Services>[]
  schema: SchemaVersions
  /** A process that says nothing for this long has died, ms. */
  leaseMs: number
  /** Told after each slice. */
  onSlice?: (migration: Migration<Services>, changed: number) => void
  /** Ends it between two slices. */
  signal?: AbortSignal
}

export interface PendingMigration {
  name: string
  summary: string
  /** Documents in the older shape. */
  pending: number
  /** True if a server of this version ends it before it answers. */
  isBeforeStart: boolean
}

/** Documents that are changed before the server looks whether it should end. */
const sliceSize = 100
const leaseId = 'migrations'

/** What `migrate` would do. Changes nothing. */
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
 * Brings a library to the schema that this version writes, before it is used: the migrations that this needs, then the version in
 * the store. One process does it; others wait. Throws `StartError` if a migration does not come to its end.
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
      for (const migration of migrations.filter((each) => isNeeded(each, stored, schema.written)))
        if (!(await runToEnd(migrating, migration, lease)) && !signal?.aborted) throw notEndedError(migration)
      if (!signal?.aborted && (await lease.renew())) await raiseSchema(db, schema.written)
    } finally {
      await lease.release()
    }
  }
}

/**
 * Runs all migrations as far as they go, beside calls; false when another process does, or when something is left, such as
 * documents that are changing at the moment.
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

/** Slice after slice until nothing is left; false when a slice changed nothing and something is left all the same. */
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
