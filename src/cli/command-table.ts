import { readFileSync } from 'node:fs'

/** An input of a command: a value of the path, the query or the body of its route, or a header field. */
export interface CommandField {
  /** As the route names it. */
  name: string
  /** As the option names it, without dashes. */
  option: string
  in: 'path' | 'query' | 'body' | 'header'
  /** `list`: texts or numbers; `json`: anything else that is not one value. */
  kind: 'text' | 'number' | 'switch' | 'list' | 'json'
  /** Of a list: its values are numbers. */
  numbers?: true
  /** The values that it may have. */
  values?: string[]
  required?: true
  nullable?: true
  /** A text that may be long: it can come from a file or stdin. */
  long?: true
  description?: string
}

/** A command that calls a route of a server. */
export interface ClientCommand {
  /** As typed, such as `items list`. */
  name: string
  /** The declaration it is derived from. */
  tool: string
  title: string
  description: string
  method: string
  /** With the base, such as `/api/v1/items/{itemId}/file`. */
  path: string
  fields: CommandField[]
  /** Names of the fields that are given without an option, in this order. */
  positionals: string[]
  /** What the last positional makes of several words: a list, or one text. */
  rest?: 'list' | 'words'
  /** The answer is a file. */
  file?: true
  /** What follows the name in an example. */
  example?: string
}

/** A command in the help text that no declaration has. */
export interface OtherCommand {
  name: string
  usage: string
  summary: string
}

/** All that the client knows of the commands. */
export interface CommandTable {
  /** What the first words of commands are about. */
  topics: Record<string, string>
  commands: ClientCommand[]
  /** The commands of administrators, which work on the data itself. */
  local: OtherCommand[]
}

let loaded: CommandTable | null = null

/** The commands as `npm run docs` has derived them. The declarations themselves load half of the server. */
export function loadCommands(): CommandTable {
  loaded ??= JSON.parse(readFileSync(new URL('commands.json', import.meta.url), 'utf8')) as CommandTable
  return loaded
}

/** A value as usage lines name it: `ITEM_ID`, also for one of a list of `item-ids`. */
export function placeholder({ option, kind }: Pick<CommandField, 'option' | 'kind'>): string {
  const name = option.replaceAll('-', '_').toUpperCase()
  return kind === 'list' ? name.replace(/S$/, '') : name
}
