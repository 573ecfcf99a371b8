import type { Attributes, Conversion, Leave } from './conversion.ts'
import { newBlock } from './blocks.ts'
import { buildFence, languageOf } from './build-fence.ts'
import { enterItem, enterLink, enterList, enterNote, enterNoteList, isReferencedNote } from './container-elements.ts'
import { MathBuilder } from '../math/build-math.ts'
import { mathToLatex } from '../math/to-latex.ts'
import { isNote, isNoteNumber } from './note-labels.ts'
import { enterCaption, enterFigure, enterPicture } from './picture-elements.ts'
import { textStyleFor, type TextStyle } from './style-sheets.ts'
import { enterCell, enterTableHead, enterRow, enterTable } from './table-elements.ts'

type EnterHandler = (converter: Conversion, attributes: Attributes, name: string) => Leave

const enterSkipped: EnterHandler = (converter) => {
  converter.leaveOut()
  return null
}

const enterBlock: EnterHandler = (converter, attributes, name) => {
  converter.writer.flush()
  const canBeNote = name === 'p' || name === 'div' || name === 'aside'
  const isPart = converter.options.note !== undefined
  if (attributes['id'] !== undefined && isNote(attributes) && !isPart) return enterNote(converter, attributes)
  if (canBeNote && isReferencedNote(converter, attributes)) return enterNote(converter, attributes)
  const { language } = converter
  converter.language = languageOf(attributes) ?? language
  const endNotes = enterNoteList(converter, attributes)
  return () => {
    converter.writer.flush()
    converter.language = language
    endNotes?.()
  }
}

const enterHeading: EnterHandler = (converter, _attributes, name) => {
  converter.writer.flush()
  converter.writer.headingLevel = Number(name.slice(1))
  return () => {
    converter.writer.flush()
    converter.writer.headingLevel = 0
  }
}

const enterSpan =
  (open: string, close: string, rewrite?: (inner: string) => string): EnterHandler =>
  (converter) => {
    converter.writer.inline.open(open, close, rewrite)
    return () => converter.writer.inline.close()
  }

const enterSurrounded =
  (before: string, after: string): EnterHandler =>
  (converter) => {
    converter.writer.text(before)
    return () => converter.writer.text(after)
  }

/** Superscript and subscript keep their tags, which Markdown allows. Note references need no tags and no brackets. */
const enterScript = (name: string): EnterHandler =>
  enterSpan('', '', (inner) => {
    if (inner.trim() === '') return inner
    return referencesOnly.test(inner) ? withoutBrackets(inner) : `<${name}>${inner}</${name}>`
  })

/** Text that a style sheet raises or lowers; longer text is a note in place. */
const enterStyledScript = (name: string): EnterHandler =>
  enterSpan('', '', (inner) => {
    if (referencesOnly.test(inner)) return withoutBrackets(inner)
    return /^.{1,40}$/u.test(inner) ? `<${name}>${inner}</${name}>` : inner
  })

const referencesOnly = /^[[(]?\[\^[^[\]]{1,60}\](?:[\s,;\u2013-]{0,3}\[\^[^[\]]{1,60}\]){0,20}\\?[\])]?$/

function withoutBrackets(references: string): string {
  return references.replace(/^[[(](?=\[\^)/, '').replace(/(?<=\])\\?[\])]$/, '')
}

const enterItalic = enterSpan('*', '*')
const enterBold = enterSpan('**', '**')
const enterStruck = enterSpan('~~', '~~')

/** Enters an element whose text has a usual style, unless style sheets or its attributes give it another one. */
const enterStyled =
  (usual: TextStyle, enterUsual: EnterHandler): EnterHandler =>
  (converter, attributes, name) => {
    const own = textStyleFor(converter.options.styles, attributes)
    if (own === null) return enterUsual(converter, attributes, name)
    // The look of headings is not emphasis.
    const shown = converter.writer.headingLevel > 0 ? { script: own.script } : own
    const { italic, bold, struck, script } = { ...usual, ...shown }
    const enter = [bold && enterBold, italic && enterItalic, struck && enterStruck, script && enterStyledScript(script)]
    const leave = enter.flatMap((handler) => (handler ? [handler(converter, attributes, name)] : []))
    return leave.length === 0 ? null : () => leave.forEach((end) => end?.())
  }

const enterPlain = enterStyled({}, () => null)

/** Skips the number of a note, which is already its label, and KaTeX's visual output, which duplicates its MathML. */
const enterSpanElement: EnterHandler = (converter, attributes, name) => {
  if (attributes['class'] === undefined && attributes['style'] === undefined) return null
  const isRenderedFormula = attributes['class'] === 'katex-html' && attributes['aria-hidden'] === 'true'
  if (!isRenderedFormula && (converter.noteDepth === 0 || !isNoteNumber(attributes)))
    return enterPlain(converter, attributes, name)
  converter.leaveOut()
  return null
}

const enterCode: EnterHandler = (converter) => {
  converter.writer.inline.openCode()
  return () => converter.writer.inline.closeCode()
}

const enterPre: EnterHandler = (converter, attributes) => {
  converter.writer.flush()
  converter.pre = { text: '', language: languageOf(attributes) ?? converter.language, lineEmpty: true }
  return () => {
    const fence = converter.pre === null ? null : buildFence(converter.pre.text, converter.pre.language)
    converter.pre = null
    if (fence !== null) converter.writer.emit(fence)
  }
}

