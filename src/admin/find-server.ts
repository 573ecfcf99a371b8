import type { Config } from '../app/config.ts'
import type { RunningServer } from '../app/running-servers.ts'
import { StartError } from '../core/start-error.ts'
import { hasStore } from '../db/require-store.ts'

type Environment = Record<string, string | undefined>

/**
 * The configuration of a command based on a running server of the same user: its data folder (if the environment names
 * no place and the default has no library) and its address. Throws `StartError` if several servers run and none is
 * named, or if the server has a variable that the command needs and lacks.
 */
export async function configOfRunningServer(
  config: Config,
  environment: Environment,
  servers: readonly RunningServer[],
): Promise<Config> {
  const server = await serverOf(config, environment, servers)
  if (!server) return config
  const missing = server.variables.filter((name) => !environment[name])
  if (missing.length > 0) {
    throw new StartError(
      `The server at ${server.baseUrl} was started with ${missing.join(', ')}. Set the same here, so that the command finds the same library.`,
    )
  }
  const knowsAddress = Boolean(environment['LECTERN_BASE_URL'] || environment['PORT'])
  return { ...config, dataDir: server.dataDir, baseUrl: knowsAddress ? config.baseUrl : server.baseUrl }
}

async function serverOf(
  { dataDir, mongodbUrl }: Config,
  environment: Environment,
  servers: readonly RunningServer[],
): Promise<RunningServer | undefined> {
  if (mongodbUrl !== undefined) return undefined
  const here = servers.find((server) => server.dataDir === dataDir)
  if (here || environment['LECTERN_DATA_DIR'] || (await hasStore({ url: undefined, directory: dataDir }))) return here
  if (servers.length <= 1) return servers[0]
  const folders = servers.map((server) => `  ${server.dataDir} (${server.baseUrl})`)
  throw new StartError(`Several servers are running. Choose one with LECTERN_DATA_DIR:\n${folders.join('\n')}`)
}
