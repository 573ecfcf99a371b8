// Runs `lectern` commands one after the other in one process. Each evaluates the command line program again; its
// imports are loaded once.
import { writeSync } from 'node:fs'
import { childEnvironment } from './child-environment.ts'
import { endMark, type CommandOrder } from './command-order.ts'

let count = 0

process.on('message', async ({ args, environment }: CommandOrder) => {
  process.argv.splice(2, Infinity, ...args)
  process.env = { ...childEnvironment, ...environment }
  process.exitCode = undefined
  count += 1
  await import(`../../src/admin/run.ts?run=${count}`)
  for (const stream of [1, 2]) writeSync(stream, endMark)
  process.send?.(process.exitCode ?? 0)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
