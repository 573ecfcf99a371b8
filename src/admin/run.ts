import { ConfigError, forgetSecrets, readConfig, type Config } from '../app/config.ts'
import { explainStartFailure } from '../app/start-failure.ts'
import { runningServers } from '../app/running-servers.ts'
import { checkVariableNames } from '../app/unknown-variables.ts'
import { AppError, isStoreFull, isStoreUnavailable } from '../core/errors.ts'
import { StartError } from '../core/start-error.ts'
import { createLog } from '../app/log.ts'
import { describeGroup } from '../cli/find-command.ts'
import { clean } from '../cli/show-value.ts'
import { nearestName } from '../text/nearest-name.ts'
import { currentFolder } from './current-folder.ts'
import { parseArguments, type Arguments } from './parse-arguments.ts'
import type { Command, CommandResult } from './commands/command.ts'
import { UsageError } from './commands/read-options.ts'
import { commandLoaders } from './commands/command-loaders.ts'
import { configOfRunningServer } from './find-server.ts'
import { openLibrary } from './open-library.ts'
import { printList } from './print-list.ts'
import { createProgress, noProgress } from './progress.ts'

const wantsJson = process.argv.includes('--json')
let usedConfig: Config | null = null

try {
  const args = parseArguments(process.argv.slice(2))
  printResult(await run(args))
} catch (error) {
  printError(error)
}

async function run({ commandWords, options }: Arguments): Promise<CommandResult | null> {
  const command = await loadCommand(commandWords.join(' '))
  const read = readConfig(process.env)
  usedConfig = read
  const config = await configOfRunningServer(read, process.env, runningServers(process.env).list())
  const remarks = checkVariableNames(process.env)
  if (!wantsJson) remarks.forEach(remark)
  usedConfig = config
  forgetSecrets(process.env)
  const namedDirectory = process.env['LECTERN_DATA_DIR']
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel)
  const progress = wantsJson ? noProgress : createProgress(process.stderr)
  return command.execute(
    {
      config,
      progress,
      currentFolder: currentFolder(),
      async open(use) {
        const opened = await openLibrary(config, { ...use, namedDirectory, remark })
        return { ...opened, config, log, progress, currentFolder: currentFolder() }
      },
      printList: (list) => printList(list, { asJson: wantsJson, remark }),
    },
    options,
  )
}

async function loadCommand(name: string): Promise<Command> {
  const load = commandLoaders.get(name)
  if (load) return load()
  const names = [...commandLoaders.keys()]
  const withMore = names.find((candidate) => name.startsWith(`${candidate} `))
  if (withMore) {
    const extra = name.slice(withMore.length + 1)
    const { usage } = await loadCommand(withMore)
    throw new UsageError(
      `${withMore} takes options only, not "${extra}"\nUsage: lectern ${withMore} ${usage}`.trimEnd(),
    )
  }
  const ofGroup = names.filter((candidate) => candidate.startsWith(`${name} `))
  if (ofGroup.length > 0) throw new UsageError(describeGroup(name, ofGroup))
  const meant = nearestName(name, names)
  const hints = meant && `Did you mean ${meant}?`
  throw new UsageError(`unknown command: ${name}\n${hints ? `${hints}\n` : ''}\nlectern help lists all commands.`)
}

function remark(text: string): void {
  process.stderr.write(`${clean(text)}\n`)
}

function printResult(result: CommandResult | null): void {
  if (result === null) return
  const { json, text, remarks = [], ok = true } = result
  process.stdout.write(`${wantsJson ? JSON.stringify(json) : clean(text)}\n`)
  if (!wantsJson) remarks.forEach(remark)
  if (!ok) process.exitCode = 1
}

function printError(error: unknown): void {
  const isUsage = error instanceof UsageError || error instanceof ConfigError
  const explained = usedConfig && explainStartFailure(error, usedConfig)
  const message = explained ?? (error instanceof Error ? error.message : String(error))
  if (wantsJson) process.stdout.write(`${JSON.stringify({ error: message, code: codeOf(error) })}\n`)
  else remark(message)
  process.exitCode = isUsage ? 2 : 1
}

function codeOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError) return 'USAGE'
  if (error instanceof AppError) return error.code
  if (isStoreFull(error)) return 'STORAGE_FULL'
  return error instanceof StartError || isStoreUnavailable(error) ? 'UNAVAILABLE' : 'INTERNAL'
}
