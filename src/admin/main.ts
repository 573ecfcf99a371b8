import { homedir } from 'node:os'
import { runClient } from '../cli/run-client.ts'
import { currentFolder } from './current-folder.ts'

const [first, ...rest] = process.argv.slice(2)

if (first === 'start' && !rest.includes('--help') && !rest.includes('-h')) {
  await import('./start.ts')
} else {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A consumer such as `head` may close the pipe before the end of a list.
    if (error.code === 'EPIPE') process.exit()
    process.stderr.write(`The output could not be written: ${error.message}\n`)
    process.exit(1)
  })
  const { env: environment, stdin, stdout, stderr } = process
  const terminal = {
    environment,
    folder: currentFolder(),
    homeFolder: homeFolder(),
    localServers: async () => {
      const { runningServers } = await import('../app/running-servers.ts')
      return runningServers(environment)
        .list()
        .map(({ baseUrl }) => baseUrl)
    },
    stdin,
    stdout,
    stderr,
  }
  const status = await runClient(process.argv.slice(2), terminal)
  if (status === null) await import('./run.ts')
  else process.exitCode = status
}

/**
 * The home folder of the user; `/` for a user without one, as in a container that runs with a user id unknown to the
 * image.
 */
function homeFolder(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}
