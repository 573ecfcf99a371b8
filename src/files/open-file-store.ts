import type { DiskConfig } from './disk-store.ts'
import type { S3Config } from './s3-connection.ts'
import type { FileStore } from './store.ts'

export type FileStoreConfig = ({ driver: 'disk' } & DiskConfig) | ({ driver: 's3' } & S3Config)

/**
 * Opens the configured store. Loads only the configured driver, so that a service on disk does not load the S3 client.
 */
export async function openFileStore(config: FileStoreConfig): Promise<FileStore> {
  if (config.driver === 'disk') {
    const { openDiskStore } = await import('./disk-store.ts')
    return openDiskStore(config)
  }
  const { openS3Store } = await import('./s3-store.ts')
  return openS3Store(config)
}
