import { readFileSync } from 'node:fs'

/** An input of a command: a path, query or body value of its route, or a header field. */
export interface CommandField {
  /** Name in the route. */
  name: string
  /** Name of the option, without dashes. */
  option: string
  in: 'path' | 'query' | 'body' | 'header'
  /** `list`: texts or numbers; `json`: any other compound value. */
  kind: 'text' | 'number' | 'switch' | 'list' | 'json'
  /** For a list of numbers. */
  numbers?: true
  /** The allowed values. */
  values?: string[]
  required?: true
  nullable?: true
  /** True for a potentially long text, which can be read from a file or stdin. */
  long?: true
  description?: string
}

/** A command that calls a route of a server. */
export interface ClientCommand {
  /** As typed, such as `items list`. */
  name: string
  /** The tool from whose declaration it is derived. */
  tool: string
  title: string
  description: string
  method: string
  /** The full path, such as `/api/v1/items/{itemId}/file`. */
  path: string
  fields: CommandField[]
  /** Names of the fields that are positional arguments, in order. */
  positionals: string[]
  /** How the last positional combines several words: as a list, or as one text. */
  rest?: 'list' | 'words'
  /** True if the response is a file. */
  file?: true
  /** The arguments in an example. */
  example?: string
}

/** A command in the help text without a declaration. */
export interface OtherCommand {
  name: string
  usage: string
  summary: string
}

/** All commands that the client knows. */
export interface CommandTable {
  /** Descriptions of the first words of commands. */
  topics: Record<string, string>
  commands: ClientCommand[]
  /** The commands for administrators, which work directly on the stored data. */
  local: OtherCommand[]
}

let loaded: CommandTable | null = null

/** Loads the commands as derived by `npm run docs`, because loading the declarations would load half of the server. */
export function loadCommands(): CommandTable {
  loaded ??= JSON.parse(readFileSync(new URL('commands.json', import.meta.url), 'utf8')) as CommandTable
  return loaded
}

/** The placeholder of a value in usage lines: `ITEM_ID`, also for an element of the list `item-ids`. */
export function placeholder({ option, kind }: Pick<CommandField, 'option' | 'kind'>): string {
  const name = option.replaceAll('-', '_').toUpperCase()
  return kind === 'list' ? name.replace(/S$/, '') : name
}
