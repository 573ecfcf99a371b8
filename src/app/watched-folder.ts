import type { Account } from '../core/account.ts'
import type { Log } from '../core/context.ts'
import { watchFolder, type FolderWatch } from '../folders/watch-folder.ts'
import { createContextOf } from './account-context.ts'
import type { Config } from './config.ts'
import type { Services } from './context.ts'

/** Starts watching the configured folder; null if none is configured. */
export function openWatchedFolder(
  { watchedFolder }: Pick<Config, 'watchedFolder'>,
  services: Services,
  log: Log,
): FolderWatch | null {
  if (!watchedFolder) return null
  const actAs = (account: Account) =>
    createContextOf({ services, log }, account, { id: 'watched-folder', clientAddress: 'watched folder' })
  return watchFolder({ ...services, log, actAs }, watchedFolder)
}
