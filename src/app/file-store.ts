import { join } from 'node:path'
import { openFileStore } from '../files/open-file-store.ts'
import type { FileStore } from '../files/store.ts'
import type { Config } from './config.ts'

/** Opens the configured file store. `secret` signs upload URLs. */
export function openConfiguredFileStore(
  { files, dataDir, baseUrl }: Pick<Config, 'files' | 'dataDir' | 'baseUrl'>,
  secret: string,
): Promise<FileStore> {
  if (files.driver === 'disk')
    return openFileStore({ driver: 'disk', directory: join(dataDir, 'files'), baseUrl, secret })
  return openFileStore({ ...files, tempDirectory: join(dataDir, 'tmp') })
}
