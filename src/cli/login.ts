import { spawn } from 'node:child_process'
import { callJson } from './call-json.ts'
import { defaultProfile, loadProfiles, storeProfiles } from './profiles.ts'
import type { ReadArguments } from './read-arguments.ts'
import { receiveKey } from './receive-key.ts'
import { ClientError } from './client-error.ts'
import { oneLine } from './show-value.ts'
import { localUrl, parseUrl, readKey, textOption, type Server } from './server.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Signs in to a server and stores its key in a profile. A key that the server refuses is not stored. */
export async function login({ words, options }: ReadArguments, terminal: Terminal): Promise<number> {
  if (words.length > 0) throw new UsageError(`unexpected word: ${words[0]}`)
  const name = textOption(options, 'profile') ?? defaultProfile
  if (!/^[\w.-]{1,64}$/.test(name) || name === '__proto__')
    throw new UsageError('--profile: must be a name of letters, digits, dots, - and _')
  const profiles = await loadProfiles(terminal)
  const url = parseUrl(
    textOption(options, 'url') ??
      (terminal.environment['LECTERN_URL'] || (profiles[name]?.url ?? (await localUrl(terminal)))),
  )
  const given = textOption(options, 'key')
  const prompt = `Paste an API key of ${url} (create one at ${url}/keys) (not shown): `
  const key = (await readKey(terminal, given, prompt)) ?? (await askBrowser(url, !options.has('no-browser'), terminal))
  const email = await findEmail({ url, key })
  await storeProfiles(terminal, { ...profiles, [name]: { url, key } })
  if (options.has('json')) terminal.stdout.write(`${JSON.stringify({ profile: name, url, email })}\n`)
  else terminal.stderr.write(`Signed in to ${url} as ${oneLine(email)}, profile ${name}.\n`)
  return 0
}

async function findEmail(server: Server): Promise<string> {
  try {
    return String((await callJson(server, 'GET', { path: '/api/v1/auth/whoami' }))['email'])
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    throw new ClientError(error.code, `${error.message} Nothing was stored.`, { cause: error })
  }
}

async function askBrowser(url: string, opens: boolean, { stderr }: Terminal): Promise<string> {
  // Checked first, so that an unreachable server fails here instead of in the browser.
  await callJson({ url, key: null }, 'GET', { path: '/api/v1/openapi.json' })
  const receiver = await receiveKey()
  try {
    const address = `${url}/cli-auth?${receiver.query}`
    stderr.write(
      `Sign in with a browser on this machine:\n\n  ${address}\n\nOn a machine without one: lectern login --key -\n`,
    )
    if (opens) openBrowser(address)
    const key = await receiver.key
    if (key === null)
      throw new ClientError(
        'UNAVAILABLE',
        'There was no sign-in within ten minutes. Nothing was stored. To try again, repeat the command.',
      )
    return key
  } finally {
    receiver.close()
  }
}

/** Opens a URL in the default browser. If that fails, the user has the URL on the terminal. */
function openBrowser(address: string): void {
  const programs: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }
  const [program, ...args] = programs[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
