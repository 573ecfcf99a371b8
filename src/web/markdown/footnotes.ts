import type { RendererRule, StateCore, StateInline, Token } from 'markdown-it'
import { pushTag, raisedTokens } from '../../text/markdown/script-tags.ts'

/**
 * Links notes and references of a page to each other. Ids begin with `p-`, a prefix that the surrounding page does not
 * use. The labels tell screen readers where a number or an arrow leads; see `sanitise`.
 */
export const noteRules: Record<string, RendererRule> = {
  footnote_ref: (tokens, at) => {
    const { number, repeat } = placeOf(tokens[at])
    const id = repeat === 0 ? `p-ref-${number}` : `p-ref-${number}-${repeat}`
    return `<sup class="note-ref"><a href="#p-note-${number}" id="${id}" aria-label="Note ${number}">${number}</a></sup>`
  },
  footnote_block_open: () => '<section class="notes"><ol>\n',
  footnote_block_close: () => '</ol></section>\n',
  footnote_open: (tokens, at) => `<li id="p-note-${placeOf(tokens[at]).number}" dir="auto">`,
  footnote_close: () => '</li>\n',
  footnote_anchor: (tokens, at) => {
    const { number, repeat } = placeOf(tokens[at])
    // A note with several references needs only one link back.
    return repeat === 0
      ? ` <a href="#p-ref-${number}" class="note-back" aria-label="Back to reference ${number}">↩</a>`
      : ''
  },
}

function placeOf(token: Token | undefined): { number: number; repeat: number } {
  const { id, subId } = (token?.meta ?? {}) as { id?: number; subId?: number }
  return { number: (id ?? 0) + 1, repeat: subId ?? 0 }
}

const reference = /\[\^([^\]\s]{1,60})\]/y

/** Renders a reference whose note is on another page as a raised number without a link. */
export function strayNoteReference(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x5b || state.src.charCodeAt(state.pos + 1) !== 0x5e) return false
  reference.lastIndex = state.pos
  const found = reference.exec(state.src)
  if (!found) return false
  if (!silent) {
    pushTag(state, '<sup class="note-ref">')
    state.push('text', '', 0).content = found[1] ?? ''
    pushTag(state, '</sup>')
  }
  state.pos += found[0].length
  return true
}

interface KnownNotes {
  refs?: Record<string, number>
}

/** Keeps notes without a reference on the page in place, with their label; the plugin would drop them. */
export function keepLooseNotes(state: StateCore): void {
  const { refs = {} } = (state.env['footnotes'] ?? {}) as KnownNotes
  let loose: string | null = null
  state.tokens = state.tokens.filter((token) => {
    if (token.type === 'footnote_reference_open') {
      const { label } = token.meta as { label: string }
      loose = refs[`:${label}`] === -1 ? label : null
      return loose === null
    }
    if (token.type === 'footnote_reference_close' && loose !== null) {
      loose = null
      return false
    }
    if (loose !== null && token.type === 'inline') {
      token.children?.unshift(...labelTokens(state, loose))
      loose = ''
    }
    return true
  })
}

function labelTokens(state: StateCore, label: string): Token[] {
  if (label === '') return []
  const space = new state.Token('text', '', 0)
  space.content = ' '
  return [...raisedTokens(state, label), space]
}
