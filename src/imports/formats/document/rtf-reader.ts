import { emptyInfo } from './document-book.ts'
import { plainFormat, type RunFormat } from './run-format.ts'
import { FormatError } from '../format.ts'
import { codePageOfCharset, decodeBytes, usualCodePage } from './rtf-code-pages.ts'
import { namedCharacters, readGroups, skippedGroups, symbolCharacters } from './rtf-destinations.ts'
import type { RtfDocument } from './rtf-document.ts'
import { RtfFlow } from './rtf-flow.ts'
import { readRtfTokens, type RtfTokens } from './rtf-tokens.ts'

const maxDepth = 2_000
/** Characters of a title, an address or a name that are kept. */
const maxCaptured = 4_000

/** Lists of paragraphs that name none. */
const oldBullets = -1
const oldNumbers = -2

/** What holds for the text of a group and is back as it was at its end. */
interface Group {
  /** Where text goes: to the book, to `captured`, or nowhere. */
  target: 'text' | 'captured' | 'nothing'
  captured: { text: string }
  /** What is done with the group at its end. */
  end: ((group: Group) => void) | null
  flow: RtfFlow
  format: RunFormat
  isHidden: boolean
  font: number
  /** Characters behind `\u` that stand for it in old readers. */
  substitutes: number
  href: string | null
}

