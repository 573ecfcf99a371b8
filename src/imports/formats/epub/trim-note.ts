import type { Block } from './blocks.ts'

/** Brackets of a way back that is gone. */
const emptyBrackets = /\s*(?:\[\s*\\?\]|\(\s*\))\s*$/
/** What may be left of a number that was a link: `.`, `[]`. */
const leftOver = /^\s*(?:\[\s*\\?\]|\(\s*\)|\\?[.:)])*(?:\s+|$)/
/** The number or sign at the begin of a note: emphasised or raised, in brackets, behind a word. */
const leadingNumber =
  /^(?:\s|\\?[[({\u2190\u2191^])*(\*\*|\*(?![*\s])|<sup>)?(?:\s|\\?[[({])*(\p{L}{1,12}\.?\s)?(\d{1,5}(?:[a-z](?![\p{L}\p{N}]))?(?!\d)|(?:\\?[*\u2217\u2020\u2021\u00A7\u00B6\u2016#]){1,6}|\p{L}{1,8}(?![\p{L}\p{N}]))((?:\s|\\?[\])}.:])*)/iu
const closing = /^(?:\s|\\?[\])}.:])*/

/** The blocks of a note without its number, brackets of a way back that is gone, and empty paragraphs at its ends. */
export function trimNote(
  blocks: readonly Block[],
  { shown, isCounted }: { shown: string; isCounted: boolean },
): Block[] {
  const [first, ...rest] = blocks
  if (first === undefined) return []
  const parts = [first.kind === 'text' ? withoutNumber(first, shown, isCounted) : first, ...rest]
  const last = parts.at(-1) as Block
  if (last.kind === 'text') parts[parts.length - 1] = { ...last, body: last.body.replace(emptyBrackets, '') }
  return withoutEmptyEnds(parts)
}

/** The blocks of a file, in which the notes with these labels are trimmed. */
export function trimNotes(blocks: readonly Block[], notes: Iterable<TrimmedNote>): Block[] {
  const known = new Map(Array.from(notes, (note) => [`[^${note.label}]: `, note]))
  if (known.size === 0) return [...blocks]
  const trimmed: Block[] = []
  for (let at = 0; at < blocks.length;) {
    const note = known.get(blocks[at]?.firstLinePrefix ?? '')
    const end = note === undefined ? at + 1 : endOfNote(blocks, at)
    const parts = blocks.slice(at, end)
    trimmed.push(...(note === undefined ? parts : trimNote(parts, note)))
    at = end
  }
  return trimmed
}

function endOfNote(blocks: readonly Block[], at: number): number {
  let end = at + 1
  while (blocks[end]?.firstLinePrefix.startsWith('    ') === true) end++
  return end
}

interface TrimmedNote {
  label: string
  /** What its mark shows. */
  shown: string
  /** Whether its list counts it. */
  isCounted: boolean
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
  const begin = blocks.findIndex((block) => !isEmpty(block))
  const anchors = blocks.slice(0, begin).flatMap((block) => block.anchors)
  const kept = begin < 0 ? [] : blocks.slice(begin)
  while (isEmpty(kept.at(-1))) kept.pop()
  const [first, ...rest] = kept
  if (first === undefined || first === blocks[0]) return kept
  return [
    {
      ...first,
      firstLinePrefix: marker + first.firstLinePrefix.slice(4),
      tight: false,
      anchors: [...anchors.map((anchor) => ({ ...anchor, offset: 0 })), ...first.anchors],
    },
    ...rest,
  ]
}

function isEmpty(block: Block | undefined): boolean {
  return block?.kind === 'text' && /^[\s*]*$/.test(block.body)
}
