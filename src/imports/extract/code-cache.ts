import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { compilingCommand, lecternRoot } from './confinement.ts'

/**
 * The compiled code of reading processes. With it, they start in a quarter of the time that compiling their modules
 * takes.
 */
export interface CodeCache {
  /**
   * Compiles the code, unless an earlier run of the same version has. Never rejects: without the cache, processes only
   * start more slowly. `now` decides which leftovers are old.
   */
  prepare(now: Date): Promise<void>
  /** Lends compiled code to one process, which alone may read it; null while there is none. */
  lend(): LentCode | null
}

export interface LentCode {
  /** Value of `NODE_COMPILE_CACHE`. */
  directory: string
  /** Returns the code; a process that has loaded its modules no longer needs it. */
  release(): void
}

const lentPrefix = 'lent-'
const newPrefix = 'new-'
/** Older directories were left by a killed server, ms. */
const forgottenAfterMs = 10 * 60_000
const compileTimeoutMs = 60_000

/**
 * Creates a cache below `directory`. Only the server may write it, because its code runs in processes of every account.
 * So a process that reads one of our own files creates it. Each other process gets links to the files in a directory of
 * its own, which is removed afterwards.
 */
export function createCodeCache(directory: string): CodeCache {
  let code: { path: string; folders: Map<string, string[]> } | null = null
  let preparing: Promise<void> | undefined
  const prepare = async (now: Date) => {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const name = versionName()
      await removeOthers(directory, { current: name, now })
      const path = join(directory, name)
      if ((await statOrNull(path)) === null) await compileInto(directory, path)
      code = { path, folders: listFiles(path) }
    } catch {
      code = null
    }
  }
  return {
    prepare: (now) => (preparing ??= prepare(now)),
    lend: () => {
      if (code === null) return null
      try {
        return lend(directory, code)
      } catch {
        return null // Removed, or a file system without links.
      }
    },
  }
}

function lend(directory: string, { path, folders }: { path: string; folders: Map<string, string[]> }): LentCode {
  const own = mkdtempSync(join(directory, lentPrefix))
  const release = () =>
    void rm(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => undefined)
  try {
    for (const [folder, files] of folders) {
      mkdirSync(join(own, folder), { mode: 0o700 })
      for (const file of files) linkSync(join(path, folder, file), join(own, folder, file))
    }
    return { directory: own, release }
  } catch (error) {
    release()
    throw error
  }
}

/** Lists the files of a cache; Node has one folder per version. */
function listFiles(path: string): Map<string, string[]> {
  return new Map(readdirSync(path).map((folder) => [folder, readdirSync(join(path, folder))]))
}

/** Compiles the code in a process that can drop its write permission, as every process with this code does. */
async function compileInto(directory: string, path: string): Promise<void> {
  const target = await mkdtemp(join(directory, newPrefix))
  try {
    const { command, args, env } = compilingCommand(target)
    const child = spawn(command, args, { cwd: parse(process.execPath).root, env, stdio: 'ignore', windowsHide: true })
    const timer = setTimeout(() => child.kill('SIGKILL'), compileTimeoutMs).unref()
    child.unref()
    const [status] = await once(child, 'exit')
    clearTimeout(timer)
    if (status !== 0) throw new Error(`the code of reading processes was not compiled: ${status}`)
    await rename(target, path)
  } finally {
    await rm(target, { recursive: true, force: true })
  }
}

async function removeOthers(directory: string, { current, now }: { current: string; now: Date }): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    const isInUse = name.startsWith(lentPrefix) || name.startsWith(newPrefix)
    const found = name === current ? null : await statOrNull(path)
    if (found && (!isInUse || now.getTime() - found.mtimeMs > forgottenAfterMs))
      await rm(path, { recursive: true, force: true })
  }
}

async function statOrNull(path: string) {
  return stat(path).catch(() => null)
}

/** A name for the compiled code that changes with the modules, their packages and Node. */
function versionName(): string {
  const hash = createHash('sha256').update(`${process.version} ${process.arch}\n`)
  for (const source of ['core', 'imports', 'text', 'books'].flatMap(listModules).toSorted()) {
    const { size, mtimeMs } = statSync(join(lecternRoot, source))
    hash.update(`${source} ${size} ${mtimeMs}\n`)
  }
  hash.update(readFileSync(join(lecternRoot, 'package.json')))
  return hash.digest('hex').slice(0, 32)
}

/** Lists the modules of a domain. Without `globSync`, which loads a pattern matcher and takes ten times as long. */
function listModules(domain: string): string[] {
  const folder = join('src', domain)
  const names = readdirSync(join(lecternRoot, folder), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.[jt]s$/.test(name)).map((name) => join(folder, name))
}
