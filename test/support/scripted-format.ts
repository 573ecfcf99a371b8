import { writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type {
  BookInfo,
  BookReader,
  ExtractedPage,
  FormatErrorCode,
  FormatLimits,
  TocEntry,
} from '../../src/imports/formats/format.ts'
import { FormatError } from '../../src/imports/formats/format.ts'
import type { KeepFigure } from '../../src/imports/formats/figures.ts'

/** A "book" whose file is this JSON script: the steps of its reader in the reading process. */
export interface Script {
  info?: Partial<BookInfo>
  pageCount?: number | null
  steps?: Step[]
  toc?: TocEntry[]
}

export type Step =
  | { do: 'pages'; count: number; content?: string; picture?: boolean; garbled?: number; label?: string }
  /** Pages with a time stamp, so that a test can see how far the reader ran ahead. */
  | { do: 'stamped pages'; count: number; characters: number }
  | { do: 'slow pages'; count: number; ms: number }
  | { do: 'spin' }
  | { do: 'wait for ever' }
  | { do: 'grow off heap'; bytes: number }
  | { do: 'grow on heap' }
  | { do: 'abort' }
  /** Aborts like a picture that crashes the engine; harmless if no figures are requested. */
  | { do: 'abort over figures' }
  | { do: 'exit'; code: number }
  | { do: 'kill' }
  | { do: 'throw' }
  | { do: 'reject later' }
  | { do: 'refuse'; code: FormatErrorCode }
  /** Writes bytes directly to the channel to the server, as a hijacked process could. */
  | { do: 'raw bytes'; hex: string }
  | { do: 'raw frame'; json: string }
  /** Tries forbidden actions of a reading process, and reports the results on a page. */
  | { do: 'trespass' }
  /** Tries to change the compiled code that processes start with, and reports the result on a page. */
  | { do: 'overwrite code' }
  /** Reads files and connects to known addresses, and reports the results on a page. */
  | { do: 'reach out'; files: string[]; sockets: ConnectionTarget[] }

/** The path of a Unix socket, or a port. */
export type ConnectionTarget = { path: string } | { port: number; host: string }

const channel = 3

/** An `OpenBook` that follows the script. */
export async function open(
  bytes: Uint8Array,
  _limits: FormatLimits,
  { keepFigure }: { keepFigure?: KeepFigure | undefined } = {},
): Promise<BookReader> {
  const script = JSON.parse(new TextDecoder().decode(bytes)) as Script
  return {
    info: { title: null, author: null, language: null, publisher: null, isbn: null, description: null, ...script.info },
    pageCount: script.pageCount ?? null,
    async *pages() {
      for (const step of script.steps ?? []) {
        if (step.do !== 'abort over figures') yield* runStep(step)
        else if (keepFigure) process.abort()
      }
    },
    toc: () => Promise.resolve(script.toc ?? []),
    close: () => Promise.resolve(),
  }
}

async function* runStep(step: Step): AsyncGenerator<ExtractedPage> {
  if (step.do === 'pages') {
    const { content = 'Some words on a page.', label = null, picture = false, garbled = 0 } = step
    for (let n = 0; n < step.count; n += 1) yield { content, label, picture, garbled }
  } else if (step.do === 'stamped pages') {
    for (let n = 0; n < step.count; n += 1) yield page(`${Date.now()} `.padEnd(step.characters, 'x'))
  } else if (step.do === 'slow pages') {
    for (let n = 0; n < step.count; n += 1) yield delay(step.ms, page(`page ${n + 1}`))
  } else if (step.do === 'trespass') {
    yield page(await trespass())
  } else if (step.do === 'overwrite code') {
    yield page(await overwriteCode())
  } else if (step.do === 'reach out') {
    yield page(await reachOut(step))
  } else {
    await misbehave(step)
  }
}

function page(content: string): ExtractedPage {
  return { content, label: null, picture: false, garbled: 0 }
}

async function misbehave(step: Step): Promise<void> {
  const retained: unknown[] = []
  switch (step.do) {
    case 'spin':
      for (;;) Math.random()
    case 'wait for ever':
      return delay(2 ** 31 - 1)
    case 'grow off heap':
      for (let n = 0; n < step.bytes; n += 16 << 20) retained.push(Buffer.alloc(16 << 20, 1))
      return delay(2 ** 31 - 1, void retained)
    case 'grow on heap':
      for (;;) retained.push(Array.from({ length: 1_000_000 }, Math.random))
    case 'abort':
      return process.abort()
    case 'exit':
      return process.exit(step.code)
    case 'kill':
      process.kill(process.pid, 'SIGKILL')
      return delay(60_000)
    case 'throw':
      throw new TypeError('a defect of the reader')
    case 'reject later':
      void Promise.reject(new Error('nobody waits for this'))
      return delay(60_000)
    case 'refuse':
      throw new FormatError(step.code, 'as the script says')
    case 'raw bytes':
      return writeAll(Buffer.from(step.hex, 'hex'))
    case 'raw frame':
      return writeAll(frame(step.json))
    default:
      throw new Error(`${step.do} is no misbehaviour`)
  }
}

/** Writes to the descriptor directly, without its stream; what the pipe does not accept is retried. */
async function writeAll(bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(channel, bytes, at)
    } catch {
      await delay(1)
    }
  }
}

