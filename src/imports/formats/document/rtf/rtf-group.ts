import type { RtfBlock } from './rtf-document.ts'
import { RtfFlow, type ParagraphFormat } from './rtf-flow.ts'
import type { OpenPicture } from './rtf-pictures.ts'
import { plainFormat, type RunFormat } from '../markup/run-format.ts'

/** The state of a group, which is restored at its end. */
export interface Group {
  /** Where text goes: to the book, to `captured`, or nowhere. */
  target: 'text' | 'captured' | 'picture' | 'nothing'
  captured: { text: string }
  /** Called with the group at its end. */
  end: ((group: Group) => void) | null
  flow: RtfFlow
  /** The format of the paragraph before the group. */
  paragraphBefore: ParagraphFormat
  format: RunFormat
  isHidden: boolean
  /** True for deleted text. Word hides it and records its author; other programs use the property for strikethrough. */
  isDeleted: boolean
  picture: OpenPicture | null
  /** True for a property of a shape, such as its picture. */
  isOfShape: boolean
  font: number
  /** Number of characters after `\u` that replace it in old readers. */
  substitutes: number
  href: string | null
}

/** The state outside all groups, whose text goes to `blocks`. */
export function outermostGroup(blocks: RtfBlock[]): Group {
  const flow = new RtfFlow(blocks)
  return {
    target: 'text',
    captured: { text: '' },
    end: null,
    flow,
    paragraphBefore: flow.format,
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

/** Collects the text of a group as blocks of its own, which are complete when `end` is called. */
export function enterFlow(group: Group, end: (blocks: readonly RtfBlock[]) => void = () => undefined): RtfBlock[] {
  const flow = new RtfFlow([])
  const endFlow = (): void => {
    flow.end()
    end(flow.blocks)
  }
  Object.assign(group, { flow, format: plainFormat, href: null, end: endFlow } satisfies Partial<Group>)
  return flow.blocks
}
