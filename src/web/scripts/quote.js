// Scrolls to the passage in `#quote=` and highlights it. Only letters and digits are compared, so line ends, hyphens,
// quotation marks and Markdown between its words do not matter.

const maxQuoteLength = 2000
/** Minimum length of a matching prefix if the rest of the quote differs. */
const minPartLength = 16
const insignificant = /[^\p{L}\p{N}]/gu

/**
 * The letters and digits of a text, normalized.
 * @param {string} text
 */
function significant(text) {
  return text.normalize('NFKC').toLowerCase().replace(insignificant, '')
}

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

/** @param {Node} node */
function isSkipped(node) {
  return node.parentElement?.closest('.note-ref, .note-back') !== null
}

/**
 * The letters and digits of an element, and for each the text node and offset that it comes from.
 * @param {Element} element
 */
function indexText(element) {
  /** @type {{ node: Text, offset: number, end: number }[]} */
  const places = []
  let text = ''
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Text) || isSkipped(node)) continue
    let offset = 0
    for (const character of node.data) {
      const letters = significant(character)
      for (let i = 0; i < letters.length; i++) places.push({ node, offset, end: offset + character.length })
      text += letters
      offset += character.length
    }
  }
  return { text, places }
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
 * Highlights the characters from `start` to `end` in each text node.
 * @param {{ node: Text, offset: number, end: number }[]} places
 */
function mark(places) {
  /** @type {Map<Text, { from: number, to: number }>} */
  const parts = new Map()
  for (const { node, offset, end } of places) {
    const part = parts.get(node)
    if (part) part.to = end
    else parts.set(node, { from: offset, to: end })
  }
  // Text between the first and the last letter belongs to the passage, too.
  const last = parts.size - 1
  return [...parts].map(([node, { from, to }], at) => {
    const range = document.createRange()
    range.setStart(node, at === 0 ? from : 0)
    range.setEnd(node, at === last ? to : node.data.trimEnd().length)
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
