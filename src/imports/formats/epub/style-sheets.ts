import { listTypeOf } from '../list-number.ts'
import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { decodeMarkup } from './decode-markup.ts'

/** How an element shows its text; a missing property is that of the text around it. */
export interface TextStyle {
  italic?: boolean
  bold?: boolean
  struck?: boolean
  script?: 'sup' | 'sub'
}

/** The declarations of style sheets that change what a text means. */
export interface StyleSheets {
  /** The types of ordered lists by class name after a dot; `ol` is the key for lists without a class. */
  lists: ReadonlyMap<string, string>
  /** The styles of text by class name. */
  texts: ReadonlyMap<string, TextStyle>
  /** The class names of elements that are not displayed. */
  hidden: ReadonlySet<string>
}

interface ChangingSheets {
  lists: Map<string, string>
  texts: Map<string, TextStyle>
  hidden: Set<string>
}

export const noStyles: StyleSheets = { lists: new Map(), texts: new Map(), hidden: new Set() }

const maxSheets = 20
const maxSheetLength = 512 * 1024
const maxDeclarations = 3_000
/** The last part of a selector that matches a list by its element or class name. */
const listSelector = /(?:^|[\s>])(?:(ol)|(?:ol|li)?\.([\w-]{1,60}))$/
/** A selector that matches a part of a paragraph by its class name, wherever it is. */
const textSelector = /^(?:span)?\.([\p{L}\p{N}_-]{1,60})$/u
/** A selector that matches elements by their class name only, or by their name too. */
const classSelector = /^(?:[a-z]{1,20})?\.([\p{L}\p{N}_-]{1,60})$/u

/** Reads the style sheets of a book. */
export async function readStyleSheets(archive: Archive): Promise<StyleSheets> {
  const styles: ChangingSheets = { lists: new Map(), texts: new Map(), hidden: new Set() }
  for (const path of archive.paths.filter((name) => name.endsWith('.css')).slice(0, maxSheets))
    addSheet(styles, await readSheet(archive, path))
  return styles
}

async function readSheet(archive: Archive, path: string): Promise<string> {
  try {
    return decodeMarkup(await archive.readPicture(path, maxSheetLength))
  } catch (error) {
    if (error instanceof FormatError) return ''
    throw error
  }
}

/** The style sheets with those in the `style` elements of a file. */
export function withOwnStyles(styles: StyleSheets, source: string): StyleSheets {
  const sheets: string[] = []
  let at = source.indexOf('<style')
  while (at >= 0 && sheets.length < maxSheets) {
    const end = source.indexOf('</style', at)
    if (end < 0) break
    sheets.push(source.slice(source.indexOf('>', at) + 1, end))
    at = source.indexOf('<style', end)
  }
  return withSheets(styles, sheets)
}

/** The style sheets with further ones. */
export function withSheets(styles: StyleSheets, sheets: readonly string[]): StyleSheets {
  if (sheets.length === 0) return styles
  const { lists, texts, hidden } = styles
  const all: ChangingSheets = { lists: new Map(lists), texts: new Map(texts), hidden: new Set(hidden) }
  for (const sheet of sheets.slice(0, maxSheets)) addSheet(all, sheet.slice(0, maxSheetLength))
  return all
}

function addSheet(styles: ChangingSheets, sheet: string): void {
  for (const { selectors, declarations, isNested } of rulesOf(withoutComments(sheet))) {
    // What a rule for some media hides, other media display.
    if (!isNested) addDisplay(styles, selectors, declarations)
    const type = listTypeOf(declarations)
    const style = textStyleOf(declarations)
    if (type === null && style === null) continue
    for (const one of selectors.split(',')) {
      const selector = one.trim()
      const list = type === null ? null : listSelector.exec(selector)
      if (list && type !== null) styles.lists.set(list[1] ?? `.${list[2] ?? ''}`, type)
      const name = style === null ? undefined : textSelector.exec(selector)?.[1]
      if (name !== undefined) styles.texts.set(name, { ...styles.texts.get(name), ...style })
    }
  }
}

function addDisplay({ hidden }: ChangingSheets, selectors: string, declarations: string): void {
  const display = displayed.exec(declarations)?.[1]?.toLowerCase()
  if (display === undefined) return
  for (const selector of selectors.split(',')) {
    const name = classSelector.exec(selector.trim())?.[1]
    if (name === undefined) continue
    if (display === 'none') hidden.add(name)
    else hidden.delete(name)
  }
}

