import { presentTable } from './present-table.ts'
import { defaultProfile, loadProfiles, storeProfiles } from './profiles.ts'
import type { ReadArguments } from './read-arguments.ts'
import { textOption } from './server.ts'
import { styleOf } from './style.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Prints the profiles without their keys. */
export async function listProfiles({ words, options }: ReadArguments, terminal: Terminal): Promise<number> {
  if (words.length > 0) throw new UsageError(`unexpected word: ${words[0]}`)
  const rows = Object.entries(await loadProfiles(terminal)).map(([profile, { url }]) => ({ profile, url }))
  if (options.has('json')) terminal.stdout.write(`${JSON.stringify({ profiles: rows })}\n`)
  else if (rows.length === 0) terminal.stderr.write('There is no profile. To create one: lectern login --url URL\n')
  else terminal.stdout.write(`${presentTable(rows, styleOf(terminal))}\n`)
  return 0
}

/** Removes a profile from this machine. */
export async function logout({ words, options }: ReadArguments, terminal: Terminal): Promise<number> {
  if (words.length > 0) throw new UsageError(`unexpected word: ${words[0]}`)
  const name = textOption(options, 'profile') ?? defaultProfile
  const { [name]: removed, ...others } = await loadProfiles(terminal)
  if (!removed) throw new UsageError(`--profile: there is no profile ${name}. lectern profiles lists them.`)
  await storeProfiles(terminal, others)
  if (options.has('json')) terminal.stdout.write(`${JSON.stringify({ profile: name, url: removed.url })}\n`)
  else
    terminal.stderr.write(
      `Signed out of ${removed.url}. The key stays valid until you revoke it at ${removed.url}/keys.\n`,
    )
  return 0
}
