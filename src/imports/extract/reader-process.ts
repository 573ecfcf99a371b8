import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Socket } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { parse } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { CodeCache, LentCode } from './code-cache.ts'
import { confinedCommand } from './confinement.ts'
import { maxMessageBytes } from './limits.ts'
import { encodeFrame, readFrames } from './frames.ts'
import type { DrawingCommand, ReaderCommand, SourceType } from './messages.ts'

const maxOutputCharacters = 4_096
const fileChunkBytes = 1024 * 1024
/** How much the nice value of a process exceeds the server's; nice(1) ends at 19. */
const niceness = 5
const maxNiceness = 19

/** How a reading process exited, for the log. */
export interface ProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
  /** The last characters of its standard error output. */
  output: string
}

/**
 * A child process that reads books, one at a time. Its channel is a pipe with its own framing. With Node's IPC, bytes
 * that cannot be deserialized would crash the parent with an uncaught exception, and messages would have no size limit.
 */
export class ReaderProcess {
  /** Resolves when the process has exited; never rejects. */
  readonly exited: Promise<ProcessExit>
  /** The account whose books it reads; null before the first one. */
  accountId: string | null = null
  /** The number of books that it has received. */
  bookCount = 0
  /** True if it can take a book: at the start, and after it has reported the end of its last book. */
  isIdle = true
  /** The name of the file that is open for drawing; null if none is. */
  openFile: string | null = null
  /** Resident memory in bytes, as reported by the process; used only if the system does not provide it. */
  reportedRss = 0
  readonly #process: ChildProcess
  readonly #channel: Socket
  readonly #files: Socket
  readonly #messages: AsyncGenerator<unknown, void, void>
  #code: LentCode | null
  /** The formats that it was told to load. */
  readonly #loaded = new Set<SourceType>()

