import type { Parser } from 'htmlparser2'
import type { Block, Anchor } from './blocks.ts'
import { languageOf } from './build-fence.ts'
import type {
  Attributes,
  Conversion,
  ConvertOptions,
  ElementHandler,
  Leave,
  ListState,
  OpenFigure,
} from './conversion.ts'
import { enterOwnNote } from './container-elements.ts'
import { handlerFor } from './elements.ts'
import { localName, type MathBuilder } from '../math/build-math.ts'
import { hasType } from './note-labels.ts'
import { maxDepth, nestingTooDeepError, parseXhtml } from './parse-xhtml.ts'
import { captureCaption } from './picture-elements.ts'
import type { PictureReference } from './picture-places.ts'
import { isHidden } from './style-sheets.ts'
import type { TableState } from './build-table.ts'
import { BlockWriter } from './block-writer.ts'

export interface ConvertedFile {
  blocks: Block[]
  /** The anchors after the last block. */
  trailingAnchors: Anchor[]
  pictureCount: number
  /** True if the text contains a LaTeX formula. */
  hasFormulas: boolean
  /** The pictures with placeholders in the blocks. */
  pictures: PictureReference[]
}

/**
 * Matches text that may contain characters of `invisible`. A fast first check, because nearly all text contains none.
 */
const possiblyInvisible = /[^\t\n\r\f -~\u00A0-\u00AC\u00AE-\uFDCF\uFDD1-\uFEFE\uFF00-\uFFFF]/
const invisible = /[\u00AD\uFEFF\uFDD0]|[^\P{Cc}\t\n\r\f]/gu
const maxLabelLength = 20

/**
 * True for an element that is left out if it is not displayed. Other hidden elements have text that readers get in
 * another way: notes that reading systems show in a window, headings below pictures, formulas beside pictures.
 */
function canBeHidden(name: string, { id, class: classes, style }: Attributes): boolean {
  if ((name !== 'p' && name !== 'span') || id !== undefined) return false
  return (classes ?? style) !== undefined && classes?.includes('math') !== true
}
/** The numbers of lines by Pygments and Rouge, which are not part of the code. */
const lineNumber = /(?:^|\s)line-?nos?(?:\s|$)/
const pageBreakTypes = ['pagebreak', 'doc-pagebreak']

/** Converts one XHTML file to blocks of Markdown in one pass. Throws `TOO_DEEP` for too deeply nested elements. */
export function convertXhtml(source: string, options: ConvertOptions): ConvertedFile {
  const converter = new Converter(options)
  parseXhtml(source, options.path, converter)
  return converter.end()
}

/** Converts the elements that `write` emits, like `convertXhtml`. */
export function convertElements(write: (handler: ElementHandler) => void, options: ConvertOptions): ConvertedFile {
  const converter = new Converter(options)
  write(converter)
  return converter.end()
}

/** Handles the events of the parser; element handlers change its state. */
class Converter implements Conversion, ElementHandler {
  readonly options: ConvertOptions
  private parser: Parser | null = null
  readonly writer = new BlockWriter()
  lists: ListState[] = []
  readonly tables: TableState[] = []
  pre: Conversion['pre'] = null
  math: MathBuilder | null = null
  language: string | null = null
  hasCase = false
  pictureCount = 0
  readonly pictures: PictureReference[] = []
  figure: OpenFigure | null = null
  noteDepth = 0
  noteListDepth = 0
  noteLabel = ''
  isBack: Conversion['isBack'] = null
  emptyNote: string | null = null
  pendingNote: string | null = null
  private readonly openElements: Leave[] = []
  /** The number of open elements within a skipped element, including the element itself. */
  private skippedDepth = 0
  private capturedLabel: string | null = null
  private lastWasBreak = false
  /** Text since the last tag. The parser splits text at entities. */
  private pendingText = ''

  constructor(options: ConvertOptions) {
    this.options = options
    const { note } = options
    if (note === undefined) return
    this.noteDepth = 1
    this.noteLabel = note.shown
    this.isBack = note.isBack
    this.writer.enter('    ', `[^${note.label}]: `, false)
  }

  get position(): number {
    return this.parser?.startIndex ?? 0
  }

  onparserinit(parser: Parser): void {
    this.parser = parser
  }

  leaveOut(): void {
    this.skippedDepth = 1
  }

