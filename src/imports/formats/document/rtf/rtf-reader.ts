import { emptyInfo } from '../markup/document-book.ts'
import { plainFormat } from '../markup/run-format.ts'
import { FormatError } from '../../format.ts'
import { decodeBytes, decodeUnicode, defaultCodePage } from './rtf-code-pages.ts'
import { infoFields, namedCharacters, readGroups, skippedGroups, symbolCharacters } from './rtf-destinations.ts'
import type { RtfDocument } from './rtf-document.ts'
import { addressOfField } from '../markup/field-address.ts'
import { enterFlow, outermostGroup, type Group } from './rtf-group.ts'
import { RtfDefinitions } from './rtf-definitions.ts'
import { changeFormat } from './rtf-formats.ts'
import { RtfPictures } from './rtf-pictures.ts'
import { readRtfTokens, type RtfTokens } from './rtf-tokens.ts'

const maxDepth = 2_000
/** How many characters of a title, an address or a name are kept. */
const maxCaptured = 4_000

/** Paragraph formats that mark a group as a paragraph if it begins with one. */
const paragraphWords = new Set(['ql', 'qc', 'qr', 'qj', 's', 't'])

/** Pseudo list id for paragraphs that name no list. */
const oldBullets = -1
const oldNumbers = -2

/** Parses an RTF file. Throws `TOO_DEEP` for groups nested beyond any real book. Takes linear time. */
export function readRtf(bytes: Uint8Array): RtfDocument {
  const reader = new RtfReader()
  readRtfTokens(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), reader)
  return reader.finish()
}

class RtfReader implements RtfTokens {
  private readonly document: RtfDocument = {
    info: { ...emptyInfo },
    blocks: [],
    notes: new Map(),
    styles: new Map(),
    lists: new Map(),
    pictures: [],
  }
  private readonly definitions = new RtfDefinitions(this.document)
  private readonly pictures = new RtfPictures()
  /** The default font (`\deff`). */
  private defaultFont = -1
  /** True at the start of a group. */
  private isFirst = false
  private codePage = defaultCodePage
  private group: Group
  private readonly outer: Group[] = []
  /** Bytes that have not been decoded yet. */
  private waiting = ''
  /** True if the group has just begun with a star. */
  private isStarred = false
  /** Number of substitute characters after `\u` that are still to be skipped. */
  private skipped = 0

  constructor() {
    this.group = outermostGroup(this.document.blocks)
  }

  finish(): RtfDocument {
    this.decode()
    while (this.outer.length > 0) this.closeGroup()
    this.group.flow.end()
    return { ...this.document, pictures: this.pictures.files }
  }

  openGroup(): void {
    this.decode()
    this.skipped = 0
    this.isStarred = false
    this.isFirst = true
    if (this.outer.length >= maxDepth) throw new FormatError('TOO_DEEP', `groups nested ${maxDepth} deep`)
    this.outer.push(this.group)
    this.group = { ...this.group, paragraphBefore: this.group.flow.format, end: null }
  }

  closeGroup(): void {
    this.decode()
    this.isFirst = false
    this.skipped = 0
    const before = this.outer.pop()
    if (before === undefined) return
    const ended = this.group
    // The address of a field applies to its result, which is the next group of the field.
    this.group = before
    ended.end?.(ended)
    // A group that is no text, such as the numbering of a paragraph, changes the paragraph around it. At the end of the
    // file, a paragraph may be unfinished.
    if (ended.target === 'text' && this.outer.length > 0) before.flow.format = ended.paragraphBefore
  }

  bytes(bytes: string): void {
    const left = Math.min(this.skipped, bytes.length)
    this.skipped -= left
    this.isStarred = this.isFirst = false
    if (this.group.target === 'picture') this.group.picture?.hex.push(bytes)
    else if (this.group.target !== 'nothing') this.waiting += bytes.slice(left)
  }

  binary(bytes: string): void {
    const { picture } = this.group
    if (picture !== null && this.group.target === 'picture') picture.binary = Buffer.from(bytes, 'latin1')
  }

