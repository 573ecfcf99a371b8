// A link to the words that somebody selects on a page: it opens the page with these words marked.

import { toast } from './frame.js'
import { indexText, partsOf } from './passage-text.js'

/** As long as the links that the server makes, also for scripts whose letters take nine characters in a link. */
const maxLetters = 120
const maxEncodedLength = 360
const settleMs = 150

const article = document.querySelector('[data-page-text]')
const link = document.querySelector('a[data-passage]')

/**
 * The fragment of a link to the selected words, with their beginning if they are many. It goes on beyond the selection if the page has the
 * same words before, because a link leads to the first place that fits. Null if no letter or digit of the page is selected.
 * @returns {string | null}
 */
export function passageFragment() {
  const selection = getSelection()
  if (!article || !selection || selection.rangeCount === 0 || selection.isCollapsed) return null
  const range = selection.getRangeAt(0)
  if (!range.intersectsNode(article)) return null
  const { text, places } = indexText(article)
  const start = places.findIndex(({ node, offset }) => range.comparePoint(node, offset) >= 0)
  if (start < 0) return null
  const after = places.findIndex(({ node, end }, at) => at >= start && range.comparePoint(node, end) > 0)
  const selected = (after < 0 ? places.length : after) - start
  if (selected === 0) return null
  let length = distinctLength(text, start, Math.min(selected, maxLetters))
  for (;;) {
    const fragment = encodeURIComponent(wordsOf(places.slice(start, start + length)))
    if (fragment.length <= maxEncodedLength || length < 2) return `#quote=${fragment}`
    length = Math.floor(length * 0.8)
  }
}

/**
 * The smallest number of letters from `length` on that the page does not have before `start`; `length` if there is none up to the limit.
 * @param {string} text
 * @param {number} start
 * @param {number} length
 */
function distinctLength(text, start, length) {
  for (let longer = length; longer <= maxLetters; longer++)
    if (text.indexOf(text.slice(start, start + longer)) === start) return longer
  return length
}

/**
 * The words of these places on one line.
 * @param {import('./passage-text.js').Place[]} places
 */
function wordsOf(places) {
  const words = partsOf(places).map(({ node, from, to }) => node.data.slice(from, to))
  return words.join(' ').replace(/\s+/g, ' ').trim().toWellFormed()
}

if (link instanceof HTMLAnchorElement) offerLink(link)

/**
 * Shows the link while words are selected. Without access to the clipboard, as over plain http, it opens the passage instead of copying.
 * @param {HTMLAnchorElement} shared
 */
function offerLink(shared) {
  const address = shared.href
  const box = shared.parentElement
  if (navigator.clipboard) shared.lastChild?.replaceWith('Copy link to these words')
  let timer = 0
  document.addEventListener('selectionchange', () => {
    clearTimeout(timer)
    timer = window.setTimeout(() => {
      const fragment = passageFragment()
      if (fragment !== null) shared.href = address + fragment
      if (box) box.hidden = fragment === null
    }, settleMs)
  })
  // Pressing the link must not clear the selection.
  shared.addEventListener('mousedown', (event) => event.preventDefault())
  shared.addEventListener('click', (event) => {
    if (!navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    if (box) box.hidden = true
    navigator.clipboard.writeText(shared.href).then(
      () => toast('Link copied. It opens this page with the words marked, for those who may read the book.'),
      () => location.assign(shared.href),
    )
  })
}
