import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ReadStream } from 'node:tty'
import { UsageError } from './usage-error.ts'

/** The input and output of a command. */
export interface Terminal {
  environment: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths are resolved against. */
  folder: string
  homeFolder: string
  /** Returns the addresses of the servers that this user runs on this machine. */
  localServers(): Promise<readonly string[]>
  stdin: AsyncIterable<string | Uint8Array> & { isTTY?: boolean }
  stdout: Output
  stderr: Output
}

export interface Output {
  isTTY?: boolean
  columns?: number
  write(text: string | Uint8Array): unknown
}

/** True if an output may have colours (https://no-color.org). */
export function hasColours({ environment }: Terminal, output: Output): boolean {
  return output.isTTY === true && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb'
}

/** Reads stdin to its end. */
export async function readStdin({ stdin }: Terminal): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads the first line of stdin, trimmed. */
async function readLine({ stdin }: Pick<Terminal, 'stdin'>): Promise<string> {
  let text = ''
  for await (const chunk of stdin) {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
    if (text.includes('\n')) break
  }
  return (text.split('\n')[0] as string).trim()
}

/** Reads a secret line: on a terminal, prompts for it without echo; otherwise reads the first line of stdin. */
export async function readSecret(terminal: Pick<Terminal, 'stdin' | 'stderr'>, prompt: string): Promise<string> {
  const { stdin, stderr } = terminal
  if (!(stdin instanceof ReadStream)) return readLine(terminal)
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const line = createInterface({ input: stdin, output: unseen, terminal: true, historySize: 0 })
  const { promise, resolve } = Promise.withResolvers<string>()
  let interrupted = false
  line.once('line', resolve).once('close', () => resolve(''))
  line.once('SIGINT', () => {
    interrupted = true
    line.close()
  })
  // From here on the terminal echoes nothing.
  stderr.write(prompt)
  const text = await promise
  line.close()
  stderr.write('\n')
  if (interrupted) process.kill(process.pid, 'SIGINT')
  return text.trim()
}

/** Reads the text of a file that an option names. Throws `UsageError`. */
export async function readTextFile(path: string, shown: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${shown} cannot be read: ${reasonOf(error)}. A text that begins with @ is written with @@.`)
  }
}

const reasons: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ENOENT: 'there is no such file',
    EACCES: 'this user may not read it',
    EISDIR: 'it is a folder',
  }),
)

/** Why a file cannot be read, in words for known error codes. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  return reasons.get(code) ?? code
}

/** The code of a system error, such as ENOENT. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