const enterQuotation: EnterHandler = (converter) => {
  converter.writer.enter('> ', '> ', false)
  return () => converter.writer.leave()
}

const enterRule: EnterHandler = (converter) => {
  converter.writer.flush()
  // The rule between a text and its notes.
  if (converter.noteListDepth > 0) return null
  converter.writer.emit(newBlock('text', '---'))
  return null
}

const enterLineBreak: EnterHandler = (converter) => {
  const { inline, headingLevel } = converter.writer
  if (headingLevel > 0) inline.text(' ')
  else if (inline.lineEmpty) converter.writer.flush()
  else inline.lineBreak()
  return null
}

/** Writes a formula as LaTeX between dollar signs, as a block if it is displayed. */
const enterMath: EnterHandler = (converter, attributes) => {
  const math = new MathBuilder(attributes)
  converter.math = math
  return () => {
    converter.math = null
    const latex = mathToLatex(math)
    if (latex === null) converter.writer.text(math.root.attributes['alttext'] ?? math.plainText)
    else if (attributes['display'] === 'block') converter.writer.displayFormula(latex)
    else converter.writer.inline.formula(latex)
  }
}

/** Writes the check box of a task at the start of a list item, like GitHub Flavored Markdown. */
const enterInput: EnterHandler = (converter, attributes) => {
  const { lists, writer } = converter
  if (attributes['type']?.toLowerCase() !== 'checkbox' || lists.length === 0) return null
  if (!writer.hasText && writer.inline.length === 0) writer.text(attributes['checked'] === undefined ? '[ ] ' : '[x] ')
  return null
}

const enterTerm: EnterHandler = (converter, attributes) => {
  converter.writer.flush()
  if (isNoteNumber(attributes) && isReferencedNote(converter, attributes)) {
    converter.pendingNote = attributes['id'] ?? null
    converter.leaveOut()
    return null
  }
  converter.writer.inline.open('**', '**')
  return () => {
    converter.writer.flush()
    converter.writer.inline.close()
  }
}

const enterDefinition: EnterHandler = (converter) => {
  const { pendingNote } = converter
  converter.pendingNote = null
  if (pendingNote !== null) return enterNote(converter, { id: pendingNote })
  converter.writer.enter('  ', '- ', true)
  return () => converter.writer.leave()
}

/** Enters a choice between markup for different reading systems (EPUB 3.0, content documents, 2.1.3). */
const enterSwitch: EnterHandler = (converter) => {
  const { hasCase } = converter
  converter.hasCase = false
  return () => {
    converter.hasCase = hasCase
  }
}

const readNamespaces = /^(?:http:\/\/www\.w3\.org\/(?:1998\/Math\/MathML|1999\/xhtml))?$/

const enterCase: EnterHandler = (converter, attributes, name) => {
  const isRead = !converter.hasCase && readNamespaces.test(attributes['required-namespace'] ?? '')
  if (!isRead) return enterSkipped(converter, attributes, name)
  converter.hasCase = true
  return null
}

const enterDefault: EnterHandler = (converter, attributes, name) =>
  converter.hasCase ? enterSkipped(converter, attributes, name) : null

const handlersFor = (names: string, enter: EnterHandler): [string, EnterHandler][] =>
  names.split(' ').map((name) => [name, enter])

const handlers = new Map<string, EnterHandler>([
  ...handlersFor(
    'head script style template audio video rp annotation annotation-xml defs metadata iframe noembed',
    enterSkipped,
  ),
  ...handlersFor('html body p div section article aside header footer main nav address details', enterBlock),
  ...handlersFor('summary center fieldset legend form hgroup caption text dl option title desc', enterBlock),
  ...handlersFor('h1 h2 h3 h4 h5 h6', enterHeading),
  ...handlersFor('em i cite dfn var', enterStyled({ italic: true }, enterItalic)),
  ...handlersFor('strong b', enterStyled({ bold: true }, enterBold)),
  ...handlersFor('del s strike', enterStyled({ struck: true }, enterStruck)),
  ...handlersFor('code kbd samp tt', enterCode),
  ...handlersFor('pre listing', enterPre),
  ...handlersFor('ul ol menu dir', enterList),
  ...handlersFor('td th', enterCell),
  ...handlersFor('img image', enterPicture),
  ['switch', enterSwitch],
  ['case', enterCase],
  ['default', enterDefault],
  ['span', enterSpanElement],
  ['sup', enterScript('sup')],
  ['sub', enterScript('sub')],
  ['q', enterSurrounded('“', '”')],
  ['rt', enterSurrounded('(', ')')],
  ['blockquote', enterQuotation],
  ['hr', enterRule],
  ['br', enterLineBreak],
  ['figure', enterFigure],
  ['figcaption', enterCaption],
  ['math', enterMath],
  ['input', enterInput],
  ['li', enterItem],
  ['dt', enterTerm],
  ['dd', enterDefinition],
  ['a', enterLink],
  ['table', enterTable],
  ['thead', enterTableHead],
  ['tr', enterRow],
])

/** The handler of an XHTML element, or undefined for an element that does not affect the text. */
export function handlerFor(name: string): EnterHandler | undefined {
  return handlers.get(name)
}
