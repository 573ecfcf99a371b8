import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { issueLink } from '../accounts/issue-link.ts'
import { ConfigError, readConfig, type Config } from './config.ts'
import { createLog } from './log.ts'
import { startServer, type RunningServer } from './start.ts'

/** Delay until the startup work is done, in ms. */
const memoryReleaseDelayMs = 2000

const config = readConfigOrExit()
const log = createLog(config.logLevel)

try {
  const server = await startServer(config, log)
  await printWelcome(config, server)
  flushCompileCache()
  setTimeout(releaseMemory, memoryReleaseDelayMs).unref()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(server, signal))
} catch (err) {
  if (err instanceof ConfigError) reportConfigError(err)
  else log.error({ err }, 'could not start')
  process.exitCode = 1
}

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    reportConfigError(error)
    process.exit(1)
  }
}

function reportConfigError({ message }: ConfigError): void {
  process.stderr.write(`The configuration cannot be used:\n${message}\n`)
}

/**
 * Collects the garbage of startup, which Node.js would keep until the process is busy: with 10,000 books, an idle process
 * then takes 180 MB of memory instead of 230 MB.
 */
function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const runGc = runInNewContext('gc') as NodeJS.GCFunction
  runGc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

async function stop(server: RunningServer, signal: string): Promise<void> {
  log.info({ signal }, 'stopping')
  process.once(signal, () => process.exit(1))
  await server.stop()
  log.info({}, 'stopped')
  // Agenda leaves a timer per job, which would delay the exit by half a lease.
  process.exit()
}

async function printWelcome({ baseUrl, role }: Config, { opened: open }: RunningServer): Promise<void> {
  const lines = [
    '',
    `Lectern is ready at ${baseUrl}`,
    `  API reference  ${baseUrl}/docs`,
    `  MCP address    ${baseUrl}/api/v1/mcp`,
    '',
  ]
  if (role !== 'worker' && !(await open.services.accounts.hasAny())) {
    const { url } = await issueLink(open.services, 'claim', null)
    lines.push(
      'There is no account yet. Make the first one in a browser; this link works once and for 7 days:',
      `  ${url}`,
      'or here, in a second shell, with an API key for it:',
      '  npm run --silent lectern -- user create --email you@example.com --admin',
      '  npm run --silent lectern -- key create --email you@example.com',
      '',
    )
  }
  process.stdout.write(lines.join('\n') + '\n')
}
