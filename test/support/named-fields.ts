import { z } from 'zod'
import type { Tool } from '../../src/core/tool.ts'
import type { KindOfThing } from './owned-things.ts'

/** The kinds of books. */
export const bookKinds: KindOfThing[] = ['book', 'fileBook', 'deletedBook', 'uploadedBook']
const books = bookKinds.map((kind): Naming => [kind])
/** A kind of thing, and how a field writes its name. */
export type Naming = [kind: KindOfThing, write?: (name: string) => string]

const words: Naming[] = [['title'], ['filename']]
/** True for kinds whose names are words that everybody may write. */
export const isWord = (kind: KindOfThing) => words.some(([word]) => word === kind)

/** What each field of an input can name, by `tool.field` or by `field`. */
const namedBy: Record<string, Naming[]> = {
  itemId: books,
  ids: books,
  id: books,
  itemIds: books,
  aboutItemId: books,
  replacesItemId: books,
  in: books,
  'fetch.id': books.flatMap(([kind]): Naming[] => [[kind, (name) => `${name}:1`], [kind]]),
  like: books.map(([kind]): Naming => [kind, (name) => `${name}:1`]),
  'update_listing.id': [['listing']],
  'withdraw_listing.id': [['listing']],
  'mark_notifications_read.ids': [['notification']],
  shelf: [['shelf'], ['shelfSlug']],
  sessionId: [['session']],
  manuscriptId: [['manuscript']],
  listingId: [['listing']],
  teamId: [['team']],
  dept: [['department']],
  departmentSlug: [['department']],
  departmentSlugs: [['department']],
  jobId: [['job']],
  keyId: [['keyId']],
  gapIds: [['gap']],
  token: [['invite']],
  storageKey: [['storageKey']],
  sha256: [['sha256']],
  cursor: [...books, ['shelf'], ['manuscript'], ['gap']],
  query: [...words, ['shelfSlug']],
  title: words,
  author: words,
  filename: words,
  quote: words,
  subcategory: words,
  email: [],
}

/** Fields that name nothing: texts, numbers and choices. */
export const plain = new Set(
  `limit detail before after pages partial fromPage page figure format version content position expectedVersion
  description confidence toc level addPrompt prompt context multiBook sampleQuestion outcomes password confirm name color
  audience topics criteria trigger instructions autoUpdate structure status intent category suggestedTitle suggestedAuthor
  aboutSection reason tag proOnly sort tags freeUntil size contentType file url scopes expiresAt planMode citationBlock
  enabled op agent machineId hostname os cliVersion agents detected installed installType unread type body since from to tz
  sessionsLimit sessionsOffset role accessLevel items citations pageNum`.split(/\s+/),
)

/** The fields of an input, such as `items[].id`. */
export function fieldsOf(tool: Tool): string[] {
  const found: string[] = []
  const walk = (schema: any, path: string) => {
    for (const one of [schema.anyOf, schema.oneOf, schema.allOf].flat()) if (one) walk(one, path)
    if (schema.items) walk(schema.items, `${path}[]`)
    for (const [name, part] of Object.entries(schema.properties ?? {})) {
      const here = path === '' ? name : `${path}.${name}`
      found.push(here)
      walk(part, here)
    }
  }
  walk(z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' }), '')
  return [...new Set(found)]
}

/** The last name in the path of a field. */
export const nameOf = (field: string) => field.replaceAll('[]', '').split('.').at(-1) ?? ''
/** What a field of a tool can name; null if it is not known. */
export const namingsOf = (tool: string, field: string) =>
  namedBy[`${tool}.${nameOf(field)}`] ?? namedBy[nameOf(field)] ?? null

type Input = Record<string, any>

/** An input with another value in a field. */
export function withValue(input: Input, field: string, value: string): Input {
  const [head = '', ...rest] = field.split('.')
  const name = head.replace('[]', '')
  const old = input[name]
  const one = (before: any) => (rest.length === 0 ? value : withValue(before ?? {}, rest.join('.'), value))
  const isList = head.endsWith('[]') || lists.has(name)
  return { ...input, [name]: isList ? [one(Array.isArray(old) ? old[0] : undefined)] : one(old) }
}
const lists = new Set(['ids', 'itemIds', 'gapIds', 'departmentSlugs'])
