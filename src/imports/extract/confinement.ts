import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { siblingProgram } from '../../core/sibling-program.ts'
import { compileArgument } from './limits.ts'

const readerProgram = fileURLToPath(siblingProgram(import.meta.url, 'reader-main'))
/** The root folder of Lectern. */
export const lecternRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** Paths that a reading process may read: its own code and its packages. Book files arrive through a pipe. */
const readablePaths = ['package.json', 'src/core/', 'src/imports/', 'src/text/', 'node_modules/'].map((path) =>
  join(lecternRoot, path),
)
// An installed Lectern package is a sibling of the packages that it uses.
if (basename(dirname(lecternRoot)) === 'node_modules') readablePaths.push(`${dirname(lecternRoot)}/`)

// Files are untrusted, so the process may not read other files, write, start programs or load native code.
const nodeFlags = [
  '--max-old-space-size=512',
  '--max-semi-space-size=32',
  '--permission',
  '--disallow-code-generation-from-strings',
]

interface Command {
  command: string
  args: string[]
  env: Record<string, string>
}

interface CommandOptions {
  /** The URL of a module that it may load in addition to its own code, for tests. */
  formatModule?: string | null
  /** A directory with compiled code for this process only. */
  codeDirectory?: string | null
}

/**
 * The command that starts a reading process, without network where the system allows that. Node reads compiled code
 * only from directories that it may also write. So the process starts with write permission for `codeDirectory` and
 * drops it before it reads a file.
 */
export function confinedCommand({ formatModule = null, codeDirectory = null }: CommandOptions = {}): Command {
  const paths = readablePaths.flatMap(bothPaths)
  if (formatModule !== null) paths.push(...bothPaths(dirname(fileURLToPath(formatModule))))
  const flags = paths.map((path) => `--allow-fs-read=${path}`)
  if (codeDirectory === null) return isolated({ args: [...nodeFlags, ...flags, readerProgram], env: {} })
  for (const path of bothPaths(codeDirectory))
    flags.push(`--allow-fs-read=${join(path, '/')}`, `--allow-fs-write=${join(path, '/')}`)
  return isolated({ args: [...nodeFlags, ...flags, readerProgram], env: { NODE_COMPILE_CACHE: codeDirectory } })
}

/** The command that compiles the code of reading processes into a directory. */
export function compilingCommand(codeDirectory: string): Command {
  const { args, ...command } = confinedCommand({ codeDirectory })
  return { ...command, args: [...args, compileArgument] }
}

function isolated({ args, env }: Omit<Command, 'command'>): Command {
  const isolation = networkIsolation()
  // A change of the user's rights resets the request to end with the server, so isolation comes first.
  const before = isolation === null ? [] : [isolation.command, ...isolation.args]
  const [command = process.execPath, ...rest] = [...before, ...endsWithServer(), process.execPath, ...args]
  return { command, args: rest, env }
}

let ending: readonly string[] | undefined

/**
 * How to start a program that gains no privileges and that the system ends with this process, however busy it is; empty
 * if the system does not support that. Tests this once per process, which takes some milliseconds.
 */
export function endsWithServer(): readonly string[] {
  ending ??= findEnding()
  return ending
}

function findEnding(): readonly string[] {
  const setpriv = process.platform === 'linux' && ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))
  if (!setpriv) return []
  // That of BusyBox lacks an option.
  const args = ['--no-new-privs', '--pdeathsig', 'KILL']
  const { status } = spawnSync(setpriv, [...args, setpriv, '--version'], { env: {}, timeout: 5000 })
  return status === 0 ? [setpriv, ...args] : []
}

/** A path and the target of its symbolic links. */
function bothPaths(path: string): string[] {
  return existsSync(path) ? [...new Set([path, realpathSync(path)])] : []
}

export interface NetworkIsolation {
  command: string
  args: readonly string[]
}

let isolation: NetworkIsolation | null | undefined

/**
 * How to start a program in a network namespace without interfaces; null if the system does not support or allow it.
 * Tests this once per process, which takes some milliseconds.
 */
export function networkIsolation(): NetworkIsolation | null {
  if (isolation === undefined) isolation = findNetworkIsolation()
  return isolation
}

function findNetworkIsolation(): NetworkIsolation | null {
  const command = process.platform === 'linux' && ['/usr/bin/unshare', '/bin/unshare'].find((path) => existsSync(path))
  if (!command) return null
  // Root needs no user namespace; other users can create a network namespace only inside one.
  for (const args of [['--net'], ['--user', '--map-root-user', '--net']]) {
    const { status } = spawnSync(command, [...args, process.execPath, '--version'], { env: {}, timeout: 5000 })
    if (status === 0) return { command, args }
  }
  return null
}
