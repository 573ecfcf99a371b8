import { join } from 'node:path'
import { fingerprintOfSecret } from '../backup/manifest.ts'
import type { Log } from '../core/context.ts'
import { recordSecretMark } from '../db/installation.ts'
import type { Config } from './config.ts'
import type { OpenedServices } from './services.ts'

/**
 * Warns if the server that started before this one had another secret: two such servers refuse each other's forms and
 * tokens, and a lost secret makes earlier links useless.
 */
export async function warnOfChangedSecret(
  { secret: set, dataDir }: Config,
  { database, secret }: OpenedServices,
  log: Log,
): Promise<void> {
  const mark = fingerprintOfSecret(secret)
  const before = await recordSecretMark(database.db, mark)
  if (before === null || before === mark) return
  log.warn(
    { source: set === undefined ? join(dataDir, 'secret') : 'LECTERN_SECRET' },
    'This process has another secret than the one that last used this library. All processes need the same LECTERN_SECRET: otherwise ' +
      'each refuses the forms, uploads and sign-ins that another has begun. Without the earlier secret, invitation links sent until now do not work.',
  )
}
