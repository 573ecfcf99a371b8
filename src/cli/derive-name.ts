import type { Declaration, Route } from '../core/tool.ts'

/** Path segments that name an owner instead of a topic. */
const owners = new Set(['user', 'auth', 'librarian', 'author', 'access'])

/** Topics of commands: the first path segment that names a thing, in the plural. */
export const topics: Record<string, string> = {
  items: 'Books: list, search, read, write, export, delete and bring back',
  shelves: 'Shelves and the books on them',
  manuscripts: 'Books that an agent keeps up to date',
  marketplace: 'Browse, subscribe to and publish books',
  citations: 'Check that quotes appear on the pages that they are cited from',
  gaps: 'Requests by readers',
  sessions: 'Research sessions, which group reads',
  reports: 'Value reports on reading, and reports to the administrators',
  uploads: 'The single steps of an upload',
  imports: 'Books from addresses on the web',
  jobs: 'Imports: list, follow, cancel',
  teams: 'Teams, their members, departments and shared books',
  invites: 'Invitations to teams',
  account: 'The account and its data',
  notifications: 'List notifications and mark them as read',
  config: 'Settings of coding agents',
  agents: 'Machines and the coding agents on them',
}

/** Frequently used commands: a short name, the positional fields, and how several words are combined. */
export const shortNames: readonly ShortName[] = [
  { name: 'read', tool: 'read_items', positionals: ['ids', 'pages'], example: 'ID 1-3' },
  { name: 'search', tool: 'search_items', positionals: ['query'], rest: 'words', example: "'soap and lye'" },
  { name: 'toc', tool: 'get_table_of_contents', positionals: ['ids'], rest: 'list', example: 'ID' },
]

interface ShortName {
  name: string
  tool: string
  positionals: string[]
  rest?: 'list' | 'words'
  example: string
}

/**
 * Derives the name of a declaration's command: the topic of its path, then the tool's name without the words of the
 * topic and of its owner, and without `to` and `from`. `add_to_shelf` at `/shelves/{id}/items` becomes `shelves add`.
 */
export function deriveName({ name }: Pick<Declaration, 'name'>, { path }: Pick<Route, 'path'>): string {
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
  const thing = parts.find((part) => !owners.has(part)) ?? ''
  if (thing === name) return name
  const dropped = new Set([...parts.slice(0, parts.indexOf(thing)), ...wordsOf(thing), 'to', 'from'])
  const words = name.split('_')
  const [verb = ''] = words
  const rest = words.slice(1).filter((word) => !dropped.has(word))
  return `${plural(thing)} ${[verb, ...rest].join('-')}`
}

/** The singular and plural of a thing. An item in a path is called a book by some tools. */
function wordsOf(thing: string): string[] {
  const many = plural(thing)
  const one = many === 'shelves' ? 'shelf' : many.replace(/s$/, '')
  return one === 'item' ? [one, many, 'book', 'books'] : [one, many]
}

function plural(thing: string): string {
  return Object.hasOwn(topics, `${thing}s`) ? `${thing}s` : thing
}
