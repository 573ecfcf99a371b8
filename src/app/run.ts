import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ConfigError, forgetSecrets, readConfig, type Config } from './config.ts'
import { prepareDataDirectory } from './data-directory.ts'
import { bindServer } from './http-server.ts'
import { createLog } from './log.ts'
import { runningServers } from './running-servers.ts'
import { version } from '../core/version.ts'
import { explainStartFailure } from './start-failure.ts'
import { checkVariableNames } from './unknown-variables.ts'
import type { RunningServer } from './start.ts'

/** Delay after which the startup work is done, ms. */
const memoryReleaseDelayMs = 2000

let removeNote = () => {}
const servers = runningServers(process.env)
const config = readConfigOrExit()
const log = createLog(config.logLevel)

try {
  warnOfOtherServers()
  const server = await start()
  removeNote = servers.note(config)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(server, signal))
  await printWelcome(server)
  flushCompileCache()
  setTimeout(releaseMemory, memoryReleaseDelayMs).unref()
} catch (err) {
  const reason = explainStartFailure(err, config)
  if (reason === null) log.error({ err }, 'could not start')
  else process.stderr.write(`Lectern cannot start: ${reason}\n`)
  // Remaining work must not keep a process alive that serves nobody.
  process.exit(1)
}

/**
 * Binds the port and opens the data directory before loading the rest, so that problems with them are reported at once.
 */
async function start(): Promise<RunningServer> {
  const server = await bindServer(config)
  // Only now is it known which port the system has chosen.
  if (config.baseUrl === 'http://localhost:0') config.baseUrl = `http://localhost:${server.port}`
  const otherWriters = await prepareDataDirectory(config.dataDir)
  const [{ startServer }, { createCodeCache }] = await Promise.all([
    import('./start.ts'),
    import('../imports/extract/code-cache.ts'),
  ])
  // Code that others may write must not run here.
  const codeCache = otherWriters === 'none' ? createCodeCache(join(config.dataDir, 'compiled', 'readers')) : null
  const started = await startServer(config, log, { server, readers: { codeCache } })
  void codeCache?.prepare(started.opened.services.now())
  return started
}

function readConfigOrExit(): Config {
  try {
    const read = readConfig(process.env)
    for (const remark of checkVariableNames(process.env)) process.stderr.write(`${remark}\n`)
    forgetSecrets(process.env)
    return read
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`The configuration cannot be used:\n${error.message}\n`)
    process.exit(1)
  }
}

/**
 * Collects the garbage of startup, which Node.js would otherwise keep until the process is busy. With 10,000 books, an
 * idle process then takes 180 MB of memory instead of 230 MB.
 */
function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const runGc = runInNewContext('gc') as NodeJS.GCFunction
  runGc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

async function stop(server: RunningServer, signal: string): Promise<void> {
  log.info({ signal }, 'stopping')
  process.once(signal, () => process.exit(1))
  removeNote()
  await server.stop()
  log.info({}, 'stopped')
  // Agenda keeps a timer per job, which would delay the exit by half a lease.
  process.exit()
}

/**
 * Warns if another server uses the same data folder. This works, because both use the store of one of them, but is
 * rarely intended.
 */
function warnOfOtherServers(): void {
  if (config.mongodbUrl !== undefined) return
  const others = servers.list().filter(({ dataDir }) => dataDir === config.dataDir)
  for (const { baseUrl, pid } of others)
    process.stderr.write(
      `Another server uses ${config.dataDir}: ${baseUrl} (process ${pid}). Both serve the same library, and this one refuses calls while that one is stopped.\n`,
    )
}

/** The location of the library in words, without a password. */
async function describePlace(): Promise<string> {
  const { dataDir, mongodbUrl, files } = config
  if (mongodbUrl === undefined) return dataDir
  const [{ databaseNameOf }, { hostsOf }] = await Promise.all([
    import('../db/connect.ts'),
    import('../db/database-failure.ts'),
  ])
  const database = `${databaseNameOf(mongodbUrl)} at ${hostsOf(mongodbUrl)}`
  return files.driver === 's3' ? `${database}, files in the bucket ${files.bucket}` : `${database}, files in ${dataDir}`
}

async function printWelcome({ opened: open }: RunningServer): Promise<void> {
  const { baseUrl, role, command } = config
  const lines = [
    '',
    `Lectern is ready at ${baseUrl}`,
    `  API reference  ${baseUrl}/docs`,
    `  MCP address    ${baseUrl}/api/v1/mcp`,
    `  Library        ${await describePlace()}`,
    `  Version        ${version}`,
    '',
  ]
  if (role !== 'worker' && !(await open.services.accounts.hasAny())) {
    const { issueLink } = await import('../accounts/issue-link.ts')
    const { url } = await issueLink(open.services, 'claim', null)
    lines.push(
      'There is no account yet. Create the first one in a browser; this link works once, within 7 days:',
      `  ${url}`,
      'or create it in a second shell, with an API key:',
      `  ${command} user create --email you@example.com --admin`,
      `  ${command} key create --email you@example.com`,
      '',
    )
  }
  process.stdout.write(lines.join('\n') + '\n')
}
