import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Collection, Db } from 'mongodb'
import type { Log } from '../core/context.ts'
import { installationCollection } from '../db/installation.ts'
import { backUpToFile } from './backup-file.ts'
import type { StoredLibrary } from './library.ts'

export interface BackupPlan {
  /** Target folder. */
  to: string
  everyHours: number
  /** Number of files to keep in the folder. */
  keep: number
}

interface ScheduleOptions {
  plan: BackupPlan
  library: StoredLibrary
  withSecret: boolean
  now(): Date
  log: Log
  /** A process that is silent for this long is considered dead, ms. */
  leaseMs: number
  /** Aborts the backup when the process stops. */
  signal: AbortSignal
}

/** One row for all processes of an installation: the state of the schedule. */
interface TurnRow {
  _id: 'backup'
  /** Start of the last successful backup; absent: none has succeeded. */
  lastAt?: Date
  /** Until when a process has the right to make a backup. */
  leaseUntil: Date
  /** The failure of the last attempt; absent: it succeeded, or there was none. */
  failure?: { at: Date; reason: string }
}

/** The state of the scheduled backups of an installation; empty before the first. */
export type BackupState = Partial<Omit<TurnRow, '_id'>>

/** Reads the state of the scheduled backups, whichever process makes them. */
export async function readBackupState(db: Db): Promise<BackupState> {
  return (await db.collection<TurnRow>(installationCollection).findOne({ _id: 'backup' })) ?? {}
}

const hourMs = 60 * 60 * 1000
const maxReasonLength = 500
const namePattern = /^lectern-\d{8}T\d{6}Z\.tar\.zst$/

/**
 * Makes a backup if one is due and no other process makes it, and removes the oldest files beyond `keep`. A failed
 * backup is tried again at the next call.
 */
export async function backUpIfDue(options: ScheduleOptions): Promise<void> {
  try {
    await takeTurn(options)
  } catch (err) {
    if (!options.signal.aborted) options.log.error({ err, folder: options.plan.to }, 'the scheduled backup failed')
  }
}

async function takeTurn(options: ScheduleOptions): Promise<void> {
  const { plan, library, now, log, leaseMs } = options
  const rows = library.database.db.collection<TurnRow>(installationCollection)
  const at = now()
  if (!(await claim(rows, { at, plan, leaseMs }))) return
  const renew = () => rows.updateOne({ _id: 'backup' }, { $set: { leaseUntil: new Date(now().getTime() + leaseMs) } })
  const heartbeat = setInterval(() => void renew().catch(() => {}), leaseMs / 3)
  try {
    await removeParts(plan.to, at)
    const path = join(plan.to, `lectern-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar.zst`)
    const { bytes, missing, isOneMoment } = await backUpToFile(library, path, { ...options, at, show: () => {} })
    await rows.updateOne({ _id: 'backup' }, { $set: { lastAt: at }, $unset: { failure: '' } })
    const level = missing.length > 0 ? 'warn' : 'info'
    log[level]({ path, bytes, isOneMoment, missing: missing.slice(0, 20) }, 'backup made')
    await removeOld(plan)
  } catch (error) {
    if (!options.signal.aborted) await noteFailure(rows, error, now())
    throw error
  } finally {
    clearInterval(heartbeat)
    await rows.updateOne({ _id: 'backup' }, { $set: { leaseUntil: at } })
  }
}

/** Records why an attempt failed, for administrators. */
async function noteFailure(rows: Collection<TurnRow>, error: unknown, at: Date): Promise<void> {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, maxReasonLength)
  // An unreachable database must not hide the first error.
  await rows.updateOne({ _id: 'backup' }, { $set: { failure: { at, reason } } }).catch(() => {})
}

/** Claims the turn; true for one process only. */
async function claim(
  rows: Collection<TurnRow>,
  { at, plan, leaseMs }: { at: Date; plan: BackupPlan; leaseMs: number },
): Promise<boolean> {
  if (!(await rows.findOne({ _id: 'backup' }))) {
    // Of two processes that insert the row concurrently, one succeeds.
    await rows.insertOne({ _id: 'backup', leaseUntil: new Date(0) }).catch(() => {})
  }
  const dueBefore = new Date(at.getTime() - plan.everyHours * hourMs)
  const isDue = { $or: [{ lastAt: { $exists: false } }, { lastAt: { $lte: dueBefore } }] }
  const { modifiedCount } = await rows.updateOne(
    { _id: 'backup', leaseUntil: { $lte: at }, ...isDue },
    { $set: { leaseUntil: new Date(at.getTime() + leaseMs) } },
  )
  return modifiedCount === 1
}

async function removeOld({ to, keep }: BackupPlan): Promise<void> {
  const names = (await readdir(to)).filter((name) => namePattern.test(name)).sort()
  for (const name of names.slice(0, -keep)) await rm(join(to, name))
}

/** Removes leftovers of killed backups: files without a write for an hour. */
async function removeParts(folder: string, at: Date): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (!name.endsWith('.part') || !namePattern.test(name.slice(0, -'.part'.length))) continue
    if ((await stat(path)).mtimeMs < at.getTime() - hourMs) await rm(path, { force: true })
  }
}
