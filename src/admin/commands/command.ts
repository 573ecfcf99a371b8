import type { z } from 'zod'
import type { AuditSource } from '../../accounts/audit.ts'
import type { Config } from '../../app/config.ts'
import type { Log } from '../../core/context.ts'
import type { OpenedServices } from '../../app/services.ts'
import type { LibraryUse } from '../open-library.ts'
import type { Progress } from '../progress.ts'
import { readOptions, type OptionsOf } from './read-options.ts'

/** The services that commands use. */
export interface AdminContext extends OpenedServices {
  config: Config
  log: Log
  progress: Progress
  /** The folder that relative paths are resolved against. */
  currentFolder: string
}

/** The actor in the audit log when an administrator uses the `lectern` command. */
export const byCommand: AuditSource = { clientAddress: 'command' }

export interface Command {
  /** Name as typed, such as `user create`. */
  name: string
  /** Options as shown in the help text. */
  usage: string
  summary: string
  execute(access: CommandAccess, options: Record<string, unknown>): Promise<CommandResult | null>
}

/** Access to the configuration and, on demand, to the services. */
export interface CommandAccess {
  config: Config
  progress: Progress
  /** The folder that relative paths are resolved against. */
  currentFolder: string
  /** Opens the services. Throws `StartError` if there is no store, unless the command may create one. */
  open(use: LibraryUse): Promise<AdminContext>
  /** Prints rows as they are read. */
  printList(list: ListResult): Promise<void>
}

export interface CommandResult {
  /** The output with `--json`. */
  json: unknown
  /** The output without it: what a script needs, such as only an id. */
  text: string
  /** Sentences for people, printed on stderr without `--json`. */
  remarks?: readonly string[]
  /** False for exit status 1. */
  ok?: boolean
}

/** Rows that are printed one by one; with `--json`, as one object with an array. */
export interface ListResult {
  /** The name of the array field. */
  name: string
  rows: AsyncIterable<ListRow>
  /** Printed on stderr if there are no rows. */
  empty: string
}

export interface ListRow {
  json: unknown
  text: string
}

interface CommandDefinition<S extends z.ZodType, Subject> extends OptionsOf<S>, Pick<Command, 'summary'> {
  /** True for a command that may create a new library. */
  makesStore?: true
  run(target: Subject, options: z.output<S>): Promise<CommandResult>
}

interface ListDefinition<S extends z.ZodType> extends OptionsOf<S>, Pick<Command, 'summary'> {
  list(target: AdminContext, options: z.output<S>): Promise<ListResult> | ListResult
}

/** Declares a command that uses the services. */
export function defineCommand<S extends z.ZodType>(declaration: CommandDefinition<S, AdminContext>): Command {
  return {
    ...declaration,
    async execute(access, rawOptions) {
      const options = readOptions(declaration, rawOptions)
      const admin = await access.open({ makesStore: declaration.makesStore ?? false })
      try {
        return await declaration.run(admin, options)
      } finally {
        admin.progress.clear()
        await admin.close()
      }
    },
  }
}

/** Declares a command that prints a list. */
export function defineListCommand<S extends z.ZodType>(declaration: ListDefinition<S>): Command {
  return {
    ...declaration,
    async execute(access, rawOptions) {
      const options = readOptions(declaration, rawOptions)
      const admin = await access.open({ makesStore: false })
      try {
        await access.printList(await declaration.list(admin, options))
        return null
      } finally {
        await admin.close()
      }
    },
  }
}

/** Declares a command that calls a server over the network, like a client. */
export function defineRemoteCommand<S extends z.ZodType>(declaration: CommandDefinition<S, Config>): Command {
  return {
    ...declaration,
    execute: async ({ config }, rawOptions) => declaration.run(config, readOptions(declaration, rawOptions)),
  }
}
