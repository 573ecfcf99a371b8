import { createInterface } from 'node:readline/promises'
import { readSecret } from '../../cli/terminal.ts'
import { AppError } from '../../core/errors.ts'
import type { CatalogueAddress } from '../../folders/catalogue-client.ts'

type Credentials = NonNullable<CatalogueAddress['credentials']>

/** Credentials from the command line and the settings. */
export interface GivenCredentials {
  /** From the settings; both empty: none. */
  settings: Credentials
  user: string | undefined
  /** `-`: prompt for it, or read it from stdin. */
  password: '-' | undefined
}

const passwordPrompt = 'Password for the catalogue (not shown): '

/**
 * Opens a catalogue with the given credentials. If it requires some and none are given, prompts on a terminal;
 * elsewhere rethrows its refusal. Calls `show` before each attempt and `clear` before each prompt.
 */
export async function withCredentials<T>(
  given: GivenCredentials,
  open: (credentials: Credentials) => Promise<T>,
  { show, clear, canPrompt }: { show: () => void; clear: () => void; canPrompt: boolean },
): Promise<T> {
  const credentials = await readGiven(given, clear)
  show()
  try {
    return await open(credentials)
  } catch (error) {
    const isUnanswered = error instanceof AppError && error.details['reason'] === 'SIGN_IN_WANTED'
    if (!isUnanswered || !canPrompt || given.password !== undefined || !process.stdin.isTTY || !process.stderr.isTTY)
      throw error
    clear()
    const user = given.user ?? (await ask('User name for the catalogue: '))
    const password = await readSecret(process, passwordPrompt)
    show()
    return open({ user, password })
  }
}

async function readGiven({ settings, user, password }: GivenCredentials, clear: () => void): Promise<Credentials> {
  // With only a user name, the password is prompted for later.
  if (password === undefined && user !== undefined && settings.password === '') return { user: '', password: '' }
  if (password === undefined) return { user: user ?? settings.user, password: settings.password }
  clear()
  return { user: user ?? settings.user, password: await readSecret(process, passwordPrompt) }
}

async function ask(prompt: string): Promise<string> {
  const line = createInterface({ input: process.stdin, output: process.stderr })
  line.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    return (await line.question(prompt)).trim()
  } finally {
    line.close()
  }
}
