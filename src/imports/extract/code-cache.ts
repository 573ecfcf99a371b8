import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { globSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { compilingCommand, lecternRoot } from './confinement.ts'

/** The compiled code of reading processes: they start in a quarter of the time that it takes to compile their modules. */
export interface CodeCache {
  /** Compiles the code, unless an earlier run of the same version has. Never rejects: without it, processes start slower. `now` tells what is left over. */
  prepare(now: Date): Promise<void>
  /** Compiled code for one process, which alone may read it; null while there is none. */
  lend(): LentCode | null
}

export interface LentCode {
  /** For `NODE_COMPILE_CACHE`. */
  directory: string
  /** Takes it back; a process that has loaded its modules does not need it. */
  giveBack(): void
}

const lentPrefix = 'lent-'
const newPrefix = 'new-'
/** What is older was left by a server that was killed, ms. */
const forgottenAfterMs = 10 * 60_000
const compileTimeoutMs = 60_000

/**
 * A cache below `directory`, which only the server writes: what is in it runs in processes of every account. So it is made by a process
 * that reads a file of ours, and each other process gets links to its files in a directory of its own, which is removed.
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
  const giveBack = () =>
    void rm(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => undefined)
  try {
    for (const [folder, files] of folders) {
      mkdirSync(join(own, folder), { mode: 0o700 })
      for (const file of files) linkSync(join(path, folder, file), join(own, folder, file))
    }
    return { directory: own, giveBack }
  } catch (error) {
    giveBack()
    throw error
  }
}

/** Node keeps the code of each of its versions in a folder. */
function listFiles(path: string): Map<string, string[]> {
  return new Map(readdirSync(path).map((folder) => [folder, readdirSync(join(path, folder))]))
}

/** Compiles the code in a process that can give up its right to write, as every process does that gets this code. */
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

/** A name for the code of reading processes: another one when the modules, their packages or Node are others. */
function versionName(): string {
  const hash = createHash('sha256').update(`${process.version} ${process.arch}\n`)
  const sources = globSync('{src/core,src/imports,src/text,src/books}/**/*.{ts,js}', { cwd: lecternRoot })
  for (const source of sources.toSorted()) {
    const { size, mtimeMs } = statSync(join(lecternRoot, source))
    hash.update(`${source} ${size} ${mtimeMs}\n`)
  }
  hash.update(readFileSync(join(lecternRoot, 'package.json')))
  return hash.digest('hex').slice(0, 32)
}
