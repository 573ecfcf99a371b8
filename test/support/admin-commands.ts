import { commandLoaders } from '../../src/admin/commands/command-loaders.ts'

/** All commands for administrators, in the order of the help text. */
export const adminCommands = await Promise.all([...commandLoaders.values()].map((load) => load()))
