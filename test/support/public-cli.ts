import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { existsSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import type { SystemNeed } from './system-needs.ts'
import type { TestServer } from './server.ts'

/** The release of `ck`, the public command line for this interface, that must work completely. */
export const publicCliVersion = '0.7.42'

const path = findProgram()

/** The program `ck`: from `LECTERN_TEST_CK`, otherwise from the PATH. */
export const publicCliNeed: SystemNeed = {
  present: path !== null,
  remedy: `needs ck ${publicCliVersion}: cargo install candlekeep-cli --version ${publicCliVersion} --locked, then put it on the PATH or set LECTERN_TEST_CK`,
}

function findProgram(): string | null {
  const named = process.env['LECTERN_TEST_CK']
  const candidates = named ? [named] : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'ck'))
  return candidates.find((file) => existsSync(file) && versionOf(file) === `ck ${publicCliVersion}`) ?? null
}

function versionOf(program: string): string | null {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** What a command must print, or report in a refusal: all of these. */
type Expected = string | RegExp | readonly (string | RegExp)[]

/** `ck` with its own home and working folders. */
export interface PublicCli {
  home: string
  /** Runs a command to its end. */
  run(args: readonly string[], stdin?: string): Promise<Outcome>
  /** Runs a command that must succeed and print this. */
  does(args: readonly string[], expected: Expected, stdin?: string): Promise<void>
  /** Runs a command with `--json` that must succeed; returns its output. */
  json(args: readonly string[]): Promise<any>
  /** Runs a command that must fail and report this. */
  refuses(args: readonly string[], expected: Expected): Promise<void>
  /** Writes a file into the working folder and returns its path. */
  file(name: string, content: string | Uint8Array): Promise<string>
  /** Starts a command that reads input while it runs; it is ended with the test. */
  start(args: readonly string[]): ChildProcess
}

/** Opens `ck` on a server, signed in if there is a key. Its folder is removed after the test. */
export async function openPublicCli(
  server: TestServer,
  key: string | null,
  environment: Record<string, string> = { CK_NO_UPDATE_CHECK: '1' },
): Promise<PublicCli> {
  const home = await mkdtemp(join(tmpdir(), 'lectern-ck-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const cwd = join(home, 'work')
  await mkdir(cwd)
  // With an empty PATH no browser is opened.
  const env = { HOME: home, PATH: cwd, NO_COLOR: '1', CANDLEKEEP_API_URL: server.baseUrl, ...environment }
  const cli: PublicCli = {
    home,
    async run(args, stdin = '') {
      await server.running.opened.database.db.collection('rates').deleteMany({})
      return runProgram(args, { cwd, env, stdin })
    },
    async does(args, expected, stdin) {
      const outcome = await cli.run(args, stdin)
      expectOutput(args, outcome, { code: 0, expected })
    },
    async json(args) {
      const outcome = await cli.run([...args, '--json'])
      expectOutput(args, outcome, { code: 0, expected: [] })
      return JSON.parse(outcome.stdout)
    },
    async refuses(args, expected) {
      expectOutput(args, await cli.run(args), { code: 1, expected })
    },
    async file(name, content) {
      await writeFile(join(cwd, name), content)
      return join(cwd, name)
    },
    start(args) {
      const child = spawn(path ?? 'ck', args, { cwd, env, stdio: 'pipe' })
      onTestFinished(async () => {
        if (child.exitCode !== null || !child.kill()) return
        await once(child, 'exit')
      })
      return child
    },
  }
  if (key !== null) await cli.does(['auth', 'login', '--with-token'], 'Logged in as', `${key}\n`)
  return cli
}

interface Invocation {
  cwd: string
  env: Record<string, string>
  stdin: string
}

function runProgram(args: readonly string[], { cwd, env, stdin }: Invocation): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(path ?? 'ck', args, { cwd, env, timeout: 20_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    )
    // The program may have ended before reading; its answer shows the outcome.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(stdin)
  })
}

function expectOutput(
  args: readonly string[],
  { code, stdout, stderr }: Outcome,
  { code: expectedCode, expected }: { code: number; expected: Expected },
): void {
  const told = `ck ${args.join(' ')}\n${stdout}${stderr}`
  expect(code, told).toBe(expectedCode)
  for (const each of Array.isArray(expected) ? expected : [expected]) expect(told).toMatch(each)
}

/** An MCP client over the standard streams of a process, one message per line. */
export function connectToStdio({ stdin, stdout }: ChildProcess) {
  const lines = createInterface({ input: stdout as Readable })[Symbol.asyncIterator]()
  let id = 0
  const write = (message: object) => stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    notify: (method: string) => write({ method }),
    async request(method: string, params: object): Promise<any> {
      write({ id: ++id, method, params })
      const answer = JSON.parse((await lines.next()).value ?? 'null')
      if (!answer?.result) throw new Error(JSON.stringify(answer))
      return answer.result
    },
  }
}
