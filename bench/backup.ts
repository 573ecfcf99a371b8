// The cost of backup, verification, restore and copy of a library, compared with packing its folder with tar: time,
// processor time, peak memory of the process, bytes written. Usage: node bench/backup.ts [BOOKS]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../src/db/connect.ts'
import { endedChildrenCpu } from './children-cpu.ts'
import { growTo, openLibrary } from './growth-library.ts'
import { printLine } from './statistics.ts'

const books = Number(process.argv[2] ?? 10_000)
const program = fileURLToPath(new URL('../bin/lectern.cjs', import.meta.url))
const verifier = fileURLToPath(new URL('backup-verify.ts', import.meta.url))

const directory = await mkdtemp(join(tmpdir(), 'lectern-backup-bench-'))
const at = (name: string) => join(directory, name)
try {
  const library = await openLibrary(at('source'))
  await growTo(library, 'own', books)
  await addOriginals(at('source'))
  printLine(`${books} books with a file of 4 KB each`)
  const node = process.execPath
  const restoring = { LECTERN_DATA_DIR: at('restored') }
  printRow(['', 'seconds', 'CPU seconds', 'MB of memory', 'MB written'])
  await measure('tar --zstd', ['tar', '--zstd', '-cf', at('tar'), '-C', at('source'), '.'], { written: at('tar') })
  await measure('backup', [node, program, 'backup', '--json', '--to', at('archive')], { written: at('archive') })
  await measure('verify', [node, verifier, at('archive')])
  const restore = [node, program, 'restore', '--json', '--from', at('archive')] as const
  await measure('restore', restore, { written: at('restored'), environment: restoring })
  await measure('copy', [node, program, 'copy', '--json', '--to', at('copied')], { written: at('copied') })
} finally {
  await rm(directory, { recursive: true, force: true })
}

/** Creates original files; the rows of the books need not refer to them. */
async function addOriginals(source: string): Promise<void> {
  const { db, close } = await openDatabase({ url: undefined, directory: source })
  const ids = (await db.collection<{ _id: string }>('books').find().project({ _id: 1 }).toArray()).map(({ _id }) => _id)
  await close()
  const line = 'The quick brown fox jumps over the lazy dog, and nobody minds. '
  for (const id of ids) {
    const folder = join(source, 'files', 'originals', id)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'book.txt'), `${id}\n${line.repeat(64)}`)
  }
}

function printRow([name = '', ...figures]: readonly string[]): void {
  printLine(name.padEnd(12) + figures.map((figure) => figure.padStart(14)).join(''))
}

/** Runs a program to its end and prints a row of figures. */
async function measure(
  name: string,
  [command, ...args]: readonly [string, ...string[]],
  { written, environment = {} }: { written?: string; environment?: Record<string, string> } = {},
): Promise<void> {
  const [startedAt, cpu] = [performance.now(), endedChildrenCpu()]
  const env = { ...process.env, LECTERN_DATA_DIR: at('source'), LECTERN_LOG_LEVEL: 'silent', ...environment }
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  let memory = 0
  const poll = setInterval(() => (memory = Math.max(memory, residentMb(child.pid))), 20)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearInterval(poll)
  if (code !== 0) throw new Error(`${name} ended with ${code}`)
  const bytes = written === undefined ? 0 : await sizeOf(written)
  const figures = [(performance.now() - startedAt) / 1000, endedChildrenCpu() - cpu, memory, bytes / 1e6]
  printRow([name, ...figures.map((figure) => figure.toFixed(1))])
}

/** The peak memory of a process so far, MB; 0 if the system does not report it. */
function residentMb(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000
  } catch {
    return 0
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path)
  if (!found.isDirectory()) return found.size
  const names = await readdir(path)
  const sizes = await Promise.all(names.map((name) => sizeOf(join(path, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}
