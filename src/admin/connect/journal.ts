import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { Home } from './assistants.ts'
import { readFileIfAny, replaceFile } from './replace-file.ts'

const Journal = z.record(
  z.string(),
  z.object({
    /** The bytes before the first change, base64; null: there was no file. */
    before: z.string().nullable(),
    /** SHA-256 of the bytes after the last change, hex. */
    after: z.string(),
  }),
)
/** The changed files, by path. */
export type Journal = z.infer<typeof Journal>

/**
 * The path of the journal that is needed to undo changes. Only its owner can read it, because settings may contain
 * secrets.
 */
function journalPath({ platform, folder, environment }: Home): string {
  if (platform === 'win32')
    return join(environment['LOCALAPPDATA'] ?? join(folder, 'AppData/Local'), 'lectern/connected.json')
  return join(environment['XDG_STATE_HOME'] ?? join(folder, '.local/state'), 'lectern/connected.json')
}

/** Reads the journal; empty if nothing was changed or it cannot be parsed. */
export async function readJournal(home: Home): Promise<Journal> {
  const bytes = await readFileIfAny(journalPath(home))
  try {
    return Journal.parse(JSON.parse(bytes?.toString('utf8') ?? '{}'))
  } catch {
    return {}
  }
}

export async function writeJournal(home: Home, journal: Journal): Promise<void> {
  await replaceFile(journalPath(home), Buffer.from(JSON.stringify(journal)))
}

/** SHA-256 of bytes, hex. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
