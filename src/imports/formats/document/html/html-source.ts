import { replay, type MarkupElement } from './markup-tree.ts'

/** Elements that have no content. */
const voidElements = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/
/** Elements whose content is not markup, and none of the text. */
const rawElements = /^(?:iframe|noembed|noframes|script|style|template|textarea|xmp)$/
const validName = /^[a-z][\w:.-]*$/i

/** An element and its content as XHTML, except for what `isLeftOut` excludes. */
export function sourceOf(main: MarkupElement, isLeftOut: (child: MarkupElement) => boolean): string {
  const parts: string[] = []
  const open: (string | null)[] = []
  replay(
    main,
    {
      onopentag(name, attributes) {
        const isVoid = voidElements.test(name)
        open.push(isVoid || !validName.test(name) ? null : name)
        if (!validName.test(name)) return
        const values = Object.entries(attributes).filter(([key]) => validName.test(key))
        parts.push(
          `<${name}${values.map(([key, value]) => ` ${key}="${escape(value)}"`).join('')}${isVoid ? '/>' : '>'}`,
        )
      },
      ontext: (text) => parts.push(escape(text)),
      onclosetag() {
        const name = open.pop()
        if (typeof name === 'string') parts.push(`</${name}>`)
      },
    },
    (child) => rawElements.test(child.name) || isLeftOut(child),
  )
  return parts.join('')
}

const references: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }),
)

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => references.get(character) ?? character)
}
