import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const home = dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json')))

/** What one scenario of the official suite came to. */
export interface Outcome {
  scenario: string
  /** Whether the revision asks for it; the others are run for information. */
  scored: boolean
  /** Checks that passed. */
  passed: number
  /** What the failed checks say. */
  failures: string[]
}

/** Runs the server scenarios of a revision against an address. */
export async function runServerSuite(url: string, revision: string): Promise<Outcome[]> {
  const scored = await requiredScenarios(revision)
  const outcomes = await collect(['server', '--url', url, '--requirements', revision])
  return outcomes.map((outcome) => ({ ...outcome, scored: scored.has(outcome.scenario) }))
}

interface AuthorizationServer {
  issuer: string
  resource: string
  clientId: string
  /** Where the suite waits for the browser; a redirect address of the client. */
  port: number
  /** Opens the address of an authorization and allows it. */
  authorize(address: string): Promise<void>
}

/** Runs the scenarios for authorization servers. */
export async function runAuthorizationSuite(server: AuthorizationServer): Promise<Outcome[]> {
  const { issuer, resource, clientId, port, authorize } = server
  const given = ['--url', issuer, '--resource', resource, '--client-id', clientId, '--port', String(port)]
  const outcomes = await collect(['authorization', ...given], (line) => {
    if (line.startsWith(`${issuer}/`) && line.includes('response_type=code')) void authorize(line)
  })
  return outcomes.map((outcome) => ({ ...outcome, scored: true }))
}

async function requiredScenarios(revision: string): Promise<Set<string>> {
  const list = await readFile(join(home, 'requirements', `${revision}.yaml`), 'utf8')
  const server = /^server:\n((?: {2}- .+\n)+)/m.exec(list)?.[1] ?? ''
  return new Set([...server.matchAll(/- (.+)/g)].map(([, name]) => name as string))
}

async function collect(args: string[], onLine: (line: string) => void = () => {}): Promise<Omit<Outcome, 'scored'>[]> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-conformance-'))
  try {
    const said = await run([...args, '-o', directory], onLine)
    const names = [...said.matchAll(/^=== Running scenario: (.+) ===$/gm)].map(([, name]) => name as string)
    const folders = await readdir(directory)
    if (names.length === 0) throw new Error(`The suite ran nothing:\n${said}`)
    return await Promise.all(names.map((name) => readOutcome(directory, folders, name)))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function readOutcome(directory: string, folders: string[], scenario: string): Promise<Omit<Outcome, 'scored'>> {
  const folder = folders.find((name) => name.replace(/^(authorization-)?server-/, '').replace(stamp, '') === scenario)
  if (!folder) return { scenario, passed: 0, failures: ['it left no result'] }
  const checks = JSON.parse(await readFile(join(directory, folder, 'checks.json'), 'utf8')) as Check[]
  // Who skips everything has shown nothing.
  const failing = checks.every(({ status }) => status === 'SKIPPED') ? 'SKIPPED' : 'FAILURE'
  return {
    scenario,
    passed: checks.filter(({ status }) => status === 'SUCCESS').length,
    failures: checks
      .filter(({ status }) => status === failing)
      .map(({ id, errorMessage }) => `${id}: ${errorMessage ?? failing}`),
  }
}

const stamp = /-\d{4}-\d\d-\d\dT.*$/

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

function run(args: string[], onLine: (line: string) => void): Promise<string> {
  const child = spawn(process.execPath, [join(home, 'dist', 'index.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 5 * 60_000,
  })
  let said = ''
  let rest = ''
  const take = (chunk: Buffer) => {
    said += chunk
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line.trim())
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(said))
  })
}
