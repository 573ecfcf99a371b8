import { sep } from 'node:path'
import { AppError, isStoreFull } from '../core/errors.ts'
import { StartError } from '../core/start-error.ts'
import { errnoOf } from '../files/disk-errors.ts'
import { FileStoreError } from '../files/store.ts'
import { ConfigError, type Config } from './config.ts'

/**
 * Explains in a sentence why the server or a command cannot start, with the remedy; null for a defect of the program.
 * The sentence contains no password.
 */
export function explainStartFailure(error: unknown, config: Config): string | null {
  if (error instanceof StartError || error instanceof ConfigError || error instanceof AppError) return error.message
  if (error instanceof FileStoreError) return explainFileStore(error, config)
  if (isStoreFull(error)) return 'The database has no space left. Free some space on its disk, then try again.'
  if (!(error instanceof Error)) return null
  if (isSystemError(error, 'listen') || isSystemError(error, 'getaddrinfo')) return explainAddress(error, config)
  if ('path' in error && typeof error.path === 'string') return explainFolder(error, error.path, config)
  if (fullDiskErrnos.has(errnoOf(error))) return explainFullDisk(config)
  return null
}

const fullDiskErrnos = new Set(['ENOSPC', 'EDQUOT'])

/** A failed write to an open file, whose error does not name the path. */
function explainFullDisk({ dataDir }: Config): string {
  return `The disk is full. Free some space on it, then try again. The data is in ${dataDir}.`
}

function isSystemError(error: Error, syscall: string): boolean {
  return 'syscall' in error && error.syscall === syscall
}

function explainAddress(error: Error, config: Config): string {
  const errno = errnoOf(error)
  const { host, metricsPort } = config
  const port = 'port' in error && typeof error.port === 'number' ? error.port : config.port
  const isMetricsPort = port === metricsPort
  if (errno === 'EADDRINUSE') {
    const other = port < 65_535 ? port + 1 : port - 1
    const choice = isMetricsPort ? `LECTERN_METRICS_PORT=${other}` : `PORT=${other}`
    return `Port ${port} is in use by another program, perhaps another Lectern server. Stop that program, or choose another port: ${choice}`
  }
  if (errno === 'EACCES') {
    const choice = isMetricsPort ? 'LECTERN_METRICS_PORT=9464' : 'PORT=3000'
    return `This user may not listen on port ${port}. Choose a port from 1024 on: ${choice}`
  }
  return `HOST=${host} is not an address of this computer (${errno}). Use 127.0.0.1 for this computer only, or 0.0.0.0 for all its addresses.`
}

/** Why a folder or file cannot be used, by system error code. */
const folderProblems: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EACCES: 'this user has no right to write there',
    EPERM: 'this user has no right to write there',
    EROFS: 'its file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    ENOTDIR: 'a part of the path is a file, not a folder',
    EEXIST: 'a file is in its place',
    EISDIR: 'a folder is in its place',
    ENOENT: 'it cannot be created there',
  }),
)

function explainFolder(error: Error, path: string, { dataDir, backups }: Config): string {
  const errno = errnoOf(error)
  const problem = folderProblems.get(errno)
  const reason = problem === undefined ? errno : `${problem} (${errno})`
  const isForBackups = backups !== null && isWithin(backups.to, path) && !isWithin(dataDir, path)
  const remedy = isForBackups ? 'for backups with LECTERN_BACKUP_TO' : 'for the data with LECTERN_DATA_DIR'
  return `${path} cannot be used: ${reason}. Fix this, or name another folder ${remedy}.`
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep)
}

function explainFileStore(error: FileStoreError, config: Config): string {
  const { cause } = error
  const { files } = config
  if (cause instanceof Error && 'path' in cause && typeof cause.path === 'string')
    return explainFolder(cause, cause.path, config)
  if (files.driver === 'disk') return error.message
  const place = `The bucket ${files.bucket}${files.endpoint === undefined ? '' : ` at ${files.endpoint}`}`
  const reason = cause instanceof Error ? ` The reason: ${cause.message}.` : ''
  return `${place} cannot be used. ${error.message}${reason} Check LECTERN_S3_BUCKET, LECTERN_S3_ENDPOINT, LECTERN_S3_REGION, LECTERN_S3_ACCESS_KEY and LECTERN_S3_SECRET_KEY.`
}
