import sanitizeHtml from 'sanitize-html'

const alignments = ['align-center', 'align-right'] as const

/** Text elements with their allowed classes. */
const textElements: Record<string, readonly string[]> = {
  p: alignments,
  h2: [...levels(), ...alignments],
  h3: [...levels(), ...alignments],
  h4: [...levels(), ...alignments],
  h5: [...levels(), ...alignments],
  h6: [...levels(), ...alignments],
  ul: ['lettered'],
  ol: [],
  li: [],
  blockquote: [],
  pre: [],
  code: ['whole'],
  em: [],
  strong: [],
  s: [],
  sup: ['note-ref'],
  sub: [],
  kbd: [],
  br: [],
  hr: [],
  a: ['external', 'note-back'],
  div: ['scroll', 'formula', ...alignments],
  dl: [],
  dt: [],
  dd: [],
  details: [],
  summary: [],
  q: [],
  table: [],
  caption: [],
  thead: [],
  tbody: [],
  tr: [],
  th: alignments,
  td: alignments,
  figure: [],
  figcaption: [],
  section: ['notes'],
  mark: [],
  span: ['picture', 'katex', 'hljs-*'],
  img: ['figure'],
}

/** MathML Core without links, actions and annotations. */
const mathElements = [
  'math',
  'semantics',
  'mrow',
  'mi',
  'mn',
  'mo',
  'ms',
  'mtext',
  'mspace',
  'msup',
  'msub',
  'msubsup',
  'mfrac',
  'msqrt',
  'mroot',
  'mover',
  'munder',
  'munderover',
  'mtable',
  'mtr',
  'mtd',
  'mpadded',
  'mphantom',
  'mstyle',
  'menclose',
  'mmultiscripts',
  'mprescripts',
]
const mathAttributes = [
  'display',
  'mathvariant',
  'stretchy',
  'fence',
  'separator',
  'accent',
  'accentunder',
  'symmetric',
  'largeop',

  'movablelimits',
  'lspace',
  'rspace',
  'minsize',
  'maxsize',
  'width',
  'height',
  'depth',
  'voffset',
  'linethickness',
  'columnalign',
  'columnspacing',
  'rowspacing',
  'scriptlevel',
  'displaystyle',
  'notation',
]

function levels(): string[] {
  return [1, 2, 3, 4, 5, 6].map((level) => `level-${level}`)
}

/** Ids that rendering generates. */
const ownId = /^p-[\p{L}\p{N}-]{1,80}$/u

/** The URL path of a figure; see `figureAddress` of the reader. */
const figureAddress = /^\/books\/[\w%.-]{1,200}\/pages\/\d{1,9}\/figures\/[0-9a-f]{16}(?:\?v=\d{1,9})?$/

const options: sanitizeHtml.IOptions = {
  allowedTags: [...Object.keys(textElements), ...mathElements],
  allowedAttributes: {
    a: ['href', 'rel', 'id', 'aria-label'],
    img: ['src', 'alt', 'loading'],
    li: ['id', 'dir'],
    ol: ['start'],
    pre: ['tabindex', 'dir'],
    code: ['dir'],
    span: ['dir'],
    div: ['tabindex'],
    ...Object.fromEntries(['h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, ['id', 'dir']])),
    p: ['dir'],
    th: ['dir', 'colspan', 'rowspan'],
    td: ['dir', 'colspan', 'rowspan'],
    dt: ['dir'],
    dd: ['dir'],
    figure: ['dir'],
    details: ['open'],
    summary: ['dir'],
    ...Object.fromEntries(mathElements.map((name) => [name, mathAttributes])),
  },
  allowedClasses: Object.fromEntries(Object.entries(textElements).map(([name, classes]) => [name, [...classes]])),
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesAppliedToAttributes: ['href'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nonTextTags: ['script', 'style', 'textarea', 'option', 'annotation', 'annotation-xml', 'noscript'],
  nestingLimit: 200,
  // Allows pictures from this server only.
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !figureAddress.test(attribs['src'] ?? ''),
  parseStyleAttributes: false,
  transformTags: { '*': dropForeignIds, a: secureLink, mpadded: dropIncrements },
}

function dropForeignIds(tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const { id, ...rest } = attribs
  return { tagName, attribs: id !== undefined && ownId.test(id) ? { ...rest, id } : rest }
}

/** Labels that rendering generates for links to notes and back. */
const ownLabel = /^(?:Note|Back to reference) \d{1,6}$/

const pageOfBook = /^\.\/\d{1,6}$/

/**
 * Keeps links to a position on this page or to a page of the book; marks external links for the browser and the reader.
 */
function secureLink(tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const { attribs: kept } = dropForeignIds(tagName, attribs)
  if (!ownLabel.test(kept['aria-label'] ?? '')) delete kept['aria-label']
  const { href = '' } = kept
  if (href === '' || href.startsWith('#') || pageOfBook.test(href)) return { tagName, attribs: kept }
  return { tagName, attribs: { ...kept, rel: 'noopener noreferrer nofollow', class: 'external' } }
}

const sizeAttributes = ['width', 'height', 'depth', 'lspace', 'voffset']

/**
 * Removes the sizes of a padded part of a formula if they are increments, such as "+6pt". MathML Core takes them for
 * lengths, so the part would be drawn over its neighbours.
 */
function dropIncrements(tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  if (!sizeAttributes.some((name) => attribs[name]?.startsWith('+'))) return dropForeignIds(tagName, attribs)
  const kept = Object.entries(attribs).filter(([name]) => !sizeAttributes.includes(name))
  return dropForeignIds(tagName, Object.fromEntries(kept))
}

/** Reduces HTML to an allowlist of elements, attributes, classes and URLs. */
export function sanitise(html: string): string {
  return sanitizeHtml(html, options)
}