  /** `formatModule` is the URL of a module that it may load in addition to its own code, for tests. */
  constructor(formatModule: string | null, codeCache: CodeCache | null) {
    const code = codeCache?.lend() ?? null
    const { command, args, env } = confinedCommand({ formatModule, codeDirectory: code?.directory ?? null })
    this.#process = spawn(command, args, {
      cwd: parse(process.execPath).root,
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const [, , , channel, files] = this.#process.stdio
    if (!(channel instanceof Socket) || !(files instanceof Socket))
      throw new Error('a reading process could not be started: it has no channel')
    this.#channel = channel
    this.#files = files
    // Ignores write errors after the process has died, because reading notices its end.
    channel.on('error', () => undefined)
    files.on('error', () => undefined)
    this.#messages = readFrames(channel, maxMessageBytes)
    this.exited = observeExit(this.#process)
    this.#code = code
    void this.exited.then(() => this.#releaseCode())
    lowerPriority(this.#process.pid)
    this.unref()
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Loads the modules for a format, once, so that the first book starts quickly. */
  preload(sourceType: SourceType): void {
    if (this.#loaded.has(sourceType)) return
    this.#loaded.add(sourceType)
    this.#send({ type: 'preload', sourceType })
  }

  /** Sends a book: the command, then the bytes of `file`, which stays open. Rejects if reading the file fails. */
  async read(
    file: FileHandle,
    command: Omit<Extract<ReaderCommand, { type: 'read' }>, 'type' | 'bytes'>,
  ): Promise<void> {
    const { size } = await file.stat()
    this.#begin()
    this.#loaded.add(command.sourceType)
    this.#send({ type: 'read', bytes: size, ...command })
    if (size === 0) return
    const bytes = file.createReadStream({ start: 0, end: size - 1, highWaterMark: fileChunkBytes, autoClose: false })
    await this.#sendFile(bytes)
  }

  /** Sends a file for drawing: the command, then `chunks`, which have as many bytes as the command declares. */
  async open(
    chunks: AsyncIterable<Uint8Array>,
    command: Omit<Extract<ReaderCommand, { type: 'open' }>, 'type'>,
  ): Promise<void> {
    this.#begin()
    this.openFile = null
    this.#send({ type: 'open', ...command })
    await this.#sendFile(chunks)
  }

  /** Requests a picture of the open file. */
  draw(command: DrawingCommand): void {
    this.isIdle = false
    this.#send(command)
  }

  #begin(): void {
    this.bookCount += 1
    this.isIdle = false
  }

  async #sendFile(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of chunks) {
      if (this.#files.destroyed) return
      if (!this.#files.write(chunk)) await Promise.race([once(this.#files, 'drain'), this.exited])
    }
  }

  #send(command: ReaderCommand): void {
    this.#channel.write(encodeFrame(command))
  }

  /** The next message, unvalidated; undefined once the channel has ended. Throws `FrameError`. */
  async nextMessage(): Promise<unknown> {
    const { value } = await this.#messages.next()
    // A process that sends a message has loaded its modules.
    this.#releaseCode()
    return value
  }

  #releaseCode(): void {
    this.#code?.release()
    this.#code = null
  }

  /** Current resident memory of the process in bytes, or its last report if the system does not provide it. */
  rss(): number {
    return residentBytes(this.#process.pid) ?? this.reportedRss
  }

  /** Processor time that it has used, in ms; null if the system does not provide it. */
  cpuMs(): number | null {
    return usedCpuMs(this.#process.pid)
  }

  /** Keeps the event loop of the server alive while this process runs, until `unref`. */
  ref(): void {
    this.#process.ref()
    this.#channel.ref()
    this.#files.ref()
  }

  /** Lets the server exit while this process runs. */
  unref(): void {
    this.#process.unref()
    this.#channel.unref()
    this.#files.unref()
    if (this.#process.stderr instanceof Socket) this.#process.stderr.unref()
  }

  /** Kills the process. Keeps the event loop alive until the process has exited and its output has ended. */
  kill(): void {
    this.isIdle = false
    this.#process.ref()
    if (this.#process.stderr instanceof Socket) this.#process.stderr.ref()
    this.#process.kill('SIGKILL')
    this.#channel.destroy()
    this.#files.destroy()
  }

  /** How the process exited after its channel ended. Kills it if it is still running after a second. */
  async waitForExit(): Promise<ProcessExit> {
    const graceTimer = new AbortController()
    const grace = delay(1_000, undefined, { ref: false, signal: graceTimer.signal }).catch(() => undefined)
    await Promise.race([this.exited, grace])
    graceTimer.abort()
    this.kill()
    return this.exited
  }
}

function observeExit(child: ChildProcess): Promise<ProcessExit> {
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-maxOutputCharacters)
  })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, output: error.message }))
    child.once('close', (code, signal) => resolve({ code, signal, output }))
  })
}

/**
 * Gives imports a lower priority than this process: requests go first, and if memory runs out, the system kills an
 * import instead of the server.
 */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return
  tryOrNull(() => setPriority(pid, Math.min(maxNiceness, getPriority() + niceness)))
  if (process.platform === 'linux') tryOrNull(() => writeFileSync(`/proc/${pid}/oom_score_adj`, '1000'))
}

function residentBytes(pid: number | undefined): number | null {
  if (pid === undefined || process.platform !== 'linux') return null
  // In kB. Node does not provide the page size that statm would need.
  const status = tryOrNull(() => readFileSync(`/proc/${pid}/status`, 'latin1')) ?? ''
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1024
}

/** Clock ticks per second in `/proc`; 100 on every architecture that Node runs on. */
const ticksPerSecond = 100

/** The processor time that a process has used, ms; null if the system does not provide it or the process has ended. */
export function usedCpuMs(pid: number | undefined): number | null {
  if (pid === undefined || process.platform !== 'linux') return null
  const stat = tryOrNull(() => readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? ''
  // The name of the program, in parentheses, may contain spaces; 11 fields later come user and system time.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return user === undefined || system === undefined ? null : ((user + system) * 1000) / ticksPerSecond
}

/** Returns null if the process has exited or a container forbids the action. */
function tryOrNull<T>(action: () => T): T | null {
  try {
    return action()
  } catch {
    return null
  }
}
