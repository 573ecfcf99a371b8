import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { structuredPatch } from 'diff'
import type { Home, LocalAssistant } from './assistants.ts'
import { editEntry, readEntry, SettingsError, type EntryPlace } from './edit-settings.ts'
import { digestOf, readJournal, writeJournal } from './journal.ts'
import { readFileIfAny, replaceFile } from './replace-file.ts'

/** The key of the server in the settings of assistants. */
const serverName = 'lectern'

/** A planned or performed change of one assistant's settings by `lectern connect`. */
export interface Change {
  assistant: LocalAssistant
  /** `same`: nothing to do; `failed`: the file stays unchanged because of `reason`. */
  outcome: 'change' | 'same' | 'failed'
  /** Null if there was no file. */
  before: Buffer | null
  /** Null if the file is removed. */
  after: Buffer | null
  reason: string | null
}

/** True if an assistant is installed on this machine. */
export function isInstalled({ signs }: LocalAssistant): boolean {
  return signs.some((path) => existsSync(path))
}

const placeOf = ({ format, servers }: LocalAssistant): EntryPlace => ({ format, object: servers, name: serverName })

/** Plans the change that connects an assistant to the server with this MCP URL. Writes nothing. */
export function planConnection(assistant: LocalAssistant, address: string): Promise<Change> {
  return plan(assistant, (before) => {
    const [place, entry] = [placeOf(assistant), assistant.entry(address)]
    const text = before?.toString('utf8') ?? ''
    if (before !== null && JSON.stringify(readEntry(text, place)) === JSON.stringify(entry)) return before
    return Buffer.from(editEntry(text, place, entry))
  })
}

/** Plans an undo: the original bytes, or if the file has changed since, its present content without the entry. */
export async function planUndo(home: Home, assistant: LocalAssistant): Promise<Change> {
  const recorded = (await readJournal(home))[assistant.file]
  return plan(assistant, (current) => {
    if (current === null) return null
    if (recorded && digestOf(current) === recorded.after)
      return recorded.before === null ? null : Buffer.from(recorded.before, 'base64')
    const text = current.toString('utf8')
    const place = placeOf(assistant)
    return readEntry(text, place) === undefined ? current : Buffer.from(editEntry(text, place, undefined))
  })
}

async function plan(assistant: LocalAssistant, edit: (before: Buffer | null) => Buffer | null): Promise<Change> {
  const before = await readFileIfAny(assistant.file)
  try {
    const after = edit(before)
    const isSame = before === after || (before !== null && after !== null && before.equals(after))
    return { assistant, outcome: isSame ? 'same' : 'change', before, after, reason: null }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return { assistant, outcome: 'failed', before, after: before, reason: error.message }
  }
}

/** Writes a planned connection, after storing what is needed to undo it. */
export async function writeConnection(home: Home, { assistant, before, after }: Change): Promise<void> {
  if (after === null) return
  const journal = await readJournal(home)
  const recorded = journal[assistant.file]
  const isOurs = recorded && before && digestOf(before) === recorded.after
  const kept = isOurs ? recorded.before : (withoutEntry(assistant, before)?.toString('base64') ?? null)
  await writeJournal(home, { ...journal, [assistant.file]: { before: kept, after: digestOf(after) } })
  await replaceFile(assistant.file, after)
}

/** The original bytes without an entry of an earlier connection, which an undo must not restore. */
function withoutEntry(assistant: LocalAssistant, before: Buffer | null): Buffer | null {
  if (before === null) return null
  const text = before.toString('utf8')
  const place = placeOf(assistant)
  return readEntry(text, place) === undefined ? before : Buffer.from(editEntry(text, place, undefined))
}

/** Writes a planned undo and deletes the stored connection. */
export async function writeUndo(home: Home, { assistant, after }: Change): Promise<void> {
  if (after === null) await rm(assistant.file, { force: true })
  else await replaceFile(assistant.file, after)
  const { [assistant.file]: _, ...rest } = await readJournal(home)
  await writeJournal(home, rest)
}

/** The lines that a change adds and removes, with one line of context, like `diff -U1`. */
export function describeChange({ assistant, before, after }: Change): string {
  const [old, next] = [before, after].map((bytes) => bytes?.toString('utf8') ?? '')
  const { hunks } = structuredPatch('', '', old ?? '', next ?? '', '', '', { context: 1 })
  const lines = hunks.flatMap(({ lines: some }) => some).filter((line) => !line.startsWith('\\'))
  return [`${assistant.name}: ${assistant.file}`, ...lines.map((line) => `  ${line.trimEnd()}`)].join('\n')
}