  symbol(character: string): void {
    if (this.skipped > 0 && character !== '*') return void this.skipped--
    this.decode()
    // Elsewhere, as StarOffice writes it before character styles, a star has no meaning.
    if (character === '*') this.isStarred = this.isFirst
    else if (character === '\n' || character === '\r') this.control('par', null)
    else this.write(symbolCharacters.get(character) ?? '')
  }

  control(word: string, value: number | null): void {
    if (this.skipped > 0 && word !== 'u') return void this.skipped--
    this.decode()
    const starred = this.isStarred
    const isFirst = this.isFirst
    this.isStarred = this.isFirst = false
    if (this.beginGroup(word)) return
    if (readGroups.has(word)) return word === 'ud' ? this.enterText() : undefined
    if (starred || skippedGroups.has(word)) this.enterNothing(word)
    else if (this.group.target === 'captured') this.define(word, value)
    else if (this.group.target === 'picture') this.definePicture(word)
    else if (this.group.target === 'text') {
      if (isFirst && paragraphWords.has(word)) this.beginParagraphGroup()
      this.apply(word, value)
    }
    if (word === 'u' || word === 'uc') this.readUnicode(word, value)
    else if (Object.hasOwn(namedCharacters, word)) this.write(namedCharacters[word] ?? '')
  }

  /** Begins a group with a known destination; returns false for other groups. */
  private beginGroup(word: string): boolean {
    const field = infoFields.get(word)
    if (field !== undefined) this.capture(({ text }) => (this.document.info[field] ??= text.trim() || null))
    else if (word === 'fonttbl') this.beginFonts()
    else if (word === 'stylesheet' || word === 'info') this.capture(() => undefined)
    else if (word === 'listtable' || word === 'listoverridetable') this.capture(() => undefined)
    else if (word === 'fldinst') this.capture(({ text }) => this.followField(text))
    else if (word === 'bkmkstart') this.beginBookmark()
    else if (word === 'fldrslt') this.group.format = { ...this.group.format }
    else if (word === 'footnote') this.beginNote()
    else if (word === 'shptxt' || word === 'dptxbxtext') this.beginBeside('addBox')
    else if (word === 'listtext' || word === 'pntext') this.beginBeside('setLabel')
    else if (word === 'list') this.group.end = this.definitions.beginList()
    else if (word === 'listoverride') this.definitions.beginOverride()
    else if (word === 'leveltext') this.capture(({ text }) => this.definitions.labelLevel(text))
    else if (word === 'pn') this.capture(() => undefined)
    else if (word === 'pict') this.beginPicture()
    else return false
    return true
  }

  private capture(end: (captured: { text: string }) => void): void {
    const captured = { text: '' }
    Object.assign(this.group, { target: 'captured', captured, end: () => end(captured) } satisfies Partial<Group>)
  }

  private enterNothing(word: string): void {
    if (word === 'sp' && this.group.target === 'text') this.group.isOfShape = true
    this.group.target = 'nothing'
  }

  private beginFonts(): void {
    this.definitions.fonts.begin()
    this.capture(({ text }) => this.definitions.fonts.end(text))
  }

  private beginPicture(): void {
    const { group } = this
    if (group.target !== 'text' && !group.isOfShape) return this.enterNothing('pict')
    const picture = this.pictures.begin()
    const { flow, isHidden } = group
    const end = (): void => {
      if (!isHidden) flow.add({ kind: 'picture', index: this.pictures.end(picture) })
    }
    Object.assign(group, { target: 'picture', picture, isOfShape: false, end } satisfies Partial<Group>)
  }

  private definePicture(word: string): void {
    const { picture } = this.group
    if (picture !== null && (word === 'pngblip' || word === 'jpegblip')) picture.isKept = true
  }

  /**
   * Treats a group that begins with a paragraph format as a paragraph, as Calibre writes them, whether it ends with
   * `\par` or not.
   */
  private beginParagraphGroup(): void {
    const { flow } = this.group
    if (flow.hasText) flow.endParagraph()
    this.group.end = () => {
      if (flow.hasText) flow.endParagraph()
    }
  }

