import { parse as parseToml, patch as patchToml } from '@decimalturn/toml-patch'
import {
  applyEdits,
  getNodeValue,
  modify,
  parseTree,
  printParseErrorCode,
  type Edit,
  type ParseError,
} from 'jsonc-parser'
import { isObject } from '../../core/is-object.ts'

export type SettingsFormat = 'json' | 'toml'

/** The location of an entry: a name within an object of the settings. */
export interface EntryPlace {
  format: SettingsFormat
  object: string
  name: string
}

/** Settings that cannot be parsed, or contain something else in place of an entry; the message says which. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

type Settings = Record<string, unknown>

const byteOrderMark = '\ufeff'

/**
 * The entry at a location; undefined if there is none. JSON may have comments and trailing commas. Throws
 * `SettingsError`.
 */
export function readEntry(text: string, place: EntryPlace): unknown {
  return serversOf(parseSettings(text, place.format), place.object)?.[place.name]
}

/**
 * Sets the entry at a location, or removes it if it is undefined. Everything else stays as written, including comments.
 * Throws `SettingsError` if the settings cannot be parsed, before or after the change.
 */
export function editEntry(text: string, place: EntryPlace, entry: Settings | undefined): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  const bare = text.slice(mark.length)
  readEntry(bare, place)
  const edited = mark + (place.format === 'json' ? editJson(bare, place, entry) : editToml(bare, place, entry))
  if (JSON.stringify(readEntry(edited, place)) !== JSON.stringify(entry))
    throw new SettingsError('the change would also affect other settings in it')
  return edited
}

function parseSettings(text: string, format: SettingsFormat): Settings {
  const bare = text.replace(byteOrderMark, '')
  const value = format === 'json' ? parseJson(bare) : readToml(bare)
  if (!isObject(value)) throw new SettingsError('it is not an object of settings')
  return value
}

function serversOf(settings: Settings, name: string): Settings | undefined {
  const servers = settings[name]
  if (servers === undefined || isObject(servers)) return servers
  throw new SettingsError(`its ${name} is not an object`)
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {}
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error || !tree) throw new SettingsError(`it is not valid JSON: ${describeError(text, error)}`)
  return getNodeValue(tree)
}

function describeError(text: string, error: ParseError | undefined): string {
  if (!error) return 'it is empty'
  const line = text.slice(0, error.offset).split('\n').length
  return `${printParseErrorCode(error.error)} in line ${line}`
}

function readToml(text: string): unknown {
  try {
    return parseToml(text)
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n')
    throw new SettingsError(`it is not valid TOML: ${reason}`)
  }
}

function editJson(text: string, { object, name }: EntryPlace, entry: Settings | undefined): string {
  const isEmpty = text.trim() === ''
  if (isEmpty) return entry === undefined ? text : `${JSON.stringify({ [object]: { [name]: entry } }, null, 2)}\n`
  const path = [object, name]
  const [eol, unit] = [text.includes('\r\n') ? '\r\n' : '\n', indentationOf(text)]
  if (entry === undefined) {
    const formattingOptions = { eol, insertSpaces: !unit.startsWith('\t'), tabSize: unit.length }
    return applyEdits(text, modify(text, path, undefined, { formattingOptions }))
  }
  const depth = serversOf(parseSettings(text, 'json'), object) === undefined ? 1 : 2
  // Inserted as the first value, so that a comma or comment after the last one stays in place.
  const edits = modify(text, path, entry, { getInsertionIndex: () => 0 })
  return edits.reduce((all, edit) => layOut(all, edit, { depth, eol, unit }), text)
}

interface Style {
  /** Nesting depth of the inserted text. */
  depth: number
  eol: string
  unit: string
}

/** Inserts a value, or a value with its name, on lines of its own in the style of the rest. */
function layOut(text: string, { offset, length, content }: Edit, { depth, eol, unit }: Style): string {
  const [outer, inner] = [eol + unit.repeat(depth - 1), eol + unit.repeat(depth)]
  const rest = text.slice(offset + length)
  const hasName = length === 0
  const comma = content.endsWith(',') ? ',' : ''
  const bare = comma === '' ? content : content.slice(0, -1)
  const value = JSON.stringify(JSON.parse(hasName ? `{${bare}}` : bare), null, unit)
  const lines = value.split('\n')
  if (!hasName) return text.slice(0, offset) + lines.join(inner) + rest
  const written = lines.slice(1, -1).map((line) => outer + line)
  const next = /^[ \t]*(?:\r?\n|$)/.test(rest)
    ? rest
    : (rest.trimStart().startsWith('}') ? outer : inner) + rest.trimStart()
  return text.slice(0, offset) + written.join('') + comma + next
}

/** The indentation of the first indented line; two spaces if there is none. */
function indentationOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
}

function editToml(text: string, { object, name }: EntryPlace, entry: Settings | undefined): string {
  const settings = parseSettings(text, 'toml')
  const { [name]: _, ...others } = serversOf(settings, object) ?? {}
  const servers = entry === undefined ? others : { ...others, [name]: entry }
  const { [object]: __, ...rest } = settings
  return patchToml(text, Object.keys(servers).length === 0 ? rest : { ...settings, [object]: servers })
}
