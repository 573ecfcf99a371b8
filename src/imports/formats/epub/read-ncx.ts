import { localName } from '../math/build-math.ts'
import { decodeMarkup } from './decode-markup.ts'
import { cleanTitles, maxLevel, maxTitleLength, type Navigation } from './navigation.ts'
import { parseXhtml } from './parse-xhtml.ts'
import { resolveHref, type HrefTarget } from './resolve-path.ts'

/** A `navPoint` or `pageTarget`. */
interface Point {
  title: string
  level: number
  target: HrefTarget | null
  /** Whether its first label has ended. */
  hasLabel: boolean
  value: string
}

/** Reads an NCX (OPF 2.0.1, section 2.4.1) at `path`, a damaged one in part. Throws `TOO_DEEP`. */
export function readNcx(bytes: Uint8Array, path: string): Navigation {
  const reader = new NcxReader(path)
  parseXhtml(decodeMarkup(bytes), path, reader)
  const pages = reader.pages.map(({ title, value, target }) => ({ title: title.trim() || value, target }))
  return {
    entries: cleanTitles(reader.points.map(({ title, level, target }) => ({ title, level, target }))),
    pageLabels: cleanTitles(pages).flatMap(({ title, target }) => (target === null ? [] : [{ label: title, target }])),
  }
}

class NcxReader {
  readonly points: Point[] = []
  readonly pages: Point[] = []
  private readonly path: string
  /** The open points, innermost last. */
  private readonly open: Point[] = []
  private inLabel = false

  constructor(path: string) {
    this.path = path
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    const current = this.open.at(-1)
    switch (localName(name)) {
      case 'navpoint':
        return this.enter(this.points, attributes)
      case 'pagetarget':
        return this.enter(this.pages, attributes)
      case 'navlabel':
        this.inLabel = current?.hasLabel === false
        return
      case 'content':
        if (current !== undefined) current.target ??= targetOf(attributes['src'], this.path)
    }
  }

  ontext(text: string): void {
    const current = this.open.at(-1)
    if (this.inLabel && current !== undefined && current.title.length < maxTitleLength) current.title += text
  }

  onclosetag(name: string): void {
    const local = localName(name)
    if (local === 'navpoint' || local === 'pagetarget') this.open.pop()
    else if (local !== 'navlabel') return
    const current = this.open.at(-1)
    if (this.inLabel && current !== undefined) current.hasLabel = true
    this.inLabel = false
  }

  private enter(list: Point[], { value = '' }: Readonly<Record<string, string>>): void {
    const level = Math.min(this.open.length + 1, maxLevel)
    const point = { title: '', level, target: null, hasLabel: false, value: value.trim() }
    list.push(point)
    this.open.push(point)
    this.inLabel = false
  }
}

function targetOf(source: string | undefined, path: string): HrefTarget | null {
  const href = source?.trim() ?? ''
  return href === '' ? null : resolveHref(path, href)
}
