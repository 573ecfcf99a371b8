import { spawn, type ChildProcess } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { constants as system, setPriority } from 'node:os'
import { delimiter, isAbsolute, join, parse } from 'node:path'
import { endsWithServer, networkIsolation } from '../extract/confinement.ts'
import { usedCpuMs } from '../extract/reader-process.ts'

/** The tasks for Tesseract. The list is closed, so that no part of a book becomes an argument. */
export type TesseractTask =
  /** Lists the installed languages. */
  | { task: 'languages' }
  /** Detects the orientation and the script of a page. */
  | { task: 'orientation'; picture: Uint8Array }
  /** Recognises the words of a page, in paragraphs or scattered, or of a collage in rows. */
  | { task: 'words'; picture: Uint8Array; language: string; layout: 'paragraphs' | 'scattered' | 'rows' }

/** The limits of one task. */
export interface TesseractLimits {
  /** Maximum address space, bytes. */
  maxMemoryBytes: number
  /** Maximum processor time, also of all tasks for a page together with its drawings, seconds. */
  maxCpuSeconds: number
  /** Maximum time from start to end, ms. */
  timeoutMs: number
}

export const defaultLimits: TesseractLimits = { maxMemoryBytes: 1024 ** 3, maxCpuSeconds: 90, timeoutMs: 300_000 }

/** The processor time that is left for the tasks of a page. */
export interface PageBudget {
  leftMs: number
}

/** Interval at which the processor time of a task is looked up, ms. */
const sampleIntervalMs = 250

const maxOutputBytes = 8 * 1024 * 1024

/** Why a task failed: the limit that was exceeded, or how the process ended. It is never the server's fault. */
export class RecognitionError extends Error {
  override readonly name = 'RecognitionError'
}

/** The default folders of programs. */
const systemPath = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'

/** Finds an executable program by its name in a search path, or by its path; null if there is none. */
export function findProgram(name: string, searchPath = systemPath): string | null {
  const places = isAbsolute(name) ? [name] : searchPath.split(delimiter).map((folder) => join(folder, name))
  return places.find((place) => isAbsolute(place) && isProgram(place)) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * Starts programs without network, file writes and new privileges, and with limited memory and time. They can read the
 * server's file system. That is why they receive redrawn pixels and never bytes of a book.
 */
export interface Confinement {
  prlimit: string
}

/** The means of this system to confine a program; null if it cannot limit memory. */
export function findConfinement(): Confinement | null {
  const prlimit = findProgram('prlimit')
  return prlimit === null ? null : { prlimit }
}

/**
 * Runs Tesseract once, at the lowest priority, and resolves with its output. It ends with this process, and when
 * `signal` aborts. It may use what is left of the budget, and takes it from there. Rejects with `RecognitionError`, or
 * the reason of `signal`.
 */
export async function runTesseract(
  { budget, ...program }: TesseractProgram & { budget?: PageBudget },
  task: TesseractTask,
  signal?: AbortSignal,
): Promise<string> {
  signal?.throwIfAborted()
  if (budget && budget.leftMs <= 0) throw new RecognitionError('the processor time for the page is used up')
  const { limits } = program
  const maxCpuSeconds = Math.min(limits.maxCpuSeconds, Math.ceil((budget?.leftMs ?? Infinity) / 1000))
  const child = start({ ...program, limits: { ...limits, maxCpuSeconds } }, task)
  const stopCounting = budget ? countTime(child, budget) : () => undefined
  const end = Promise.withResolvers<string>()
  const kill = (error: Error) => {
    end.reject(error)
    child.kill('SIGKILL')
  }
  const abort = () => kill(signal?.reason as Error)
  const timer = setTimeout(() => kill(new RecognitionError(`not done after ${limits.timeoutMs} ms`)), limits.timeoutMs)
  signal?.addEventListener('abort', abort, { once: true })
  collectOutput(child, kill)
    .then(end.resolve)
    .catch(end.reject)
    .finally(() => {
      clearTimeout(timer)
      stopCounting()
      signal?.removeEventListener('abort', abort)
    })
  // Ignores write errors after the process has ended, because its exit gives the reason.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end('picture' in task ? task.picture : undefined)
  return end.promise
}

/** Takes the processor time of a process from a budget, or the elapsed time if the system does not provide it. */
function countTime({ pid }: ChildProcess, budget: PageBudget): () => void {
  const isKnown = usedCpuMs(pid) !== null
  const startedAt = performance.now()
  const before = budget.leftMs
  const count = () => {
    const usedMs = isKnown ? usedCpuMs(pid) : performance.now() - startedAt
    budget.leftMs = Math.min(budget.leftMs, before - (usedMs ?? 0))
  }
  const timer = setInterval(count, sampleIntervalMs)
  return () => {
    clearInterval(timer)
    if (!isKnown) count()
  }
}

/** Where Tesseract is, and its limits. */
interface TesseractProgram {
  program: string
  confinement: Confinement
  limits: TesseractLimits
}

function start({ program, confinement, limits }: TesseractProgram, task: TesseractTask): ChildProcess {
  const { prlimit } = confinement
  const limitsOf = [`--as=${limits.maxMemoryBytes}`, `--cpu=${limits.maxCpuSeconds}`, '--fsize=0', '--core=0']
  const command = [...isolationCommand(), ...endsWithServer(), prlimit, ...limitsOf, program, ...argumentsOf(task)]
  const [first = program, ...rest] = command
  const child = spawn(first, rest, {
    cwd: parse(process.execPath).root,
    // Threads would compete with each other and with the server for the same processors.
    env: { OMP_THREAD_LIMIT: '1', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  lowerPriority(child.pid)
  return child
}

function isolationCommand(): string[] {
  const isolation = networkIsolation()
  return isolation === null ? [] : [isolation.command, ...isolation.args]
}

function argumentsOf(task: TesseractTask): string[] {
  if (task.task === 'languages') return ['--list-langs']
  const streams = ['stdin', 'stdout', '--dpi', '300']
  if (task.task === 'orientation') return [...streams, '--psm', '0']
  if (task.layout === 'scattered') return [...streams, '-l', task.language, '--psm', '11', 'tsv']
  if (task.layout === 'rows') return [...streams, '-l', task.language, '--psm', '6', 'tsv']
  // Sauvola's local threshold; with a global threshold, small and pale print would be taken for paper.
  return [...streams, '-l', task.language, '--psm', '3', '-c', 'thresholding_method=2', 'tsv']
}

function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, system.priority.PRIORITY_LOW)
  } catch {
    // The process has ended already, or a container forbids it.
  }
}

/** The standard output of a process that exits successfully; kills a process that writes too much. */
function collectOutput(child: ChildProcess, kill: (error: Error) => void): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  let problem = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxOutputBytes) kill(new RecognitionError(`more than ${maxOutputBytes} bytes of text`))
    else chunks.push(chunk)
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    problem = (problem + text).slice(-1000)
  })
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new RecognitionError(error.message, { cause: error })))
    child.once('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'))
      else reject(new RecognitionError(`ended with ${signal ?? code}: ${problem.trim()}`))
    })
  })
}
