// The text of a page as `#quote=` compares it: only letters and digits, so line ends, hyphens, quotation marks and Markdown between
// words do not matter.

const insignificant = /[^\p{L}\p{N}]/gu

/** @typedef {{ node: Text, offset: number, end: number }} Place */

/**
 * The letters and digits of a text, normalized.
 * @param {string} text
 */
export function significant(text) {
  return text.normalize('NFKC').toLowerCase().replace(insignificant, '')
}

/** @param {Node} node */
function isSkipped(node) {
  return node.parentElement?.closest('.note-ref, .note-back') !== null
}

/**
 * The letters and digits of an element, and for each the text node and offset that it comes from.
 * @param {Element} element
 */
export function indexText(element) {
  /** @type {Place[]} */
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
 * The parts of text nodes from the first to the last of these places, with what is between them.
 * @param {readonly Place[]} places
 */
export function partsOf(places) {
  /** @type {Map<Text, { from: number, to: number }>} */
  const parts = new Map()
  for (const { node, offset, end } of places) {
    const part = parts.get(node)
    if (part) part.to = end
    else parts.set(node, { from: offset, to: end })
  }
  const last = parts.size - 1
  return [...parts].map(([node, { from, to }], at) => ({
    node,
    from: at === 0 ? from : 0,
    to: at === last ? to : node.data.trimEnd().length,
  }))
}