function withoutComments(sheet: string): string {
  const [first = '', ...others] = sheet.split('/*')
  return first + others.map((part) => (part.includes('*/') ? part.slice(part.indexOf('*/') + 2) : '')).join('')
}

/** The rules of a style sheet, including those for some media only. */
function* rulesOf(sheet: string): Generator<{ selectors: string; declarations: string; isNested: boolean }> {
  let depth = 0
  for (const piece of sheet.split('}')) {
    depth = Math.max(0, depth + piece.split('{').length - 2)
    const at = piece.lastIndexOf('{')
    if (at <= 0) continue
    // After statements such as `@charset "utf-8";`.
    const from = Math.max(piece.lastIndexOf('{', at - 1), piece.lastIndexOf(';', at - 1)) + 1
    const selectors = piece.slice(from, at)
    yield { selectors, declarations: piece.slice(at + 1, at + 1 + maxDeclarations), isNested: depth > 0 }
  }
}

const displayed = /(?:^|[;\s])display\s*:\s*([a-z-]{1,30})/i
const fontStyle = /(?:^|[;\s])font-style\s*:\s*(italic|oblique|normal)/i
const fontWeight = /(?:^|[;\s])font-weight\s*:\s*(?:(bold|[6-9]00)|normal|[1-5]00)/i
const lineThrough = /(?:^|[;\s])text-decoration(?:-line)?\s*:[^;]{0,60}\bline-through/i
const verticalAlign = /(?:^|[;\s])vertical-align\s*:\s*(super|sub)\b/i
/** Large letters at the start of a chapter are decoration. */
const droppedCapital = /(?:^|[;\s])(?:float\s*:\s*(?:left|right)|font-size\s*:\s*(?:[2-9](?:\.\d+)?em|[2-9]\d\d%))/i

/** What declarations say about text; null if they say nothing. */
function textStyleOf(declarations: string): TextStyle | null {
  if (!/font-|text-decoration|vertical-align/i.test(declarations) || droppedCapital.test(declarations)) return null
  const style: TextStyle = {}
  const slope = fontStyle.exec(declarations)?.[1]
  if (slope !== undefined) style.italic = slope.toLowerCase() !== 'normal'
  const weight = fontWeight.exec(declarations)
  if (weight !== null) style.bold = weight[1] !== undefined
  if (lineThrough.test(declarations)) style.struck = true
  const script = verticalAlign.exec(declarations)?.[1]?.toLowerCase()
  if (script !== undefined) style.script = script === 'sub' ? 'sub' : 'sup'
  return Object.keys(style).length === 0 ? null : style
}

/** The style that the classes and the `style` attribute of an element give to its text; null if they give none. */
export function textStyleFor(
  styles: StyleSheets | undefined,
  attributes: Readonly<Record<string, string>>,
): TextStyle | null {
  const { class: classes = '', style: own } = attributes
  let style = own === undefined ? null : textStyleOf(own.slice(0, maxDeclarations))
  if (styles === undefined || styles.texts.size === 0 || classes === '') return style
  for (const name of classes.split(/\s+/)) {
    const named = styles.texts.get(name)
    if (named !== undefined) style = { ...named, ...style }
  }
  return style
}

/** True if the classes or the `style` attribute of an element say that it is not displayed. */
export function isHidden(
  styles: StyleSheets | undefined,
  { class: classes = '', style = '' }: Readonly<Record<string, string>>,
): boolean {
  const own = style === '' ? undefined : displayed.exec(style.slice(0, maxDeclarations))?.[1]
  if (own !== undefined) return own.toLowerCase() === 'none'
  if (styles === undefined || styles.hidden.size === 0 || classes === '') return false
  return classes.split(/\s+/).some((name) => styles.hidden.has(name))
}

/** The list type that style sheets give to classes; null if they give none. */
export function listTypeByClass(styles: StyleSheets | undefined, classes: string): string | null {
  if (styles === undefined || styles.lists.size === 0) return null
  const named = classes.split(/\s+/).map((name) => styles.lists.get(`.${name}`))
  return named.find((type) => type !== undefined) ?? styles.lists.get('ol') ?? null
}
