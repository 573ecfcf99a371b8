import { Parser } from 'htmlparser2'
import { FormatError } from '../format.ts'
import type { Block, Mark } from './blocks.ts'
import { languageOf } from './build-fence.ts'
import type { Attributes, Conversion, ConvertOptions, Leave, List } from './conversion.ts'
import { elementFor } from './elements.ts'
import type { MathText } from './math-text.ts'
import { hasType } from './note-labels.ts'
import type { Table } from './build-table.ts'
import { BlockWriter } from './block-writer.ts'

export interface Converted {
  blocks: Block[]
  /** What points behind the last block. */
  trailing: Mark[]
  pictures: number
}

/** More levels than any book has; beyond it every closing tag would cost more. */
const deepest = 512
/** Finds in one fast pass that a text has none of the characters below, as nearly all have. */
const unusual = /[^\t\n\r\f -~\u00A0-\u00AC\u00AE-\uFEFE\uFF00-\uFFFF]/
const invisible = /[\u00AD\uFEFF]|[^\P{Cc}\t\n\r\f]/gu
const longestLabel = 20

/** Turns one XHTML file into blocks of Markdown in one pass. Throws `TOO_LARGE` when elements nest too deep. */
export function convertXhtml(source: string, options: ConvertOptions): Converted {
  const converter = new Converter(options)
  const parser = new Parser(converter, { recognizeSelfClosing: true, recognizeCDATA: true })
  parser.end(source)
  return { ...converter.writer.finish(), pictures: converter.pictures }
}

/** Takes the parser's events; the rules for elements change its state. */
class Converter implements Conversion {
  readonly options: ConvertOptions
  readonly writer = new BlockWriter()
  lists: List[] = []
  readonly tables: Table[] = []
  pre: Conversion['pre'] = null
  math: MathText | null = null
  language: string | null = null
  pictures = 0
  notes = 0
  private readonly open: Leave[] = []
  /** Elements open inside of one that is left out, itself included. */
  private skipping = 0
  private capture: string | null = null
  private lastWasBreak = false
  /** Text since the last tag; the parser hands it over in pieces, one to an entity. */
  private pending = ''

  constructor(options: ConvertOptions) {
    this.options = options
  }

  skip(): void {
    this.skipping = 1
  }

  onopentag(name: string, attributes: Attributes, implied: boolean): void {
    this.takeText()
    if (this.skipping > 0) {
      this.skipping++
      if (this.skipping + this.open.length > deepest) throw tooDeep(this.options.path)
      return
    }
    // `</br>` counts as a second line break in HTML, yet `<br></br>` is one in XHTML.
    const repeated = name === 'br' && implied && this.lastWasBreak
    this.lastWasBreak = name === 'br'
    if (repeated) return void this.open.push(null)
    const leave = this.enter(name, attributes)
    this.pointAt(attributes)
    if (this.skipping > 0) return
    if (this.open.push(leave) > deepest) throw tooDeep(this.options.path)
  }

  onclosetag(): void {
    this.takeText()
    if (this.skipping === 0) return this.open.pop()?.()
    if (--this.skipping > 0) return
    const label = this.capture
    this.capture = null
    if (label === null) return
    if (label.trim().length <= longestLabel) this.labelPage(label)
    else this.writer.text(label)
  }

  ontext(source: string): void {
    this.pending += source
  }

  onend(): void {
    this.takeText()
  }

  private takeText(): void {
    const source = this.pending
    if (source === '') return
    this.pending = ''
    if (this.capture !== null) this.capture += source
    if (this.skipping > 0) return
    const text = unusual.test(source) ? source.replace(invisible, '') : source
    if (this.pre !== null) {
      this.pre.text += text
      this.pre.lineEmpty = text.endsWith('\n')
    } else this.writer.text(this.math === null ? text : this.math.text(text))
    this.lastWasBreak &&= text === ''
  }

  private enter(name: string, attributes: Attributes): Leave {
    if (attributes.hidden !== undefined || (name === 'nav' && this.options.navigation)) {
      this.skip()
      return null
    }
    if (hasType(attributes, ['pagebreak', 'doc-pagebreak'])) return this.enterPageBreak(attributes)
    if (this.pre !== null) return this.enterInPre(name, attributes)
    const element = elementFor(name)
    if (this.math !== null && element === undefined) return this.enterInMath(name)
    return element?.(this, attributes, name) ?? null
  }

  private enterPageBreak(attributes: Attributes): Leave {
    const named = attributes.title ?? attributes['aria-label'] ?? ''
    const listed = this.options.labels.has(attributes.id ?? '')
    if (!listed && named.trim() !== '') this.labelPage(named)
    this.capture = listed || named.trim() !== '' ? null : ''
    this.skip()
    return null
  }

  /** Inside of `pre` only lines count: breaks, and elements that stand for a line. */
  private enterInPre(name: string, attributes: Attributes): Leave {
    const { pre } = this
    if (pre === null) return null
    if (name === 'br') pre.text += '\n'
    if (name === 'code') pre.language ??= languageOf(attributes)
    if (name !== 'div' && name !== 'p' && name !== 'li') return null
    return () => {
      if (!pre.lineEmpty) pre.text += '\n'
      pre.lineEmpty = true
    }
  }

  private enterInMath(name: string): Leave {
    const { math } = this
    if (math === null) return null
    this.writer.text(math.enter(name))
    return () => this.writer.text(math.leave())
  }

  private pointAt({ id, name }: Attributes): void {
    const at = this.pre === null ? undefined : this.pre.text.length
    for (const target of id === undefined || id === name ? [name] : [id, name]) {
      if (target === undefined) continue
      if (this.options.ids.has(target)) this.writer.mark('id', target, at)
      const label = this.options.labels.get(target)
      if (label !== undefined) this.writer.mark('label', label, at)
    }
  }

  private labelPage(text: string): void {
    const label = text
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^page\s+/i, '')
      .slice(0, longestLabel)
    if (label !== '') this.writer.mark('label', label, this.pre?.text.length)
  }
}

function tooDeep(path: string): FormatError {
  return new FormatError('TOO_LARGE', `${path}: elements nested deeper than ${deepest}`)
}
