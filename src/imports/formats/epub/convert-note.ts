import type { Block } from './blocks.ts'
import { convertXhtml } from './convert-xhtml.ts'
import type { NoteLabels } from './note-labels.ts'

interface NoteParts {
  /** The path of the file that has the note. */
  path: string
  notes: NoteLabels
  label: string
  /** What the mark shows. */
  shown: string
  /** Whether its list counts it. */
  isCounted: boolean
  /** Whether an address is that of the mark. */
  isBack: (href: string) => boolean
  /** The labels of marks in the note, by the offsets of their tags. */
  marks: ReadonlyMap<number, string>
}

const none: ReadonlySet<string> = new Set()
const noLabels: ReadonlyMap<string, string> = new Map()
/** Brackets of a way back that is gone. */
const emptyBrackets = /\s*(?:\[\s*\\?\]|\(\s*\))\s*$/
/** What may be left of a number that was a link: `.`, `[]`. */
const leftOver = /^\s*(?:\[\s*\\?\]|\(\s*\)|\\?[.:)])*(?:\s+|$)/
/** The number or sign at the begin of a note: emphasised or raised, in brackets, behind a word. */
const leadingNumber =
  /^(?:\s|\\?[[({\u2190\u2191^])*(\*\*|\*(?![*\s])|<sup>)?(?:\s|\\?[[({])*(\p{L}{1,12}\.?\s)?(\d{1,5}(?:[a-z](?![\p{L}\p{N}]))?(?!\d)|(?:\\?[*\u2217\u2020\u2021\u00A7\u00B6\u2016#]){1,6}|\p{L}{1,8}(?![\p{L}\p{N}]))((?:\s|\\?[\])}.:])*)/iu
const closing = /^(?:\s|\\?[\])}.:])*/

/** The blocks of a note, as a definition of Markdown, from the XHTML of its text: without its number and the ways back. */
export function convertNote(
  source: string,
  { path, notes, label, shown, isCounted, isBack, marks }: NoteParts,
): Block[] {
  const { blocks } = convertXhtml(source, {
    path,
    ids: none,
    labels: noLabels,
    notes,
    navigation: false,
    marks,
    note: { label, shown, isBack },
  })
  const [first, ...rest] = blocks
  if (first === undefined) return []
  const kept = first.kind === 'text' ? withoutNumber(first, shown, isCounted) : first
  const parts = [kept, ...rest]
  const last = parts.at(-1) as Block
  if (last.kind === 'text') parts[parts.length - 1] = { ...last, body: last.body.replace(emptyBrackets, '') }
  return withoutEmptyEnds(parts)
}

/** The length of the number or sign `shown` at the begin of a note, with the signs around it; 0 without one. */
export function numberLength(text: string, shown: string): number {
  const found = leadingNumber.exec(text)
  return found !== null && isNumber(found, shown) ? found[0].length : 0
}

function isNumber(found: RegExpExecArray, shown: string): boolean {
  const number = (found[3] ?? '').replaceAll('\\', '').replaceAll('\u2217', '*')
  return number === shown || number.toLowerCase() === shown.toLowerCase()
}

/** A number of a list that the words repeat is one of the text. */
function withoutNumber(block: Block, shown: string, isCounted: boolean): Block {
  const { body } = block
  const found = leadingNumber.exec(body)
  const [whole = '', wrap = '', word = '', , behind = ''] = found ?? []
  const isOfText = isCounted && (word !== '' || (wrap === '' && behind.trim() === ''))
  if (found === null || isOfText || !isNumber(found, shown)) return { ...block, body: body.replace(leftOver, '') }
  const rest = body.slice(whole.length)
  const close = wrap === '<sup>' ? '</sup>' : wrap
  if (wrap === '') return { ...block, body: rest }
  return { ...block, body: rest.startsWith(close) ? rest.slice(close.length).replace(closing, '') : wrap + rest }
}

/** Without paragraphs at the ends that are empty; the first one that is not begins the definition. */
function withoutEmptyEnds(blocks: readonly Block[]): Block[] {
  const marker = blocks[0]?.firstLinePrefix ?? ''
  const kept = blocks.slice(blocks.findIndex((block) => !isEmpty(block)))
  while (isEmpty(kept.at(-1))) kept.pop()
  const [first, ...rest] = kept
  if (first === undefined || first === blocks[0]) return kept
  return [{ ...first, firstLinePrefix: marker + first.firstLinePrefix.slice(4), tight: false }, ...rest]
}

function isEmpty(block: Block | undefined): boolean {
  return block?.kind === 'text' && /^[\s*]*$/.test(block.body)
}
