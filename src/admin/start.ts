import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createCompileCache } from '../app/compile-cache.ts'
import { start } from './commands/start.ts'
import { currentFolder } from './current-folder.ts'

/** The environment variables that correspond to the options of `lectern start`. */
const variables = {
  port: 'PORT',
  host: 'HOST',
  'base-url': 'LECTERN_BASE_URL',
  'data-dir': 'LECTERN_DATA_DIR',
} as const

const values = readOptionsOrExit()
for (const [option, variable] of Object.entries(variables)) {
  const value = values[option as keyof typeof variables]
  if (value !== undefined) process.env[variable] = option === 'data-dir' ? resolve(currentFolder(), value) : value
}
createCompileCache(process.env['LECTERN_DATA_DIR'])
await import('../app/run.ts')

function readOptionsOrExit(): Partial<Record<keyof typeof variables, string>> {
  const text = { type: 'string' } as const
  const options = { port: text, host: text, 'base-url': text, 'data-dir': text }
  try {
    return parseArgs({ args: process.argv.slice(3), options }).values
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nUsage: lectern start ${start.usage}\n`)
    process.exit(2)
  }
}
