import { guides } from './guides/index.ts'
import { operationPath, type ApiReference, type Operation } from './reference/read-reference.ts'
import { fieldsOf } from './reference/schema-words.ts'

/** A search result in the reference. */
export interface Entry {
  title: string
  /** Its URL path. */
  path: string
  /** The method and path of its route, otherwise the kind of entry. */
  kind: string
  about: string
  /** The searchable text, in lower case. */
  words: string
}

/** All searchable entries, operations first. */
export function listEntries(reference: ApiReference): Entry[] {
  const operations = reference.groups.flatMap((group) => group.operations)
  return [
    ...operations.map((operation) => operationEntry(reference, operation)),
    ...guides.map(({ slug, label, lead }) => ({
      title: label,
      path: `/docs/${slug}`,
      kind: 'Guide',
      about: lead,
      words: `${label} ${lead} ${slug}`.toLowerCase(),
    })),
  ]
}

function operationEntry(reference: ApiReference, operation: Operation): Entry {
  const { id, title, description, route, parameters, body, refusals } = operation
  const fields = body ? fieldsOf(reference.document, body.schema) : []
  const kind = route ? `${route.method} ${route.path}` : 'MCP'
  const words = [
    title,
    id,
    id.replaceAll('_', ' '),
    kind,
    description,
    ...[...parameters, ...fields].map(({ name }) => name),
    ...refusals.map(({ code }) => code),
  ]
  return {
    title,
    path: operationPath(reference, id),
    kind,
    about: description,
    words: [...new Set(words.map((word) => word.toLowerCase()))].join(' '),
  }
}

/** The entries that contain every word of a query, those with a word in their title first. */
export function findEntries(entries: readonly Entry[], query: string): Entry[] {
  const asked = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = entries.filter(({ words }) => asked.every((word) => words.includes(word)))
  const inTitle = ({ title, kind }: Entry) => asked.every((word) => `${title} ${kind}`.toLowerCase().includes(word))
  return [...found.filter(inTitle), ...found.filter((entry) => !inTitle(entry))]
}
