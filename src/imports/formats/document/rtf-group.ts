import type { RtfBlock } from './rtf-document.ts'
import { RtfFlow } from './rtf-flow.ts'
import type { OpenPicture } from './rtf-pictures.ts'
import { plainFormat, type RunFormat } from './run-format.ts'

/** What holds for the text of a group and is back as it was at its end. */
export interface Group {
  /** Where text goes: to the book, to `captured`, or nowhere. */
  target: 'text' | 'captured' | 'picture' | 'nothing'
  captured: { text: string }
  /** What is done with the group at its end. */
  end: ((group: Group) => void) | null
  flow: RtfFlow
  format: RunFormat
  isHidden: boolean
  /** Whether it was deleted, which Word hides with the name of who did so; others mean struck text. */
  isDeleted: boolean
  picture: OpenPicture | null
  /** Whether it is a property of a shape, such as its picture. */
  isOfShape: boolean
  font: number
  /** Characters behind `\u` that stand for it in old readers. */
  substitutes: number
  href: string | null
}

/** The state outside of all groups, whose text goes to `blocks`. */
export function outermostGroup(blocks: RtfBlock[]): Group {
  return {
    target: 'text',
    captured: { text: '' },
    end: null,
    flow: new RtfFlow(blocks),
    format: plainFormat,
    isHidden: false,
    isDeleted: false,
    picture: null,
    isOfShape: false,
    font: -1,
    substitutes: 1,
    href: null,
  }
}
