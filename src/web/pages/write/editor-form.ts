import { AppError } from '../../../core/errors.ts'
import { splitPages } from '../../../text/markdown/split-pages.ts'
import type { Form } from '../../form.ts'

/** Bytes of a form: a page of 1 MB, of which each line end may become six bytes and each other byte three. */
export const maxEditorFormBytes = 6_200_000

/** Which page an editor is for: one of the book, or a new one. */
export type Place = { kind: 'page'; pageNum: number } | { kind: 'new'; position: 'start' | 'end' }

/** The place that a path names; NOT_FOUND for any other. */
export function parsePlace(text: string): Place {
  if (text === 'start' || text === 'end') return { kind: 'new', position: text }
  if (/^[1-9]\d{0,8}$/.test(text)) return { kind: 'page', pageNum: Number(text) }
  throw new AppError('NOT_FOUND', 'No such page.')
}

/** A place as it stands in a path, and as drafts are kept under it. */
export function placeName(place: Place): string {
  return place.kind === 'page' ? String(place.pageNum) : place.position
}

/** What an editor sends. */
export interface EditorFields {
  text: string
  lineEnds: 'lf' | 'crlf'
  /** The version that the editor was opened with. */
  version: number
  /** The revision of the draft that the editor knows; empty: none. */
  draft: string
  /** Names one attempt to add a page, so that sending the form twice adds it once. */
  key: string
  letters: 'serif' | 'mono'
  /** Where the text was kept as a draft before the page got another number; empty: here. */
  kept: string
}

/** The fields of a form. Browsers send CR LF; the text gets the line ends that the page has. */
export function readEditorFields(form: Form): EditorFields {
  const value = (name: string) => form.get(name) ?? ''
  const version = /^\d{1,9}$/.exec(value('version'))?.[0]
  const lineEnds = value('lineEnds') === 'crlf' ? 'crlf' : 'lf'
  return {
    text: value('text').replaceAll(/\r\n?|\n/g, lineEnds === 'crlf' ? '\r\n' : '\n'),
    lineEnds,
    version: Number(version ?? 0),
    draft: value('draft').slice(0, 64),
    key: value('key').slice(0, 64),
    letters: value('letters') === 'mono' ? 'mono' : 'serif',
    kept: value('kept').slice(0, 10),
  }
}

/** The line ends of most lines of a text, as the form carries them. */
export function lineEndsOf(text: string): 'lf' | 'crlf' {
  const ends = text.match(/\r\n?|\n/g) ?? []
  return ends.filter((end) => end === '\r\n').length > ends.length / 2 ? 'crlf' : 'lf'
}

/** Refuses the text of a page that would be two pages, or none, with words for people (INVALID_INPUT). */
export function requireOnePage(place: Place, text: string): void {
  if (text.trim() === '') {
    throw invalidText('The text is empty. Write some text, or leave the page as it is.')
  }
  if (place.kind === 'new') return requireHeading(text)
  const pages = place.pageNum === 1 ? splitPages(text) : splitPages(`\n${text}`)
  if (pages.length <= 1) return
  const second = pages[1]?.split('\n', 1)[0] ?? ''
  throw invalidText(
    `The heading “${shorten(second)}” would begin another page, because it has one “#”. Write it with “##”, or add it as a page of its own.`,
  )
}

/** A new page begins with a heading: without one, its text would join the page before. */
function requireHeading(text: string): void {
  const before = 'text\n\n'
  if (splitPages(before + text)[0] === before) return
  throw invalidText(
    'Begin with the heading of the page, such as “# Chapter 1”. Without one the text would join another page.',
  )
}

function shorten(text: string): string {
  const characters = Array.from(text)
  return characters.length <= 60 ? text : `${characters.slice(0, 60).join('')}…`
}

function invalidText(message: string): AppError {
  return new AppError('INVALID_INPUT', message, { details: { field: 'text' } })
}
