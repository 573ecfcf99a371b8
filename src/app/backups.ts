import { backUpIfDue } from '../backup/scheduled.ts'
import type { Log } from '../core/context.ts'
import { createDirectory } from '../files/create-directory.ts'
import type { Config } from './config.ts'
import type { OpenedServices } from './services.ts'

/**
 * Returns a function that makes a backup if one is due, until the signal aborts it; null: this installation has no
 * scheduled backups. Creates the folder.
 */
export async function openBackups(
  { backups: plan, mongodbUrl: url, dataDir: directory, secret: setSecret }: Config,
  { database, services, secret, tuning }: Pick<OpenedServices, 'database' | 'services' | 'secret' | 'tuning'>,
  log: Log,
): Promise<((signal: AbortSignal) => Promise<void>) | null> {
  if (plan === null) return null
  createDirectory(plan.to)
  const { files, now } = services
  const library = { database, files, secret, url, directory }
  const options = { plan, library, withSecret: setSecret === undefined, now, log, leaseMs: tuning.leaseMs }
  return (signal) => backUpIfDue({ ...options, signal })
}
