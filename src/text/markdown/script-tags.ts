import type { RendererRule, StateInline, Token } from 'markdown-it'

/** Tags that importers write because Markdown has no equivalent. They have no attributes. */
const tag = /<(\/?)(sup|sub|kbd)>|<(br) ?\/?>/y

/** Parses `<sup>`, `<sub>`, `<kbd>` and `<br>`; every other tag stays text. */
export function scriptTag(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x3c) return false
  tag.lastIndex = state.pos
  const found = tag.exec(state.src)
  if (!found) return false
  const [whole, slash, pair, single] = found
  if (!silent) {
    if (single !== undefined) state.push('hardbreak', 'br', 0)
    else pushTag(state, `<${slash}${pair}>`)
  }
  state.pos += whole.length
  return true
}

/** The renderer rule for these tags. They are single tokens, because hostile text may contain one without the other. */
export const scriptTagRules: Record<string, RendererRule> = { script_tag: (tokens, at) => tokens[at]?.content ?? '' }

/** Adds a tag token to a line. */
export function pushTag(state: StateInline, tagText: string): void {
  state.push('script_tag', '', 0).content = tagText
}

/** The tokens of a superscript. */
export function raisedTokens({ Token: New }: { Token: typeof Token }, text: string): Token[] {
  const tokens = [new New('script_tag', '', 0), new New('text', '', 0), new New('script_tag', '', 0)]
  for (const [at, content] of ['<sup class="note-ref">', text, '</sup>'].entries())
    (tokens[at] as Token).content = content
  return tokens
}
