import type { OptionDefinition, ReadArguments } from './read-arguments.ts'
import type { Terminal } from './terminal.ts'

/** A command of the client that no declaration has. */
export interface OwnCommand {
  name: string
  /** As shown in the help text. */
  usage: string
  summary: string
  options: Record<string, OptionDefinition>
  /** Loads what it needs and runs; returns the exit status. Throws `UsageError` and `ClientError`. */
  run(args: ReadArguments, terminal: Terminal): Promise<number>
}

const value: OptionDefinition = { takesValue: true }
const isSwitch: OptionDefinition = { takesValue: false }

/** The commands of the client beside the derived ones, in the order of the help text. */
export const ownCommands: readonly OwnCommand[] = [
  {
    name: 'login',
    usage: '[--url URL] [--profile NAME] [--key KEY] [--no-browser]',
    summary:
      'Sign in to a server in the browser and keep its key in a profile. Without a browser: --key, or --key - to paste it.',
    options: { url: value, profile: value, key: value, 'no-browser': isSwitch, json: isSwitch },
    run: async (args, terminal) => (await import('./login.ts')).login(args, terminal),
  },
  {
    name: 'logout',
    usage: '[--profile NAME]',
    summary: 'Forget the key of a profile on this machine. It stays valid until it is revoked on the server.',
    options: { profile: value, json: isSwitch },
    run: async (args, terminal) => (await import('./list-profiles.ts')).logout(args, terminal),
  },
  {
    name: 'profiles',
    usage: '',
    summary: 'List the servers that somebody has signed in to on this machine.',
    options: { json: isSwitch },
    run: async (args, terminal) => (await import('./list-profiles.ts')).listProfiles(args, terminal),
  },
  {
    name: 'upload',
    usage: 'FILE… [--no-wait] [--password P]',
    summary: 'Send files and wait until they are books; prints the id of each.',
    options: { url: value, key: value, profile: value, json: isSwitch, 'no-wait': isSwitch, password: value },
    run: async (args, terminal) => (await import('./upload.ts')).upload(args, terminal),
  },
  {
    name: 'export',
    usage: '--to FILE|-',
    summary:
      'Write everything that the account has into one new ZIP file: books, shelves, research, settings. Until it is whole it is called FILE.part; - is stdout.',
    options: { url: value, key: value, profile: value, json: isSwitch, to: value },
    run: async (args, terminal) => (await import('./export.ts')).exportAccount(args, terminal),
  },
  {
    name: 'import-export',
    usage: 'FILE',
    summary:
      'Take an export into the account, on this or another server: books, details, shelves, manuscripts. The file is checked first. It can be repeated, and brings in only what is not there.',
    options: { url: value, key: value, profile: value, json: isSwitch },
    run: async (args, terminal) => (await import('./import-export.ts')).importExport(args, terminal),
  },
  {
    name: 'completion',
    usage: 'bash|zsh|fish',
    summary: 'Print a script with which a shell completes commands and options.',
    options: { json: isSwitch },
    run: async (args, terminal) => (await import('./print-completion.ts')).printCompletion(args, terminal),
  },
]
