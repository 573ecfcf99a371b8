import { loadProfiles, type Profiles, defaultProfile } from './profiles.ts'
import type { ReadArguments } from './read-arguments.ts'
import { readSecret, type Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** The server that a command calls. */
export interface Server {
  /** Without a trailing slash. */
  url: string
  /** Null if the command needs none. */
  key: string | null
}

/** The URL of a server that runs with default settings on this machine. */
const defaultUrl = 'http://localhost:3000'

/**
 * The server and key of a command: `--url` and `--key`, otherwise `LECTERN_URL` and `LECTERN_KEY`, otherwise the
 * profile. The key of a profile is only sent to the server of that profile. A key without a server, if there is no
 * profile, is sent to `localUrl`. Throws `UsageError` if one is missing.
 */
export async function findServer(terminal: Terminal, options: ReadArguments['options']): Promise<Server> {
  const name = textOption(options, 'profile')
  const givenUrl = textOption(options, 'url') ?? (name === null ? fromEnvironment(terminal, 'LECTERN_URL') : null)
  const givenKey = await readKey(
    terminal,
    textOption(options, 'key') ?? (name === null ? fromEnvironment(terminal, 'LECTERN_KEY') : null),
  )
  if (givenUrl !== null && givenKey !== null) return { url: parseUrl(givenUrl), key: givenKey }
  const profiles = await loadProfiles(terminal)
  const profile = findProfile(profiles, name)
  const url =
    givenUrl === null ? (profile?.url ?? (await urlWithoutProfile(terminal, givenKey, profiles))) : parseUrl(givenUrl)
  if (url === undefined)
    throw new UsageError(
      'no server is named. Sign in with lectern login --url URL, or name one with --url or LECTERN_URL.',
    )
  const ofProfile = profile?.url === url ? profile : Object.values(profiles).find((candidate) => candidate.url === url)
  return { url, key: givenKey ?? ofProfile?.key ?? null }
}

/** A user with a key and no profile has a server on this machine. */
async function urlWithoutProfile(
  terminal: Terminal,
  key: string | null,
  profiles: Profiles,
): Promise<string | undefined> {
  return key !== null && Object.keys(profiles).length === 0 ? localUrl(terminal) : undefined
}

/** The address of the one server that this user runs on this machine; the default address if there is none or more than one. */
export async function localUrl({ localServers }: Terminal): Promise<string> {
  const [url, ...others] = await localServers()
  return url === undefined || others.length > 0 ? defaultUrl : url
}

function findProfile(profiles: Profiles, name: string | null): Profiles[string] | undefined {
  if (name !== null && !Object.hasOwn(profiles, name)) {
    const names = Object.keys(profiles)
    const hint = names.length > 0 ? `The profiles are: ${names.join(', ')}.` : 'There is none yet.'
    throw new UsageError(`--profile: there is no profile ${name}. ${hint} lectern login --profile ${name} creates it.`)
  }
  return (
    profiles[name ?? defaultProfile] ?? (Object.keys(profiles).length === 1 ? Object.values(profiles)[0] : undefined)
  )
}

/** The value of an option; null if it is not given. Throws `UsageError` if it is given twice. */
export function textOption(options: ReadArguments['options'], name: string): string | null {
  const given = options.get(name) ?? []
  if (given.length > 1) throw new UsageError(`--${name} is given twice`)
  return given.length === 0 ? null : String(given[0])
}

function fromEnvironment({ environment }: Terminal, name: string): string | null {
  return environment[name] || null
}

/**
 * A key for sending; `-` prompts for it, or reads a line of stdin. Throws `UsageError` for a key that is invalid in a
 * header field.
 */
export async function readKey(terminal: Terminal, given: string | null, prompt = 'API key: '): Promise<string | null> {
  if (given === null) return null
  const key = given === '-' ? await readSecret(terminal, prompt) : given
  if (!/^[\x21-\x7e]{1,1024}$/.test(key)) throw new UsageError('--key: this is not an API key')
  return key
}

/** The URL of a server without a trailing slash. Throws `UsageError`. */
export function parseUrl(text: string): string {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `https://${text}`)
  if (!url || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError(`--url: must be the address of a server, such as ${defaultUrl}`)
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
