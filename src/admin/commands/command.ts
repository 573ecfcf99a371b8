import type { z } from 'zod'
import type { Config } from '../../app/config.ts'
import type { Log } from '../../core/context.ts'
import type { OpenedServices } from '../../app/services.ts'

/** What a command works with. */
export interface AdminContext extends OpenedServices {
  config: Config
  log: Log
}

export interface Command {
  /** As it is typed: `user create`. */
  name: string
  /** The options as the help shows them. */
  usage: string
  summary: string
  execute(access: CommandAccess, options: Record<string, unknown>): Promise<CommandResult>
}

/** What a command may reach; the store is opened only for commands that work on it. */
export interface CommandAccess {
  config: Config
  open(): Promise<AdminContext>
}

export interface CommandResult {
  /** Printed with `--json`. */
  json: unknown
  /** Printed without it. */
  text: string
  /** False ends the process with exit status 1. */
  ok?: boolean
}

interface CommandDefinition<S extends z.ZodType, Subject> extends Omit<Command, 'execute'> {
  /** Reads the options as they were typed: text, or true for a switch. */
  options: S
  run(target: Subject, options: z.output<S>): Promise<CommandResult>
}

/** Wrong usage of the command line; exit status 2. */
export class UsageError extends Error {}

/** Declares a command that works on the store. */
export function defineCommand<S extends z.ZodType>(declaration: CommandDefinition<S, AdminContext>): Command {
  return {
    ...declaration,
    async execute(access, rawOptions) {
      const options = readOptions(declaration, rawOptions)
      const admin = await access.open()
      try {
        return await declaration.run(admin, options)
      } finally {
        await admin.close()
      }
    },
  }
}

/** Declares a command that talks to a server over the network, as any client does. */
export function defineRemoteCommand<S extends z.ZodType>(declaration: CommandDefinition<S, Config>): Command {
  return {
    ...declaration,
    execute: ({ config }, rawOptions) => declaration.run(config, readOptions(declaration, rawOptions)),
  }
}

function readOptions<S extends z.ZodType, T>(
  { name, usage, options }: CommandDefinition<S, T>,
  rawOptions: unknown,
): z.output<S> {
  const parsed = options.safeParse(rawOptions)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return `unknown option --${issue.keys.join(', --')}`
    return `--${issue.path.join('.')}: ${issue.message}`
  })
  throw new UsageError(`${problems.join('\n')}\nUsage: lectern ${name} ${usage}`)
}
