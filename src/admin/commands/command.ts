import type { z } from 'zod'
import type { AuditSource } from '../../accounts/audit.ts'
import type { Config } from '../../app/config.ts'
import type { Log } from '../../core/context.ts'
import type { OpenedServices } from '../../app/services.ts'

/** The services that commands use. */
export interface AdminContext extends OpenedServices {
  config: Config
  log: Log
}

/** Who acts in the audit log where an administrator uses the `lectern` command. */
export const byCommand: AuditSource = { clientAddress: 'command' }

export interface Command {
  /** Name as typed, such as `user create`. */
  name: string
  /** Options as shown in the help text. */
  usage: string
  summary: string
  execute(access: CommandAccess, options: Record<string, unknown>): Promise<CommandResult>
}

/** Access to the configuration and, on demand, to the services. */
export interface CommandAccess {
  config: Config
  open(): Promise<AdminContext>
}

export interface CommandResult {
  /** Printed with `--json`. */
  json: unknown
  /** Printed without it. */
  text: string
  /** False for exit status 1. */
  ok?: boolean
}

interface CommandDefinition<S extends z.ZodType, Subject> extends Omit<Command, 'execute'> {
  /** Parses raw options: strings, or true for a switch. */
  options: S
  run(target: Subject, options: z.output<S>): Promise<CommandResult>
}

/** Invalid usage of the command line; exit status 2. */
export class UsageError extends Error {}

/** Declares a command that uses the services. */
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

/** Declares a command that calls a server over the network, as a client does. */
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
