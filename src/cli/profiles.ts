import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { ClientError } from './client-error.ts'
import { codeOf, type Terminal } from './terminal.ts'

/** A server that the user has signed in to. */
export interface Profile {
  url: string
  key: string
}

/** The stored profiles by name. */
export type Profiles = Record<string, Profile>

export const defaultProfile = 'default'

/** The path of the profiles: below `$XDG_CONFIG_HOME`, otherwise `~/.config` (XDG Base Directory Specification). */
function profilesPath({ environment, homeFolder }: Terminal): string {
  const folder = environment['XDG_CONFIG_HOME'] ?? ''
  return join(isAbsolute(folder) ? folder : join(homeFolder, '.config'), 'lectern', 'profiles.json')
}

/** Loads the stored profiles; empty if there is no file. Throws `ClientError` for a file that cannot be read. */
export async function loadProfiles(terminal: Terminal): Promise<Profiles> {
  const path = profilesPath(terminal)
  try {
    return readProfiles(JSON.parse(await readFile(path, 'utf8')))
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return {}
    const reason = cause instanceof SyntaxError ? 'it is not JSON' : codeOf(cause)
    throw new ClientError('UNAVAILABLE', `The profiles in ${path} cannot be read: ${reason}.`, { cause })
  }
}

function readProfiles(value: unknown): Profiles {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return Object.fromEntries(entries.filter(([, profile]) => isProfile(profile)))
}

function isProfile(value: unknown): value is Profile {
  const { url, key } = (value ?? {}) as Partial<Profile>
  return typeof url === 'string' && typeof key === 'string'
}

/** Replaces the stored profiles atomically. Only their owner can read the file. */
export async function storeProfiles(terminal: Terminal, profiles: Profiles): Promise<void> {
  const path = profilesPath(terminal)
  const folder = join(path, '..')
  const draft = `${path}.${randomUUID()}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    // A umask can only remove permissions.
    await chmod(draft, 0o600)
    await rename(draft, path)
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {})
    throw new ClientError('FORBIDDEN', `The profiles cannot be stored in ${folder} (${codeOf(cause)}).`, { cause })
  }
}
