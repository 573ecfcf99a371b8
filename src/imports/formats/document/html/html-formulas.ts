import type { Attributes } from '../../epub/conversion.ts'
import { elementsOf, newElement, parseMarkup, textOfMarkup, type MarkupElement } from './markup-tree.ts'
import { environment, findDelimited, type Delimiters } from './delimited-formulas.ts'

/** How the scripts of a page render its formulas. */
interface PageMath {
  /** True if `script` elements contain the formulas (MathJax 2), so that the displayed ones are copies. */
  hasSources: boolean
  /** The delimiters that the scripts search for in text; null if the page loads neither MathJax nor KaTeX. */
  delimiters: Delimiters | null
}

/** How many characters of a script are searched. */
const maxScript = 20_000
const texScript = /^math\/tex/i
const texAnnotation = /^(?:application\/x-tex|tex|latex)$/i
const mathJaxCopy = /(?:^|\s)(?:MathJax(?:_Display|_SVG|_SVG_Display|_CHTML|_Preview)?|mjx-chtml|MJXc-display)(?:\s|$)/
const texHolder = /(?:^|\s)(?:math|arithmatex|math-container|mathjax-block|mathjax-inline)(?:\s|$)/
const texPicture = /(?:^|\s)(?:math|latex|tex|mwe-math-fallback-image-\w+)(?:\s|$)/
const noFormulas = /^(?:script|style|pre|code|textarea|math|svg|head)$/

/**
 * Replaces the formulas of a page by MathML that contains their TeX, without duplicates. Supports MathJax 2 to 4,
 * KaTeX, MediaWiki, Pandoc and Sphinx, and text between delimiters if the page loads MathJax or KaTeX. Takes linear
 * time.
 */
export function replaceFormulas(root: MarkupElement): void {
  const page = readScripts(root)
  const waiting = [root]
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    const children: MarkupElement['children'] = []
    for (const child of joinTexts(element.children)) {
      if (typeof child === 'string') {
        children.push(...(page.delimiters === null ? [child] : findDelimited(child, page.delimiters).map(asNode)))
        continue
      }
      const replaced = replacement(child, page)
      if (replaced === null) continue
      children.push(replaced)
      const isIgnored = /(?:^|\s)(?:tex2jax|mathjax)_ignore(?:\s|$)/.test(child.attributes['class'] ?? '')
      if (replaced === child && !noFormulas.test(child.name) && !isIgnored) waiting.push(child)
    }
    element.children = children
  }
}

