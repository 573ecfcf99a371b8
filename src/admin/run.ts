import { ConfigError, forgetSecrets, readConfig } from '../app/config.ts'
import { AppError } from '../core/errors.ts'
import { createLog } from '../app/log.ts'
import { openServices } from '../app/services.ts'
import { parseArguments, type Arguments } from './parse-arguments.ts'
import { UsageError, type CommandResult } from './commands/command.ts'
import { commands } from './commands/index.ts'

const wantsJson = process.argv.includes('--json')

try {
  const args = parseArguments(process.argv.slice(2))
  if (args.commandWords.length === 0 || args.commandWords[0] === 'help') process.stdout.write(help())
  else printResult(await run(args), args.json)
} catch (error) {
  printError(error)
}

async function run({ commandWords, options }: Arguments): Promise<CommandResult> {
  const name = commandWords.join(' ')
  const command = commands.find((candidate) => candidate.name === name)
  if (!command) throw new UsageError(`unknown command: ${name}\n\n${help()}`)
  const config = readConfig(process.env)
  forgetSecrets(process.env)
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel)
  return command.execute({ config, open: async () => ({ ...(await openServices(config)), config, log }) }, options)
}

function printResult({ json, text, ok = true }: CommandResult, asJson: boolean): void {
  process.stdout.write(`${asJson ? JSON.stringify(json) : text}\n`)
  if (!ok) process.exitCode = 1
}

function printError(error: unknown): void {
  const usage = error instanceof UsageError || error instanceof ConfigError
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof AppError ? error.code : usage ? 'USAGE' : 'INTERNAL'
  if (wantsJson) process.stdout.write(`${JSON.stringify({ error: message, code })}\n`)
  else process.stderr.write(`${message}\n`)
  process.exitCode = usage ? 2 : 1
}

function help(): string {
  const rows = commands.map(({ name, usage, summary }) => `  lectern ${name} ${usage}\n      ${summary}`)
  return ['Usage: lectern COMMAND [--json]', '', ...rows, ''].join('\n')
}
