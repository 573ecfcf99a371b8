// Scrolls to the passage in `#quote=` and highlights it.

import { indexText, partsOf, significant } from './passage-text.js'

const maxQuoteLength = 2000
/** Minimum length of a matching prefix if the rest of the quote differs. */
const minPartLength = 16

/**
 * Removes from a quote what is not displayed as text: link targets, note references, tags.
 * @param {string} quote
 */
function readable(quote) {
  return quote
    .replace(/\]\([^)\s]{0,2000}(?:\s+"[^"]{0,200}")?\)/g, ']')
    .replace(/\[\^[^\]\s]{1,60}\]/g, '')
    .replace(/<\/?(?:sup|sub|kbd|br)\s?\/?>/g, '')
}

/**
 * The position of a quote: of all of it, otherwise of the longest prefix found by binary search; null if there is none.
 * @param {string} text
 * @param {string} quote
 */
function locate(text, quote) {
  for (let length = quote.length; length >= Math.min(minPartLength, quote.length) && length > 0;) {
    const start = text.indexOf(quote.slice(0, length))
    if (start >= 0) return { start, end: start + length }
    if (length === Math.min(minPartLength, quote.length)) return null
    length = Math.max(Math.min(minPartLength, quote.length), Math.floor(length * 0.75))
  }
  return null
}

function unmark() {
  for (const element of document.querySelectorAll('mark.quoted')) {
    const parent = element.parentNode
    element.replaceWith(...element.childNodes)
    parent?.normalize()
  }
}

/**
 * Highlights the characters from the first to the last place in each text node.
 * @param {import('./passage-text.js').Place[]} places
 */
function mark(places) {
  return partsOf(places).map(({ node, from, to }) => {
    const range = document.createRange()
    range.setStart(node, from)
    range.setEnd(node, to)
    const element = document.createElement('mark')
    element.className = 'quoted'
    range.surroundContents(element)
    return element
  })
}

/** @param {string} text */
function say(text) {
  let status = document.querySelector('[data-quote-status]')
  if (!status) {
    status = document.createElement('p')
    status.className = 'reader-note'
    status.setAttribute('role', 'status')
    status.setAttribute('data-quote-status', '')
    document.querySelector('[data-page-text]')?.before(status)
  }
  status.textContent = text
}

function showQuote() {
  unmark()
  document.querySelector('[data-quote-status]')?.remove()
  const article = document.querySelector('[data-page-text]')
  const encoded = /^#quote=(.*)$/s.exec(location.hash)?.[1]
  if (!article || encoded === undefined) return
  const quote = significant(readable(decode(encoded).slice(0, maxQuoteLength)))
  if (quote === '') return
  const { text, places } = indexText(article)
  const found = locate(text, quote)
  if (!found) {
    say('This version of the page does not contain the quotation.')
    return
  }
  const [first] = mark(places.slice(found.start, found.end))
  first?.scrollIntoView({ block: 'center' })
  first?.setAttribute('tabindex', '-1')
  first?.focus({ preventScroll: true })
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

addEventListener('hashchange', showQuote)
showQuote()
