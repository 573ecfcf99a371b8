// A Lectern server without rate limits in a separate process. On request it reports its CPU time, or the commands of
// its store.
import { rateLimits, type RateBucket } from '../src/accounts/rate-limiter.ts'
import { readConfig } from '../src/app/config.ts'
import { createLog } from '../src/app/log.ts'
import { startServer } from '../src/app/start.ts'

const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1e9])) as Record<
  RateBucket,
  number
>
const monitorCommands = process.env['LECTERN_BENCH_COUNT'] === '1'
const server = await startServer(readConfig(process.env), createLog('silent'), {
  rateLimits: unlimited,
  monitorCommands,
})
const commands: string[] = []
server.opened.database.client.on('commandStarted', ({ commandName, command }) =>
  commands.push(`${commandName} ${command[commandName]}`),
)

process.on('message', (message) => {
  if (message === 'commands') process.send?.(commands.splice(0))
  else process.send?.(process.cpuUsage())
})
process.on('disconnect', () => void server.stop().then(() => process.exit(0)))
process.send?.('ready')
