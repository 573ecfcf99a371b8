import type { ElementWriter } from '../markup/element-writer.ts'
import { addressOfBookmark, addressOfField } from '../markup/field-address.ts'
import { nodeText, type XmlNode } from '../markup/xml-blocks.ts'

/** Maximum length of an instruction, and maximum depth of fields. */
const maxInstruction = 2_000
const maxFields = 50

/** A field that has begun: its instruction, and the depth of the link that displays its result. */
interface OpenField {
  instruction: string
  depth: number | null
}

/** Writes bookmarks, hyperlinks and fields that are links (ECMA-376, part 1, 17.16). */
export class DocxLinks {
  private readonly writer: ElementWriter
  /** Link targets by relationship id. */
  private readonly targets: ReadonlyMap<string, string>
  private readonly fields: OpenField[] = []

  constructor(writer: ElementWriter, targets: ReadonlyMap<string, string>) {
    this.writer = writer
    this.targets = targets
  }

  /** Writes a bookmark as an anchor. */
  bookmark({ attributes }: XmlNode): void {
    const id = attributes['w:name'] ?? ''
    if (id !== '' && id !== '_GoBack') this.writer.empty('a', { id: id.toWellFormed() })
  }

  /** Writes a `w:hyperlink` or `w:fldSimple` element, whose content `write` writes. */
  element({ name, attributes }: XmlNode, write: () => void): void {
    const href = name === 'w:fldSimple' ? addressOfField(attributes['w:instr'] ?? '') : this.addressOf(attributes)
    const { depth } = this.writer
    if (href !== null) this.writer.open('a', { href })
    write()
    this.writer.closeTo(depth)
  }

  private addressOf(attributes: XmlNode['attributes']): string | null {
    const anchor = attributes['w:anchor']
    const target = this.targets.get(attributes['r:id'] ?? '')
    if (target !== undefined) return target
    return anchor === undefined ? null : addressOfBookmark(anchor)
  }

  /** Handles a part of a complex field; returns false for any other element. */
  fieldPart(node: XmlNode): boolean {
    if (node.name === 'w:instrText') this.instruct(nodeText(node))
    else if (node.name === 'w:fldChar') this.mark(node.attributes['w:fldCharType'] ?? '')
    else return false
    return true
  }

  /** Writes the text of a paragraph. A field that continues in the next one is no link there. */
  paragraph(write: () => void): void {
    const { depth } = this.writer
    write()
    this.writer.closeTo(depth)
    for (const field of this.fields) field.depth = null
  }

  private instruct(text: string): void {
    const field = this.fields.at(-1)
    if (field && field.instruction.length < maxInstruction) field.instruction += text
  }

  private mark(type: string): void {
    const { writer } = this
    const field = this.fields.at(-1)
    if (type === 'begin' && this.fields.length < maxFields) this.fields.push({ instruction: '', depth: null })
    else if (type === 'separate' && field) {
      const href = this.fields.some(({ depth }) => depth !== null) ? null : addressOfField(field.instruction)
      if (href === null) return
      field.depth = writer.depth
      writer.open('a', { href })
    } else if (type === 'end' && this.fields.pop()?.depth === writer.depth - 1) writer.close()
  }
}