function frame(json: string): Buffer {
  const bytes = Buffer.alloc(4 + Buffer.byteLength(json))
  bytes.writeUInt32BE(bytes.length - 4)
  bytes.write(json, 4)
  return bytes
}

async function overwriteCode(): Promise<string> {
  const [fs, { flushCompileCache, getCompileCacheDir }] = await Promise.all([import('node:fs'), import('node:module')])
  const directory = getCompileCacheDir()
  if (directory === undefined) return 'no compiled code'
  // Node stores newly compiled code from now on, in a directory that no other process reads.
  flushCompileCache()
  const target = `${directory}/code`
  const attempts = [
    () => fs.writeFileSync(target, ''),
    () => fs.appendFileSync(target, ''),
    () => fs.rmSync(directory, { recursive: true }),
    () => fs.renameSync(directory, `${directory}-moved`),
    () => fs.chmodSync(directory, 0o777),
    () => fs.mkdirSync(target),
  ]
  const codes = attempts.map((attempt) => {
    try {
      attempt()
      return 'done'
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    }
  })
  return [...new Set(codes)].join(' ')
}

async function trespass(): Promise<string> {
  const attempts: Record<string, () => unknown> = {
    'write a file': async () => (await import('node:fs')).writeFileSync('trespass', ''),
    'start a program': async () => (await import('node:child_process')).spawnSync('true'),
    'start a thread': async () => new (await import('node:worker_threads')).Worker('', { eval: true }),
    'make code of a string': () => new Function('return 1')(),
  }
  const lines: string[] = []
  for (const [name, attempt] of Object.entries(attempts)) {
    const outcome = await Promise.resolve()
      .then(attempt)
      .then(
        () => 'done',
        (error: NodeJS.ErrnoException) => error.code ?? error.name,
      )
    lines.push(`${name}: ${outcome}`)
  }
  lines.push(`environment: ${JSON.stringify(process.env)}`, `folder: ${process.cwd()}`)
  return lines.join('\n')
}

async function reachOut({ files, sockets }: Extract<Step, { do: 'reach out' }>): Promise<string> {
  const { readFileSync, readdirSync, statSync } = await import('node:fs')
  const lines: string[] = []
  for (const file of files) {
    const outcome = tryTo(() => (statSync(file).isDirectory() ? readdirSync(file) : readFileSync(file)))
    lines.push(`${file}: ${outcome}`)
  }
  for (const target of sockets) lines.push(`${JSON.stringify(target)}: ${await connectionOutcome(target)}`)
  return lines.join('\n')
}

function tryTo(action: () => unknown): string {
  try {
    action()
    return 'done'
  } catch (error) {
    return errorCode(error)
  }
}

async function connectionOutcome(target: ConnectionTarget): Promise<string> {
  const { connect } = await import('node:net')
  return new Promise((resolve) => {
    const socket = connect(target)
    socket.on('connect', () => resolve('connected'))
    socket.on('error', (error) => resolve(errorCode(error)))
    socket.setTimeout(3000, () => resolve('no answer'))
  })
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