  /** Enters the Unicode variant of a text, in a group that has the text in two variants. */
  private enterText(): void {
    this.group.target = this.outer.at(-2)?.target ?? 'text'
  }

  private followField(instruction: string): void {
    this.group.href = addressOfField(instruction) ?? this.group.href
  }

  private beginBookmark(): void {
    const { flow, target } = this.group
    if (target === 'text') this.capture(({ text }) => flow.addBookmark(text.trim()))
    else this.enterNothing('bkmkstart')
  }

  private beginNote(): void {
    if (this.group.target !== 'text') return
    const id = this.document.notes.size + 1
    this.group.flow.add({ kind: 'note', id })
    this.document.notes.set(id, enterFlow(this.group))
  }

  /** Begins a text box or the label of a list paragraph, which stand beside the text of a paragraph. */
  private beginBeside(add: 'addBox' | 'setLabel'): void {
    const { flow, target } = this.group
    if (target === 'text') enterFlow(this.group, (blocks) => flow[add](blocks))
  }

  /** Handles definitions of fonts, styles and lists. */
  private define(word: string, value: number | null): void {
    this.definitions.define(word, value ?? 0, this.codePage)
    if (word === 's') this.defineStyle(value ?? 0)
    else if (word === 'pnlvlblt' || word === 'pnlvlbody') this.beginOldList(word)
  }

  /** Begins a list in the format of Word 6, whose paragraphs contain their numbering. */
  private beginOldList(kind: 'pnlvlblt' | 'pnlvlbody'): void {
    const list = kind === 'pnlvlblt' ? oldBullets : oldNumbers
    this.document.lists.set(oldNumbers, [{ format: 0, start: 1, pattern: '%.' }])
    this.group.flow.control('ls', list)
  }

  private defineStyle(id: number): void {
    const captured = { text: '' }
    const end = this.definitions.beginStyle(id)
    this.group.captured = captured
    this.group.end = () => end(captured.text)
  }

  private apply(word: string, value: number | null): void {
    const { group } = this
    const isOn = value !== 0
    if (word === 'ansicpg') this.codePage = value ?? defaultCodePage
    else if (word === 'mac') this.codePage = 10000
    else if (word === 'f' || word === 'deff') this.useFont(word, value ?? 0)
    else if (word === 'v') group.isHidden = isOn
    else if (word === 'deleted') group.isHidden = group.isDeleted = isOn
    else if (word === 'revauthdel' && group.isDeleted) group.isDeleted = !(group.isHidden = true)
    else if (word === 'plain') {
      Object.assign(group, { format: plainFormat, isHidden: false, isDeleted: false })
      this.useFont('f', this.defaultFont)
    } else this.applyFormat(word, value)
  }

  private applyFormat(word: string, value: number | null): void {
    const { group } = this
    const format = changeFormat(group.format, word, value !== 0)
    if (format === null) return group.flow.control(word, value)
    group.format = format
    if (format.strike && group.isDeleted) group.isHidden = group.isDeleted = false
  }

  private useFont(word: 'f' | 'deff', font: number): void {
    const { group } = this
    if (word === 'deff') this.defaultFont = font
    group.font = font
    const code = this.definitions.fonts.isFixed(font)
    if (code !== group.format.code) group.format = { ...group.format, code }
  }

  private readUnicode(word: 'u' | 'uc', value: number | null): void {
    if (word === 'uc') {
      this.group.substitutes = Math.max(0, Math.min(value ?? 1, 20))
      return
    }
    this.write(decodeUnicode(value ?? 0))
    this.skipped = this.group.substitutes
  }

  private decode(): void {
    if (this.waiting === '') return
    const text = decodeBytes(this.waiting, this.definitions.fonts.codePageOf(this.group.font) ?? this.codePage)
    this.waiting = ''
    this.write(text)
  }

  private write(text: string): void {
    const { target, captured, flow, format, href, isHidden } = this.group
    if (target === 'captured' && captured.text.length < maxCaptured) captured.text += text
    else if (target === 'text' && !isHidden && text !== '') flow.add({ kind: 'text', text, format, href })
  }
}
