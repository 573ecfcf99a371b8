import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { parse } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { maxMessageBytes } from './limits.ts'
import { encodeFrame, readFrames } from './frames.ts'
import type { ReaderCommand } from './messages.ts'

const readerProgram = fileURLToPath(new URL('reader-main.ts', import.meta.url))
const maxOutputCharacters = 4_096
const niceness = 5

// A file is hostile until it has been read: the process may read files, but not write, start programs or load native code.
const nodeFlags = [
  '--max-old-space-size=512',
  '--max-semi-space-size=32',
  '--permission',
  '--allow-fs-read=*',
  '--disallow-code-generation-from-strings',
]

/** How a reading process ended, for the log. */
export interface ProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
  /** The last characters it wrote to its standard error. */
  output: string
}

/**
 * A child process that reads books, one at a time. Its channel is a pipe with our own framing and not Node's IPC: there,
 * bytes that do not deserialise end the *parent* with an uncaught exception, and the size of a message has no bound.
 */
export class ReaderProcess {
  /** Resolves when the process is gone; never rejects. */
  readonly exited: Promise<ProcessExit>
  /** Books it was given so far. */
  bookCount = 0
  /** Whether it has nothing to do: true until it is given a book, and again once it said how that book ended. */
  isIdle = true
  /** Its resident memory in bytes as it reported it; only used where the system does not tell. */
  reportedRss = 0
  readonly #process: ChildProcess
  readonly #channel: Socket
  readonly #messages: AsyncGenerator<unknown, void, void>

  constructor() {
    this.#process = spawn(process.execPath, [...nodeFlags, readerProgram], {
      cwd: parse(process.execPath).root,
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const channel = this.#process.stdio[3]
    if (!(channel instanceof Socket)) throw new Error('a reading process could not be started: it has no channel')
    this.#channel = channel
    // Written to after the process died; its end is noticed by reading.
    channel.on('error', () => undefined)
    this.#messages = readFrames(channel, maxMessageBytes)
    this.exited = observeExit(this.#process)
    lowerPriority(this.#process.pid)
    this.unref()
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  send(command: ReaderCommand): void {
    if (command.type === 'read') {
      this.bookCount += 1
      this.isIdle = false
    }
    this.#channel.write(encodeFrame(command))
  }

  /** The next message, unchecked; undefined once the channel has ended. Throws `FrameError`. */
  async nextMessage(): Promise<unknown> {
    const { value } = await this.#messages.next()
    return value
  }

  /** Bytes of memory the process holds at this moment, or what it last reported where the system does not tell. */
  rss(): number {
    return residentBytes(this.#process.pid) ?? this.reportedRss
  }

  /** Keeps the server's own process alive until `release`. */
  ref(): void {
    this.#process.ref()
    this.#channel.ref()
  }

  /** Lets the server's own process end although this one is there. */
  unref(): void {
    this.#process.unref()
    this.#channel.unref()
    if (this.#process.stderr instanceof Socket) this.#process.stderr.unref()
  }

  /** Its end, which is that of its output too, is waited for even when nothing else keeps the server's process alive. */
  kill(): void {
    this.#process.ref()
    if (this.#process.stderr instanceof Socket) this.#process.stderr.ref()
    this.#process.kill('SIGKILL')
    this.#channel.destroy()
  }

  /** How it ended once its channel did: a process that lives on without one is killed. */
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

/** Requests go before imports, and when the system runs out of memory it ends an import and not the server. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return
  tryOrNull(() => setPriority(pid, niceness))
  if (process.platform === 'linux') tryOrNull(() => writeFileSync(`/proc/${pid}/oom_score_adj`, '1000'))
}

function residentBytes(pid: number | undefined): number | null {
  if (pid === undefined || process.platform !== 'linux') return null
  // In kB, unlike statm, which counts pages of a size that Node does not tell.
  const status = tryOrNull(() => readFileSync(`/proc/${pid}/status`, 'latin1')) ?? ''
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1024
}

/** A process may be gone, or a container may forbid it: neither is an error here. */
function tryOrNull<T>(action: () => T): T | null {
  try {
    return action()
  } catch {
    return null
  }
}
