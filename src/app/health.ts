import { readBackupState } from '../backup/scheduled.ts'
import { backupCheck } from '../health/backups.ts'
import type { HealthCheck } from '../health/check.ts'
import { importCheck } from '../health/imports.ts'
import { mailCheck } from '../health/mail.ts'
import { embeddingsCheck, indexCheck } from '../health/search.ts'
import { databaseCheck, diskCheck, filesCheck } from '../health/storage.ts'
import { recognitionCheck, type InstalledRecognition } from '../health/text-recognition.ts'
import type { Config } from './config.ts'
import type { OpenedServices } from './services.ts'

/**
 * The checks of an installation, as seen from this process. `findRecognition`: what it knows of its text recognition;
 * null: it imports no books.
 */
export function healthChecksOf(
  { dataDir, backups: plan }: Pick<Config, 'dataDir' | 'backups'>,
  { services, database }: Pick<OpenedServices, 'services' | 'database'>,
  findRecognition: (() => Promise<InstalledRecognition>) | null,
): HealthCheck[] {
  const folders = [
    ['the data directory', dataDir] as const,
    ...(plan === null ? [] : [['the folder for backups', plan.to] as const]),
  ]
  const checks = [
    databaseCheck(() => database.ping()),
    filesCheck(services.files),
    diskCheck(folders),
    backupCheck({ readState: () => readBackupState(database.db), plan, now: services.now }),
    importCheck(services),
    findRecognition === null ? null : recognitionCheck(services, findRecognition),
    indexCheck(services),
    embeddingsCheck(services),
    mailCheck(services),
  ]
  return checks.filter((check) => check !== null)
}
