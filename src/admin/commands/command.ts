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
  /** Where relative paths of people start. */
  currentFolder: string
}

/** Who acts in the audit log where an administrator uses the `lectern` command. */
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
  /** Where relative paths of people start. */
  currentFolder: string
  /** Opens the services. Throws `StartError` when there is no store, unless the command may make one. */
  open(use: LibraryUse): Promise<AdminContext>
  /** Prints rows while they are read. */
  printList(list: ListResult): Promise<void>
}

export interface CommandResult {
  /** Printed with `--json`. */
  json: unknown
  /** Printed without it: what a script takes over, such as an id alone. */
  text: string
  /** Sentences for people, printed on stderr without `--json`. */
  remarks?: readonly string[]
  /** False for exit status 1. */
  ok?: boolean
}

/** Rows that are printed one by one: with `--json` as one object with an array. */
export interface ListResult {
  /** The field of the array. */
  name: string
  rows: AsyncIterable<ListRow>
  /** Printed on stderr when there are no rows. */
  empty: string
}

export interface ListRow {
  json: unknown
  text: string
}

interface CommandDefinition<S extends z.ZodType, Subject> extends OptionsOf<S>, Pick<Command, 'summary'> {
  /** True for a command that may begin a new library. */
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

/** Declares a command that calls a server over the network, as a client does. */
export function defineRemoteCommand<S extends z.ZodType>(declaration: CommandDefinition<S, Config>): Command {
  return {
    ...declaration,
    execute: async ({ config }, rawOptions) => declaration.run(config, readOptions(declaration, rawOptions)),
  }
}
