import type { Attributes, Conversion, Leave } from './conversion.ts'
import { newBlock } from './blocks.ts'
import { buildFence, languageOf } from './build-fence.ts'
import { enterItem, enterLink, enterList, enterNote } from './container-elements.ts'
import { MathText } from './math-text.ts'
import { isNote } from './note-labels.ts'
import { enterCell, enterHead, enterRow, enterTable } from './table-elements.ts'

type Enter = (to: Conversion, attributes: Attributes, name: string) => Leave

const skipped: Enter = (to) => {
  to.skip()
  return null
}

const block: Enter = (to, attributes) => {
  to.writer.flush()
  if (isNote(attributes)) return enterNote(to, attributes)
  const { language } = to
  to.language = languageOf(attributes) ?? language
  return () => {
    to.writer.flush()
    to.language = language
  }
}

const heading: Enter = (to, _attributes, name) => {
  to.writer.flush()
  to.writer.heading = Number(name.slice(1))
  return () => {
    to.writer.flush()
    to.writer.heading = 0
  }
}

const span =
  (open: string, close: string, rewrite?: (inner: string) => string): Enter =>
  (to) => {
    to.writer.inline.open(open, close, rewrite)
    return () => to.writer.inline.close()
  }

const around =
  (before: string, after: string): Enter =>
  (to) => {
    to.writer.text(before)
    return () => to.writer.text(after)
  }

/** A raised or lowered text keeps its tag, which Markdown allows; a note reference is raised by itself. */
const script = (name: string): Enter =>
  span('', '', (inner) => (/^\[\^[^\]]+\]$/.test(inner) ? inner : `<${name}>${inner}</${name}>`))

const code: Enter = (to) => {
  to.writer.inline.openCode()
  return () => to.writer.inline.closeCode()
}

const pre: Enter = (to, attributes) => {
  to.writer.flush()
  to.pre = { text: '', language: languageOf(attributes) ?? to.language, lineEmpty: true }
  return () => {
    const fence = to.pre === null ? null : buildFence(to.pre.text, to.pre.language)
    to.pre = null
    if (fence !== null) to.writer.emit(fence)
  }
}

const quotation: Enter = (to) => {
  to.writer.enter('> ', '> ', false)
  return () => to.writer.leave()
}

const rule: Enter = (to) => {
  to.writer.flush()
  to.writer.emit(newBlock('text', '---'))
  return null
}

const lineBreak: Enter = (to) => {
  const { inline, heading: level } = to.writer
  if (level > 0) inline.text(' ')
  else if (inline.lineEmpty) to.writer.flush()
  else inline.lineBreak()
  return null
}

const picture: Enter = (to, attributes) => {
  to.pictures++
  const alt = (attributes.alt ?? '').trim().slice(0, 1_000)
  const says = !/^(?:image|cover|picture|figure|\W*|\S+\.(?:jpe?g|png|gif|svg|webp))$/i.test(alt)
  if (says) to.writer.text(`[Image: ${alt}]`)
  return null
}

const math: Enter = (to) => {
  const outer = to.math
  to.math = new MathText()
  return () => {
    to.math = outer
  }
}

const term: Enter = (to) => {
  to.writer.flush()
  to.writer.inline.open('**', '**')
  return () => {
    to.writer.flush()
    to.writer.inline.close()
  }
}

const definition: Enter = (to) => {
  to.writer.enter('  ', '- ', true)
  return () => to.writer.leave()
}

const named = (names: string, enter: Enter): [string, Enter][] => names.split(' ').map((name) => [name, enter])

const byName = new Map<string, Enter>([
  ...named('head script style template audio video rp annotation annotation-xml defs metadata iframe noembed', skipped),
  ...named('html body p div section article aside header footer main nav figure figcaption address details', block),
  ...named('summary center fieldset legend form hgroup caption text dl option title desc', block),
  ...named('h1 h2 h3 h4 h5 h6', heading),
  ...named('em i cite dfn var', span('*', '*')),
  ...named('strong b', span('**', '**')),
  ...named('del s strike', span('~~', '~~')),
  ...named('code kbd samp tt', code),
  ...named('pre listing', pre),
  ...named('ul ol menu dir', enterList),
  ...named('td th', enterCell),
  ...named('img image', picture),
  ['sup', script('sup')],
  ['sub', script('sub')],
  ['q', around('“', '”')],
  ['rt', around('(', ')')],
  ['blockquote', quotation],
  ['hr', rule],
  ['br', lineBreak],
  ['math', math],
  ['li', enterItem],
  ['dt', term],
  ['dd', definition],
  ['a', enterLink],
  ['table', enterTable],
  ['thead', enterHead],
  ['tr', enterRow],
])

/** What an element of XHTML does to the text; null when it does nothing. */
export function elementFor(name: string): Enter | undefined {
  return byName.get(name)
}