  onopentag(name: string, attributes: Attributes, implied: boolean): void {
    this.flushText()
    if (this.skippedDepth > 0) {
      this.skippedDepth++
      if (this.skippedDepth + this.openElements.length > maxDepth) throw nestingTooDeepError(this.options.path)
      return
    }
    // `</br>` counts as a second line break in HTML, yet `<br></br>` is one in XHTML.
    const isRepeatedBreak = name === 'br' && implied && this.lastWasBreak
    this.lastWasBreak = name === 'br'
    if (isRepeatedBreak) return void this.openElements.push(null)
    const leave = this.enter(name, attributes)
    this.addAnchors(attributes)
    if (this.skippedDepth > 0) return
    if (this.openElements.push(leave) > maxDepth) throw nestingTooDeepError(this.options.path)
  }

  onclosetag(): void {
    this.flushText()
    if (this.skippedDepth === 0) return this.openElements.pop()?.()
    if (--this.skippedDepth > 0) return
    const label = this.capturedLabel
    this.capturedLabel = null
    if (label === null) return
    if (label.trim().length <= maxLabelLength) this.addPageLabel(label)
    else this.writer.text(label)
  }

  ontext(source: string): void {
    this.pendingText += source
  }

  end(): ConvertedFile {
    this.flushText()
    const { pictureCount, pictures, writer } = this
    return { ...writer.end(), pictureCount, pictures, hasFormulas: writer.inline.hasFormulas }
  }

  private flushText(): void {
    const source = this.pendingText
    if (source === '') return
    this.pendingText = ''
    if (this.capturedLabel !== null) this.capturedLabel += source
    if (this.skippedDepth > 0) return
    const text = possiblyInvisible.test(source) ? source.replace(invisible, '') : source
    captureCaption(this.figure, text)
    if (this.pre !== null) {
      this.pre.text += text
      this.pre.lineEmpty = text.endsWith('\n')
    } else if (this.math === null) this.writer.text(text)
    else this.math.text(text)
    this.lastWasBreak &&= text === ''
  }

  private enter(name: string, attributes: Attributes): Leave {
    if (attributes['hidden'] !== undefined || (name === 'nav' && this.options.navigation)) {
      this.leaveOut()
      return null
    }
    if (hasType(attributes, pageBreakTypes)) return this.enterPageBreak(attributes)
    if (canBeHidden(name, attributes) && isHidden(this.options.styles, attributes)) {
      this.leaveOut()
      return null
    }
    if (this.pre !== null) return this.enterInPre(name, attributes)
    if (this.math !== null) return this.enterInMath(this.math, name, attributes)
    const note = this.options.ownNotes?.get(this.position)
    if (note !== undefined && this.noteDepth === 0 && this.writer.isAtTopLevel) return enterOwnNote(this, note)
    const local = name.includes(':') ? localName(name) : name
    return handlerFor(local)?.(this, attributes, local) ?? null
  }

  private enterPageBreak(attributes: Attributes): Leave {
    const label = attributes['title'] ?? attributes['aria-label'] ?? ''
    const hasListedLabel = this.options.labels.has(attributes['id'] ?? '')
    if (!hasListedLabel && label.trim() !== '') this.addPageLabel(label)
    this.capturedLabel = hasListedLabel || label.trim() !== '' ? null : ''
    this.leaveOut()
    return null
  }

  /** Enters an element inside `pre`, where only line breaks and line elements matter. */
  private enterInPre(name: string, attributes: Attributes): Leave {
    const { pre } = this
    if (pre === null) return null
    if (name === 'br') pre.text += '\n'
    if (name === 'code') pre.language ??= languageOf(attributes)
    if (name === 'span' && lineNumber.test(attributes['class'] ?? '')) this.leaveOut()
    if (name !== 'div' && name !== 'p' && name !== 'li') return null
    return () => {
      if (!pre.lineEmpty) pre.text += '\n'
      pre.lineEmpty = true
    }
  }

  private enterInMath(math: MathBuilder, name: string, attributes: Attributes): Leave {
    math.enter(name, attributes)
    return () => math.leave()
  }

  private addAnchors({ id, name }: Attributes): void {
    if (id === undefined && name === undefined) return
    const at = this.pre === null ? undefined : this.pre.text.length
    for (const target of id === undefined || id === name ? [name] : [id, name]) {
      if (target === undefined) continue
      this.writer.addAnchor('id', target, at)
      const label = this.options.labels.get(target)
      if (label !== undefined) this.writer.addAnchor('label', label, at)
    }
  }

  private addPageLabel(text: string): void {
    const label = text
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^page\s+/i, '')
      .slice(0, maxLabelLength)
    if (label !== '') this.writer.addAnchor('label', label, this.pre?.text.length)
  }
}
