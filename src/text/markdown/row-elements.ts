const tag = /<(\/?)([a-z]+)[^>]*>/g
const tokenElements = new Set(['mi', 'mn', 'mo', 'ms', 'mtext'])
/** Matches a token element that contains an element. */
const nested = /<m(?:[ino]|s|text)(?:\s[^>]*)?><m/

/**
 * Replaces token elements that contain elements by rows. KaTeX writes `\overset{!}{=}` as `<mo><mover>…`, but token
 * elements may contain only text (MathML Core, section 3.2), so browsers would show the content side by side.
 */
export function writeRowElements(mathml: string): string {
  if (!nested.test(mathml)) return mathml
  const tags = [...mathml.matchAll(tag)]
  const open: number[] = []
  const rows = new Set<number>()
  for (const [at, [, slash = '']] of tags.entries()) {
    if (slash === '') {
      const parent = open.at(-1)
      if (parent !== undefined && tokenElements.has(tags[parent]?.[2] ?? '')) rows.add(parent)
      open.push(at)
    } else if (rows.has(open.pop() ?? -1)) rows.add(at)
  }
  let at = 0
  return mathml.replaceAll(tag, (...[whole = '', slash = '']: string[]) => (rows.has(at++) ? `<${slash}mrow>` : whole))
}
