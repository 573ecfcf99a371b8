import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  renameSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { userName } from './plain-auth.ts'

/**
 * Where the server listens (a socket file in a private directory, or a loopback port), and the secret that clients
 * need.
 */
export type Address = { socket: string; secret: string } | { secret: string }

/**
 * Maximum length in bytes of a Unix socket path that works on every system (`sun_path` holds 104 bytes on macOS, 108 on
 * Linux).
 */
const maxPathBytes = 103
const urlFile = 'store.url'
const secretFile = 'store.secret'

/** Chooses the address and creates its directory, which only its owner can access. */
export function chooseAddress(directory: string): Address {
  if (process.platform === 'win32') return { secret: randomBytes(24).toString('hex') }
  const secret = loadOrCreateSecret(directory)
  const inside = insidePath(directory)
  if (Buffer.byteLength(inside) <= maxPathBytes) {
    mkdirSync(dirname(inside), { recursive: true, mode: 0o700 })
    chmodSync(dirname(inside), 0o700)
    return { socket: inside, secret }
  }
  return { socket: join(mkdtempSync(join(tmpdir(), temporaryPrefix(directory))), 'store.sock'), secret }
}

/**
 * The secret for a directory's socket, from a file that only its owner can read. It stays the same across restarts, so
 * that clients in other processes can reconnect.
 */
function loadOrCreateSecret(directory: string): string {
  const known = readSecret(directory)
  if (known) return known
  const secret = randomBytes(24).toString('hex')
  writePrivate(join(directory, secretFile), secret)
  return secret
}

function readSecret(directory: string): string | undefined {
  return ifExists(() => readFileSync(join(directory, secretFile), 'utf8').trim())
}

function insidePath(directory: string): string {
  return join(directory, 'run', 'store.sock')
}

/** Prefix of the name of a temporary directory for a socket; its hash identifies the data directory. */
function temporaryPrefix(directory: string): string {
  const hash = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 12)
  return `lectern-${hash}-`
}

const authentication = 'authMechanism=PLAIN&authSource=%24external'

/**
 * The connection URL for drivers. It requests a direct connection, because discovery would convert the path to lower
 * case.
 */
export function socketUrl(socket: string, secret: string): string {
  return `mongodb://${userName}:${secret}@${encodeURIComponent(socket)}/?directConnection=true&${authentication}`
}

/** The connection URL for drivers, for a server on a loopback port. */
export function portUrl(port: number, secret: string): string {
  return `mongodb://${userName}:${secret}@127.0.0.1:${port}/?directConnection=true&${authentication}`
}

type ParsedAddress = { socket: string; secret?: string } | { port: number; secret: string }

/** Parses a URL made by `socketUrl` or `portUrl`; undefined for any other text. */
export function addressOf(url: string): ParsedAddress | undefined {
  const [, secret, host = ''] = /^mongodb:\/\/(?:[^/:@]+:([^/@]+)@)?([^/@]+)\//.exec(url) ?? []
  if (host === '') return undefined
  const port = /^127\.0\.0\.1:(\d+)$/.exec(host)?.[1]
  const socket = port === undefined ? decodeURIComponent(host) : ''
  if (isAbsolute(socket)) return { socket, ...(secret !== undefined && { secret }) }
  return secret === undefined || port === undefined ? undefined : { secret, port: Number(port) }
}

/**
 * Writes the URL for other processes that use the same directory, to a file that only its owner can read. A socket URL
 * is written without the secret: a command of an earlier version then connects and learns that it needs the secret.
 */
export function writeUrl(directory: string, url: string): void {
  const address = addressOf(url)
  const withoutSecret = address && 'socket' in address
  writePrivate(
    join(directory, urlFile),
    withoutSecret ? url.replace(/\/\/[^@]+@/, '//').replace(`&${authentication}`, '') : url,
  )
}

function writePrivate(path: string, text: string): void {
  writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/**
 * The URL in the directory's file; its server may have stopped. Undefined if there is none, or if the directory is a
 * copy whose file names the socket of the original.
 */
export function readUrl(directory: string): string | undefined {
  const url = ifExists(() => readFileSync(join(directory, urlFile), 'utf8').trim())
  const address = url ? addressOf(url) : undefined
  if (!address || !isOwn(directory, address)) return undefined
  const secret = 'socket' in address ? readSecret(directory) : undefined
  return 'socket' in address && secret ? socketUrl(address.socket, secret) : url
}

function isOwn(directory: string, address: NonNullable<ReturnType<typeof addressOf>>): boolean {
  if (!('socket' in address) || isTemporary(directory, address.socket)) return true
  const own = ifExists(() => realpathSync(dirname(insidePath(directory))))
  return own !== undefined && own === ifExists(() => realpathSync(dirname(address.socket)))
}

function isTemporary(directory: string, socket: string): boolean {
  return basename(dirname(socket)).startsWith(temporaryPrefix(directory))
}

function ifExists<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Removes the socket and the URL file of a server, when it stops or when another server finds them after a crash. */
export function clearAddress(directory: string): void {
  const url = readUrl(directory)
  const address = url === undefined ? undefined : addressOf(url)
  if (address && 'socket' in address) {
    rmSync(address.socket, { force: true })
    if (isTemporary(directory, address.socket)) rmSync(dirname(address.socket), { recursive: true, force: true })
  }
  rmSync(join(directory, urlFile), { force: true })
}
