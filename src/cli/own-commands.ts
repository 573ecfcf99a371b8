import type { OptionDefinition, ReadArguments } from './read-arguments.ts'
import { sharedOptions } from './read-input.ts'
import type { Terminal } from './terminal.ts'

/** A command of the client without a declaration. */
export interface OwnCommand {
  name: string
  /** As shown in the help text. */
  usage: string
  summary: string
  options: Record<string, OptionDefinition>
  /** Loads its dependencies and runs; returns the exit status. Throws `UsageError` and `ClientError`. */
  run(args: ReadArguments, terminal: Terminal): Promise<number>
}

const json: OptionDefinition = { takesValue: false, about: 'Print one JSON value, for refusals too.' }
const { url, key, profile } = sharedOptions as Record<'url' | 'key' | 'profile', OptionDefinition>

/** The commands of the client in addition to the derived ones, in the order of the help text. */
export const ownCommands: readonly OwnCommand[] = [
  {
    name: 'login',
    usage: '[--url URL] [--profile NAME] [--key KEY] [--no-browser]',
    summary:
      'Sign in to a server in the browser and keep its key in a profile. Without a browser: --key, or --key - to paste it.',
    options: {
      url: {
        ...url,
        about:
          'The address of the server. Default: LECTERN_URL, then the server that you run on this machine, then http://localhost:3000.',
      },
      profile: { ...profile, about: 'The name of the profile that stores server and key. Default: default.' },
      key: { ...key, about: 'An existing API key; - asks for it, or reads it from stdin.' },
      'no-browser': { takesValue: false, about: 'Print the address instead of opening a browser on this machine.' },
      json,
    },
    run: async (args, terminal) => (await import('./login.ts')).login(args, terminal),
  },
  {
    name: 'logout',
    usage: '[--profile NAME]',
    summary: 'Forget the key of a profile on this machine. It stays valid until it is revoked on the server.',
    options: { profile: { ...profile, about: 'Which profile. Default: default.' }, json },
    run: async (args, terminal) => (await import('./list-profiles.ts')).logout(args, terminal),
  },
  {
    name: 'profiles',
    usage: '',
    summary: 'List the servers that this user has signed in to on this machine.',
    options: { json },
    run: async (args, terminal) => (await import('./list-profiles.ts')).listProfiles(args, terminal),
  },
  {
    name: 'upload',
    usage: 'FILE… [--no-wait] [--password P]',
    summary: 'Send files and wait until they are books; prints the id of each.',
    options: {
      'no-wait': {
        takesValue: false,
        about: 'End when the files are sent; the server imports them in the background.',
      },
      password: {
        takesValue: true,
        value: 'P',
        about: 'The password for encrypted files; - asks for it, or reads it from stdin.',
      },
      url,
      key,
      profile,
      json,
    },
    run: async (args, terminal) => (await import('./upload.ts')).upload(args, terminal),
  },
  {
    name: 'export',
    usage: '--to FILE|-',
    summary:
      'Write all data of the account into one new ZIP file: books, shelves, research, settings. Until it is complete, the file is called FILE.part; - is stdout.',
    options: {
      to: { takesValue: true, value: 'FILE', about: 'A new file, or - for stdout.' },
      url,
      key,
      profile,
      json,
    },
    run: async (args, terminal) => (await import('./export.ts')).exportAccount(args, terminal),
  },
  {
    name: 'import-export',
    usage: 'FILE',
    summary:
      'Import an export into the account, on this or another server: books, details, shelves, manuscripts. The file is checked first. You can repeat the command; it imports only what is missing.',
    options: { url, key, profile, json },
    run: async (args, terminal) => (await import('./import-export.ts')).importExport(args, terminal),
  },
  {
    name: 'completion',
    usage: 'bash|zsh|fish',
    summary: 'Print a script with which a shell completes commands and options.',
    options: { json },
    run: async (args, terminal) => (await import('./print-completion.ts')).printCompletion(args, terminal),
  },
]
