import { UsageError } from './commands/read-options.ts'

export interface Arguments {
  commandWords: string[]
  options: Record<string, string | true>
  json: boolean
}

const optionPattern = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s

/**
 * Parses a command line into command words and options: `--name value`, `--name=value`, or `--name` for a switch. `--json`
 * is always a switch. Throws `UsageError`.
 */
export function parseArguments(args: readonly string[]): Arguments {
  const commandWords: string[] = []
  const options: Record<string, string | true> = {}
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string
    const match = optionPattern.exec(arg)
    if (!match) {
      if (arg.startsWith('-')) throw new UsageError(`unknown option ${arg}`)
      commandWords.push(arg)
      continue
    }
    const name = camelCase(match[1] as string)
    const next = args[i + 1]
    if (Object.hasOwn(options, name)) throw new UsageError(`--${match[1]} is given twice`)
    if (match[2] !== undefined) options[name] = match[2]
    else if (name === 'json' || next === undefined || next.startsWith('--')) options[name] = true
    else options[name] = args[++i] as string
  }
  const { json, ...rest } = options
  return { commandWords, options: rest, json: json === true }
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
