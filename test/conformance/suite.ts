import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const suiteDirectory = dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json')))

/** The result of one scenario of the official suite. */
export interface ScenarioOutcome {
  scenario: string
  /** Whether the revision requires it; other scenarios are run for information. */
  scored: boolean
  /** The number of passed checks. */
  passed: number
  /** The messages of the failed checks. */
  failures: string[]
}

/** Runs the server scenarios of a revision against a URL. */
export async function runServerSuite(url: string, revision: string): Promise<ScenarioOutcome[]> {
  const scored = await requiredScenarios(revision)
  const outcomes = await runScenarios(['server', '--url', url, '--requirements', revision])
  return outcomes.map((outcome) => ({ ...outcome, scored: scored.has(outcome.scenario) }))
}

interface AuthorizationServer {
  issuer: string
  resource: string
  clientId: string
  /** The redirect URI of the client, where the suite waits for the browser. */
  port: number
  /** Opens an authorization URL and approves it. */
  authorize(address: string): Promise<void>
}

/** Runs the scenarios for authorization servers. */
export async function runAuthorizationSuite(server: AuthorizationServer): Promise<ScenarioOutcome[]> {
  const { issuer, resource, clientId, port, authorize } = server
  const cliArgs = ['--url', issuer, '--resource', resource, '--client-id', clientId, '--port', String(port)]
  const outcomes = await runScenarios(['authorization', ...cliArgs], (line) => {
    if (line.startsWith(`${issuer}/`) && line.includes('response_type=code')) void authorize(line)
  })
  return outcomes.map((outcome) => ({ ...outcome, scored: true }))
}

async function requiredScenarios(revision: string): Promise<Set<string>> {
  const list = await readFile(join(suiteDirectory, 'requirements', `${revision}.yaml`), 'utf8')
  const server = /^server:\n((?: {2}- .+\n)+)/m.exec(list)?.[1] ?? ''
  return new Set([...server.matchAll(/- (.+)/g)].map(([, name]) => name as string))
}

async function runScenarios(
  args: string[],
  onLine: (line: string) => void = () => {},
): Promise<Omit<ScenarioOutcome, 'scored'>[]> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-conformance-'))
  try {
    const output = await run([...args, '-o', directory], onLine)
    const names = [...output.matchAll(/^=== Running scenario: (.+) ===$/gm)].map(([, name]) => name as string)
    const folders = await readdir(directory)
    if (names.length === 0) throw new Error(`The suite ran nothing:\n${output}`)
    return await Promise.all(names.map((name) => readOutcome(directory, folders, name)))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function readOutcome(
  directory: string,
  folders: string[],
  scenario: string,
): Promise<Omit<ScenarioOutcome, 'scored'>> {
  const folder = folders.find(
    (name) => name.replace(/^(authorization-)?server-/, '').replace(timestampSuffix, '') === scenario,
  )
  if (!folder) return { scenario, passed: 0, failures: ['it left no result'] }
  const checks = JSON.parse(await readFile(join(directory, folder, 'checks.json'), 'utf8')) as Check[]
  // A scenario that skips all checks proves nothing.
  const failing = checks.every(({ status }) => status === 'SKIPPED') ? 'SKIPPED' : 'FAILURE'
  return {
    scenario,
    passed: checks.filter(({ status }) => status === 'SUCCESS').length,
    failures: checks
      .filter(({ status }) => status === failing)
      .map(({ id, errorMessage }) => `${id}: ${errorMessage ?? failing}`),
  }
}

const timestampSuffix = /-\d{4}-\d\d-\d\dT.*$/

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

function run(args: string[], onLine: (line: string) => void): Promise<string> {
  const child = spawn(process.execPath, [join(suiteDirectory, 'dist', 'index.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 5 * 60_000,
  })
  let output = ''
  let partialLine = ''
  const onData = (chunk: Buffer) => {
    output += chunk
    const lines = (partialLine + chunk).split('\n')
    partialLine = lines.pop() ?? ''
    for (const line of lines) onLine(line.trim())
  }
  child.stdout.on('data', onData)
  child.stderr.on('data', onData)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(output))
  })
}
