import { html } from 'hono/html'
import type { VersionEntry } from '../../writing/version-entry.ts'
import type { Html } from './html.ts'

/**
 * The author of a version: a person, or an agent for a person, by the name of its key or application if it is known.
 */
export function writerName({ author, agent, way }: Pick<VersionEntry, 'author' | 'agent' | 'way'>): Html {
  const person = html`<bdi>${author}</bdi>`
  if (way === 'import') return html`Imported for ${person}`
  if (agent !== null) return html`<bdi>${agent}</bdi> for ${person}`
  return way === 'agent' ? html`An agent of ${person}` : person
}

/** The author of a version as the end of a sentence, such as “by Anna”, after the words of `versionWords`. */
export function byWriter({ author, agent, way }: Pick<VersionEntry, 'author' | 'agent' | 'way'>): Html {
  const person = html`<bdi>${author}</bdi>`
  if (way === 'import') return html`for ${person}`
  if (agent !== null) return html`by <bdi>${agent}</bdi> for ${person}`
  return way === 'agent' ? html`by an agent of ${person}` : html`by ${person}`
}

/** The author of a version, after the words of `versionWords`, which say whether a file was imported. */
export function writerAfterReason(entry: Pick<VersionEntry, 'author' | 'agent' | 'way'>): Html {
  return entry.way === 'import' ? html`For <bdi>${entry.author}</bdi>` : writerName(entry)
}