function readScripts(root: MarkupElement): PageMath {
  let [hasSources, isLoaded, hasDollars] = [false, false, false]
  for (const { name, attributes, children } of elementsOf(root)) {
    if (name !== 'script') continue
    hasSources ||= texScript.test(attributes['type'] ?? '')
    const text = children
      .filter((child) => typeof child === 'string')
      .join('')
      .slice(0, maxScript)
    isLoaded ||= /mathjax|katex/i.test(attributes['src'] ?? '') || /MathJax|renderMathInElement/.test(text)
    hasDollars ||= /inlineMath[^\n]{0,80}["']\$["']|left\s*:\s*["']\$["']/.test(text)
  }
  return { hasSources, delimiters: isLoaded ? (hasDollars ? 'dollars' : 'usual') : null }
}

/** Joins adjacent texts: entities split texts, and formulas contain many. */
function joinTexts(children: MarkupElement['children']): MarkupElement['children'] {
  const joined: MarkupElement['children'] = []
  let texts: string[] = []
  for (const child of [...children, null]) {
    if (typeof child === 'string') {
      texts.push(child)
      continue
    }
    if (texts.length > 0) joined.push(texts.join(''))
    texts = []
    if (child !== null) joined.push(child)
  }
  return joined
}

function asNode(part: string | { tex: string; isDisplayed: boolean }): MarkupElement | string {
  return typeof part === 'string' ? part : formula(part.tex, part.isDisplayed)
}

/** The replacement of an element: the element itself, a formula, or null to remove it. */
function replacement(element: MarkupElement, page: PageMath): MarkupElement | null {
  const { name, attributes } = element
  const classes = attributes['class'] ?? ''
  if (name === 'script') return texScript.test(attributes['type'] ?? '') ? fromScript(element) : element
  if (name === 'mjx-container' || /(?:^|\s)(?:katex|katex-display|mwe-math-element)(?:\s|$)/.test(classes))
    return fromRendered(element)
  if (mathJaxCopy.test(classes)) return page.hasSources ? null : fromRendered(element)
  if (name === 'img') return fromPicture(element, false)
  return texHolder.test(classes) ? fromHolder(element, page) : element
}

function fromScript({ attributes, children }: MarkupElement): MarkupElement {
  return formula(
    children.filter((child) => typeof child === 'string').join(''),
    /display/i.test(attributes['type'] ?? ''),
  )
}

/** The formula of a rendered element: its TeX or MathML for screen readers, without the visual copy. */
function fromRendered(element: MarkupElement): MarkupElement | null {
  const isDisplayed = /(?:^|[\s_-])display(?:\s|$)/i.test(element.attributes['class'] ?? '')
  const display = isDisplayed || element.attributes['display'] === 'true'
  let spoken = ''
  for (const found of elementsOf(element)) {
    const { name, attributes } = found
    if (name === 'math') return fromMathml(found, display)
    const source = attributes['data-mathml']
    const parsed =
      source === undefined ? undefined : [...elementsOf(parseMarkup(source))].find((one) => one.name === 'math')
    if (parsed !== undefined) return fromMathml(parsed, display)
    if (attributes['data-latex'] !== undefined) return formula(attributes['data-latex'], display)
    if (name === 'img' && attributes['alt'] !== undefined) return fromPicture(found, display)
    spoken ||= attributes['data-semantic-speech'] ?? attributes['aria-label'] ?? ''
  }
  if (element.name === 'mjx-container') return spoken === '' ? null : { ...newElement('span', {}), children: [spoken] }
  for (const { attributes } of elementsOf(element)) delete (attributes as Record<string, string>)['aria-hidden']
  return element
}

function fromMathml(math: MarkupElement, isDisplayed: boolean): MarkupElement {
  const display = isDisplayed || math.attributes['display'] === 'block'
  for (const found of elementsOf(math))
    if (found.name === 'annotation' && texAnnotation.test(found.attributes['encoding'] ?? ''))
      return formula(found.children.filter((child) => typeof child === 'string').join(''), display)
  return { ...math, attributes: { ...math.attributes, ...(display ? { display: 'block' } : {}) } }
}

/** The formula of a picture, which has its TeX as alternative text. */
function fromPicture(picture: MarkupElement, isDisplayed: boolean): MarkupElement {
  const { class: classes = '', alt = '' } = picture.attributes
  if (!texPicture.test(classes) || alt.trim() === '') return picture
  return formula(alt, isDisplayed || /display/.test(classes))
}

/**
 * The formula of an element whose text is one formula, with delimiters, or without them if a library searches for that
 * element.
 */
function fromHolder(element: MarkupElement, page: PageMath): MarkupElement {
  const { attributes, children, name } = element
  const isBlock = name === 'div' || name === 'p' || /(?:^|\s)display(?:\s|$)/.test(attributes['class'] ?? '')
  if (children.some((child) => typeof child !== 'string' && child.name !== 'br')) {
    const pictures = [...elementsOf(element)].filter((found) => found.name === 'img')
    const [only] = pictures
    if (only === undefined || pictures.length > 1 || textOfMarkup(element) !== '') return element
    return formula(only.attributes['alt'] ?? '', isBlock)
  }
  const text = children.filter((child) => typeof child === 'string').join(' ')
  const parts = findDelimited(text.trim(), 'dollars')
  const [part] = parts
  if (parts.length === 1 && typeof part === 'object') return formula(part.tex, part.isDisplayed || isBlock)
  const isBare = parts.length === 1 && /(?:^|\s)(?:inline|display)(?:\s|$)/.test(attributes['class'] ?? '')
  return isBare && page.delimiters !== null ? formula(text, isBlock) : element
}

/** MathML that contains only TeX. */
function formula(source: string, isDisplayed: boolean): MarkupElement {
  const stripped = source
    .replace(/^\s*(?:<!\[CDATA\[|%\s*<!\[CDATA\[)|(?:%\s*)?\]\]>\s*$/g, '')
    .replace(/\\(?:label|tag\*?)\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])/g, '')
    .trim()
  const tex = environment(stripped)
  const annotation = { ...newElement('annotation', { encoding: 'application/x-tex' }), children: [tex] }
  const attributes: Attributes = { alttext: tex, ...(isDisplayed ? { display: 'block' } : {}) }
  return { ...newElement('math', attributes), children: [{ ...newElement('semantics', {}), children: [annotation] }] }
}
