import type { Block } from './blocks.ts'

/** Empty brackets that a removed back link leaves. */
const emptyBrackets = /\s*(?:\[\s*\\?\]|\(\s*\))\s*$/
/** Characters that remain of a number that was a link: `.`, `[]`. */
const leftOver = /^\s*(?:\[\s*\\?\]|\(\s*\)|\\?[.:)])*(?:\s+|$)/
/** The number or sign at the start of a note: emphasised or raised, in brackets, after a word. */
const leadingNumber =
  /^(?:\s|\\?[[({\u2190\u2191^])*(\*\*|\*(?![*\s])|<sup>)?(?:\s|\\?[[({])*(\p{L}{1,12}\.?\s)?(\d{1,5}(?:[a-z](?![\p{L}\p{N}]))?(?!\d)|(?:\\?[*\u2217\u2020\u2021\u00A7\u00B6\u2016#]){1,6}|\p{L}{1,8}(?![\p{L}\p{N}]))((?:\s|\\?[\])}.:])*)/iu
const closing = /^(?:\s|\\?[\])}.:])*/

/** The blocks of a note without its number, the brackets of a removed back link, and empty paragraphs at its ends. */
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

/** Trims the notes with these labels in the blocks of a file. */
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
  /** The displayed text of its reference. */
  shown: string
  /** True if its number is that of a list item. */
  isCounted: boolean
}

/**
 * The length of the number or sign `shown` at the start of a note, including the characters around it; 0 if it is
 * missing.
 */
export function numberLength(text: string, shown: string): number {
  const found = leadingNumber.exec(text)
  return found !== null && isNumber(found, shown) ? found[0].length : 0
}

function isNumber(found: RegExpExecArray, shown: string): boolean {
  const number = (found[3] ?? '').replaceAll('\\', '').replaceAll('\u2217', '*')
  return number === shown || number.toLowerCase() === shown.toLowerCase()
}

/** Removes the number at the start of a note. A list number that the text repeats is part of the text. */
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

/** Removes empty paragraphs at both ends; the first remaining one starts the definition. */
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
