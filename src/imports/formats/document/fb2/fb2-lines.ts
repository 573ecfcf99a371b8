import type { Attributes } from '../../epub/conversion.ts'
import type { ElementWriter } from '../markup/element-writer.ts'
import { ListWriter } from '../markup/list-writer.ts'
import type { XmlHandler } from '../markup/xml-events.ts'

type Event = { kind: 'open'; name: string; attributes: Attributes } | { kind: 'close'; name: string } | string

/** A paragraph with the properties that its text suggests. */
interface Line {
  events: Event[]
  kind: 'code' | 'item' | 'text'
  text: string
  /** The bullets and numbers before the text, one for each level. */
  markers: string[]
  /** The length of the markers with their white space, in UTF-16 units. */
  start: number
}

/** Maximum number of events of a line of code or an item. */
const maxEvents = 2_000
const maxLines = 1_000
const markerPattern = /^(?:(?:\d{1,3}\.|[a-z]\.|[•◦▪‣])[ \u00a0]{1,2})+/
const sign = /^[•◦▪‣]/

/** Writes paragraphs as code lines and list items, for which FictionBook has no elements. */
export class Fb2Lines {
  private readonly writer: ElementWriter
  /** Receives the elements inside a paragraph. */
  private readonly inner: XmlHandler
  private events: Event[] | null = null
  private depth = 0
  private waiting: Line[] = []

  constructor(writer: ElementWriter, inner: XmlHandler) {
    this.writer = writer
    this.inner = inner
  }

  /** Handles an event of a paragraph; returns false for an event outside paragraphs. */
  take(event: Event): boolean {
    const { events } = this
    if (typeof event === 'object' && event.name === 'p' && event.kind === 'open' && events === null) {
      this.events = []
      this.depth = 0
    }
    if (this.events === null) return false
    this.events.push(event)
    if (typeof event === 'object') this.depth += event.kind === 'open' ? 1 : -1
    if (this.depth === 0) this.endParagraph(this.events)
    else if (this.events.length > maxEvents) this.fallBack(this.events)
    return true
  }

  /** Writes the buffered lines. */
  flush(): void {
    const lines = this.waiting
    this.waiting = []
    const [first] = lines
    if (first === undefined) return
    const isFence = first.kind === 'code' && (lines.length > 1 || /^\s/.test(first.text))
    if (isFence) this.writer.element('pre', lines.map(({ text }) => text).join('\n'))
    else if (first.kind === 'item' && isList(lines)) this.writeList(lines)
    else for (const { events } of lines) this.replay(events)
  }

  private endParagraph(events: Event[]): void {
    this.events = null
    const line = readLine(events)
    const first = this.waiting[0]
    const isOtherList = isBulleted(line) !== (first !== undefined && isBulleted(first))
    if (line.kind !== first?.kind || isOtherList || this.waiting.length >= maxLines) this.flush()
    if (line.kind === 'text') this.replay(events)
    else this.waiting.push(line)
  }

  private fallBack(events: Event[]): void {
    this.events = null
    this.flush()
    this.replay(events)
  }

  private replay(events: readonly Event[]): void {
    for (const event of events) {
      if (typeof event === 'string') this.inner.text(event)
      else if (event.kind === 'open') this.inner.open(event.name, event.attributes)
      else this.inner.close(event.name)
    }
  }

  private writeList(lines: readonly Line[]): void {
    const lists = new ListWriter(this.writer)
    for (const { events, markers, start, text } of lines) {
      const marker = markers.at(-1) ?? ''
      lists.item({ id: '', level: markers.length - 1, name: sign.test(marker) ? 'ul' : 'ol' })
      const box = /^[\u2610-\u2612]\s/.exec(text)?.[0] ?? ''
      if (box !== '') this.writer.empty('input', { type: 'checkbox', ...(box[0] === '\u2610' ? {} : { checked: '' }) })
      this.replay(withoutStart(events.slice(1, -1), start + box.length))
    }
    lists.end()
  }
}

function readLine(events: Event[]): Line {
  let [codeDepth, text, isCode] = [0, '', true]
  for (const event of events) {
    if (typeof event === 'string') {
      text += event
      isCode &&= codeDepth > 0 || event.trim() === ''
    } else if (event.name === 'code') codeDepth += event.kind === 'open' ? 1 : -1
    else if (event.name !== 'p') isCode = false
  }
  if (isCode && text.trim() !== '') return { events, kind: 'code', text, markers: [], start: 0 }
  const start = markerPattern.exec(text)?.[0] ?? ''
  const markers = start.trim().split(/[ \u00a0]+/)
  const kind = start === '' ? 'text' : 'item'
  return { events, kind, text: text.slice(start.length), markers, start: start.length }
}

/** True for an item whose outermost marker is a bullet. */
function isBulleted({ markers: [outer = ''] }: Line): boolean {
  return sign.test(outer)
}

/** True if items have bullets, or numbers that count from 1. */
function isList(lines: readonly Line[]): boolean {
  let number = 0
  for (const line of lines) {
    const { markers } = line
    const [outer = ''] = markers
    if (isBulleted(line)) continue
    if (markers.length === 1 && Number.parseInt(outer, 10) !== ++number) return false
    if (markers.length > 1 && Number.parseInt(outer, 10) !== number) return false
  }
  return number !== 1
}

function withoutStart(events: readonly Event[], length: number): Event[] {
  let left = length
  return events.map((event) => {
    if (typeof event !== 'string' || left === 0) return event
    const rest = event.slice(left)
    left -= event.length - rest.length
    return rest
  })
}