/** Reads the bytes of a file of RTF. Throws `TOO_DEEP` for groups nested beyond any real book. Linear in the bytes. */
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
  }
  private readonly fonts = new Map<number, number>()
  /** Ids of lists (`\listid`) and how their levels are numbered. */
  private readonly listLevels = new Map<number, number[]>()
  private levels: number[] = []
  private listId = 0
  private codePage = usualCodePage
  private group: Group
  private readonly outer: Group[] = []
  /** Bytes that are not decoded yet. */
  private waiting = ''
  /** Whether the group has just begun with a star. */
  private isStarred = false
  /** Characters that are still to be left out behind `\u`. */
  private skipped = 0
  private definedFont = 0
  private definedStyle = { id: 0, outline: null as number | null }

  constructor() {
    this.group = {
      target: 'text',
      captured: { text: '' },
      end: null,
      flow: new RtfFlow(this.document.blocks),
      format: plainFormat,
      isHidden: false,
      font: -1,
      substitutes: 1,
      href: null,
    }
  }

  finish(): RtfDocument {
    this.decode()
    while (this.outer.length > 0) this.closeGroup()
    this.group.flow.endParagraph()
    return this.document
  }

  openGroup(): void {
    this.decode()
    this.skipped = 0
    this.isStarred = false
    if (this.outer.length >= maxDepth) throw new FormatError('TOO_DEEP', `groups nested ${maxDepth} deep`)
    this.outer.push(this.group)
    this.group = { ...this.group, end: null }
  }

  closeGroup(): void {
    this.decode()
    this.skipped = 0
    const before = this.outer.pop()
    if (before === undefined) return
    const ended = this.group
    // The address of a field holds for its result, which is the next group of the field.
    this.group = before
    ended.end?.(ended)
  }

  bytes(bytes: string): void {
    const left = Math.min(this.skipped, bytes.length)
    this.skipped -= left
    this.isStarred = false
    if (this.group.target !== 'nothing') this.waiting += bytes.slice(left)
  }

  symbol(character: string): void {
    if (this.skipped > 0 && character !== '*') return void this.skipped--
    this.decode()
    if (character === '*') this.isStarred = true
    else if (character === '\n' || character === '\r') this.control('par', null)
    else this.write(symbolCharacters[character] ?? '')
  }

  control(word: string, value: number | null): void {
    if (this.skipped > 0 && word !== 'u') return void this.skipped--
    this.decode()
    const starred = this.isStarred
    this.isStarred = false
    if (this.beginGroup(word)) return
    if (readGroups.has(word)) return word === 'ud' ? this.enterText() : undefined
    if (starred || skippedGroups.has(word)) this.enterNothing(word)
    else if (this.group.target === 'captured') this.define(word, value)
    else if (this.group.target === 'text') this.apply(word, value)
    if (word === 'u' || word === 'uc') this.readUnicode(word, value)
    else if (word in namedCharacters) this.write(namedCharacters[word] ?? '')
  }

  /** Groups whose text says something of the book; false for others. */
  private beginGroup(word: string): boolean {
    const { info } = this.document
    if (word === 'title' || word === 'author') this.capture(({ text }) => (info[word] = text.trim() || null))
    else if (word === 'subject' || word === 'doccomm')
      this.capture(({ text }) => (info.description ??= text.trim() || null))
    else if (word === 'fonttbl' || word === 'stylesheet' || word === 'info') this.capture(() => undefined)
    else if (word === 'listtable' || word === 'listoverridetable') this.capture(() => undefined)
    else if (word === 'fldinst') this.capture(({ text }) => this.followField(text))
    else if (word === 'fldrslt') this.group.format = { ...this.group.format }
    else if (word === 'footnote') this.beginNote()
    else if (word === 'list') this.beginList()
    else if (word === 'listoverride') this.listId = 0
    else if (word === 'pn') this.capture(() => undefined)
    else return false
    return true
  }

  private capture(end: (captured: { text: string }) => void): void {
    const captured = { text: '' }
    Object.assign(this.group, { target: 'captured', captured, end: () => end(captured) } satisfies Partial<Group>)
  }

  private enterNothing(word: string): void {
    if (this.group.target === 'text' && word === 'pict') this.group.flow.add({ kind: 'picture', alt: '' })
    this.group.target = 'nothing'
  }

  /** The Unicode form of a text, inside of a group that has it in two forms. */
  private enterText(): void {
    this.group.target = this.outer.at(-2)?.target ?? 'text'
  }

  private followField(instruction: string): void {
    const address = /^\s*HYPERLINK\s+(?:\\[a-z]\s+)*"?([^"\s]+)/i.exec(instruction)?.[1]
    if (address !== undefined && !address.startsWith('\\')) this.group.href = address
  }

  private beginNote(): void {
    if (this.group.target !== 'text') return
    const id = this.document.notes.size + 1
    const { flow } = this.group
    const note = new RtfFlow([])
    this.document.notes.set(id, note.blocks)
    flow.add({ kind: 'note', id })
    Object.assign(this.group, {
      flow: note,
      format: plainFormat,
      href: null,
      end: () => note.endParagraph(),
    } satisfies Partial<Group>)
  }

  private beginList(): void {
    this.levels = []
    this.listId = 0
    this.group.end = () => this.listLevels.set(this.listId, this.levels)
  }

  /** Definitions of fonts, styles and lists. */
  private define(word: string, value: number | null): void {
    const number = value ?? 0
    if (word === 'f') this.definedFont = number
    else if (word === 'fcharset') this.fonts.set(this.definedFont, codePageOfCharset(number) ?? this.codePage)
    else if (word === 's') this.defineStyle(number)
    else if (word === 'outlinelevel') this.definedStyle.outline = number
    else if (word === 'levelnfc') this.levels.push(number)
    else if (word === 'listid') this.listId = number
    else if (word === 'pnlvlblt' || word === 'pnlvlbody') this.beginOldList(word)
    else if (word === 'ls') this.document.lists.set(number, this.listLevels.get(this.listId) ?? [])
  }

  /** A list as Word 6 wrote it: its paragraphs say how they are numbered. */
  private beginOldList(kind: 'pnlvlblt' | 'pnlvlbody'): void {
    const list = kind === 'pnlvlblt' ? oldBullets : oldNumbers
    this.document.lists.set(oldNumbers, [0])
    this.group.flow.control('ls', list)
  }

  private defineStyle(id: number): void {
    const captured = { text: '' }
    const style = { id, outline: null }
    this.definedStyle = style
    this.group.captured = captured
    this.group.end = () => {
      const name = captured.text.replace(/;\s*$/, '').trim()
      this.document.styles.set(id, { name, outline: style.outline })
    }
  }

  private apply(word: string, value: number | null): void {
    const { group } = this
    const isOn = value !== 0
    if (word === 'ansicpg') this.codePage = value ?? usualCodePage
    else if (word === 'mac') this.codePage = 10000
    else if (word === 'f' || word === 'deff') group.font = value ?? 0
    else if (word === 'v' || word === 'deleted') group.isHidden = isOn
    else if (word === 'plain') Object.assign(group, { format: plainFormat, isHidden: false })
    else if (word === 'b') group.format = { ...group.format, bold: isOn }
    else if (word === 'i') group.format = { ...group.format, italic: isOn }
    else if (word === 'strike' || word === 'striked') group.format = { ...group.format, strike: isOn }
    else if (word === 'super') group.format = { ...group.format, script: isOn ? 'sup' : null }
    else if (word === 'sub') group.format = { ...group.format, script: isOn ? 'sub' : null }
    else if (word === 'nosupersub') group.format = { ...group.format, script: null }
    else group.flow.control(word, value)
  }

  private readUnicode(word: 'u' | 'uc', value: number | null): void {
    if (word === 'uc') {
      this.group.substitutes = Math.max(0, Math.min(value ?? 1, 20))
      return
    }
    this.write(String.fromCharCode((value ?? 0) & 0xffff))
    this.skipped = this.group.substitutes
  }

  private decode(): void {
    if (this.waiting === '') return
    const text = decodeBytes(this.waiting, this.fonts.get(this.group.font) ?? this.codePage)
    this.waiting = ''
    this.write(text)
  }

  private write(text: string): void {
    const { target, captured, flow, format, href, isHidden } = this.group
    if (target === 'captured' && captured.text.length < maxCaptured) captured.text += text
    else if (target === 'text' && !isHidden && text !== '') flow.add({ kind: 'text', text, format, href })
  }
}
