import { noteNumber } from '../page/build-lines.ts'
import type { StructuredPart } from '../page/structured-parts.ts'

/** How far the number before a note may be raised, in ems of its text. */
const maxRise = 0.6

type TextPart = Extract<StructuredPart, { kind: 'region' | 'paragraph' | 'note' | 'heading' }>

/**
 * The parts of a tagged page, with the notes at the end and their numbers in them: a part that is only a number belongs
 * to the part whose text it precedes.
 */
export function arrangeNotes(parts: readonly StructuredPart[]): StructuredPart[] {
  const joined: StructuredPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (last && isText(last) && isText(part) && isNumberBefore(last, part)) {
      const runs = [...last.runs, ...part.runs]
      joined[joined.length - 1] = last.kind === 'note' ? { kind: 'note', runs } : { ...part, runs }
    } else joined.push(part)
  }
  return [...joined.filter((part) => !isNote(part)), ...joined.filter(isNote)]
}

function isNote({ kind }: StructuredPart): boolean {
  return kind === 'note'
}

function isText(part: StructuredPart): part is TextPart {
  return part.kind !== 'item' && part.kind !== 'table'
}

function isNumberBefore({ runs: [number, ...others] }: TextPart, { runs: [first] }: TextPart): boolean {
  if (!number || !first || others.length > 0 || !noteNumber.test(number.text)) return false
  const gap = first.x - (number.x + number.width)
  return gap > 0 && gap < first.size && Math.abs(first.y - number.y) < first.size * maxRise
}
