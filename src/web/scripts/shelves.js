// Shelves: reordering by drag and by keyboard. The same form saves a move as without JavaScript.
import { csrfToken, toast } from './frame.js'

/** @typedef {{ row: HTMLElement, before: number }} Lifted */

const list = document.querySelector('[data-shelves]')
const news = document.querySelector('[data-order-news]')
if (list instanceof HTMLElement) begin(list)

/** @param {HTMLElement} shelves */
function begin(shelves) {
  const help = document.querySelector('[data-order-help]')
  if (help instanceof HTMLElement) help.hidden = false
  for (const row of rowsOf(shelves)) {
    const grip = row.querySelector('[data-grip]')
    if (!(grip instanceof HTMLElement)) continue
    grip.hidden = false
    withKeyboard(shelves, row, grip)
    withPointer(shelves, row, grip)
  }
}

/**
 * @param {HTMLElement} shelves
 * @returns {HTMLElement[]}
 */
function rowsOf(shelves) {
  return Array.from(shelves.querySelectorAll('[data-shelf]')).filter((row) => row instanceof HTMLElement)
}

/**
 * @param {HTMLElement} shelves
 * @param {HTMLElement} row
 * @param {HTMLElement} grip
 */
function withKeyboard(shelves, row, grip) {
  /** @type {number | null} The position before it was lifted. */
  let before = null
  const put = () => {
    if (before === null) return
    setLifted(row, grip, false)
    const from = before
    before = null
    say(`${nameOf(row)} is ${placeOf(shelves, row)}.`)
    if (rowsOf(shelves).indexOf(row) !== from) void save(shelves, row, from)
  }
  grip.addEventListener('keydown', (event) => {
    if (event.key === ' ' || event.key === 'Enter') {
      event.preventDefault()
      if (before !== null) return put()
      before = rowsOf(shelves).indexOf(row)
      setLifted(row, grip, true)
      say(`${nameOf(row)} lifted, ${placeOf(shelves, row)}. Move it with the arrow keys.`)
    } else if (before !== null && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault()
      moveTo(shelves, row, rowsOf(shelves).indexOf(row) + (event.key === 'ArrowUp' ? -1 : 1))
      grip.focus()
      say(placeOf(shelves, row))
    } else if (before !== null && event.key === 'Escape') {
      moveTo(shelves, row, before)
      grip.focus()
      setLifted(row, grip, false)
      before = null
      say(`Not moved. ${nameOf(row)} is ${placeOf(shelves, row)}.`)
    }
  })
  // Moving an element removes the focus from it for a moment.
  grip.addEventListener('blur', () => setTimeout(() => document.activeElement === grip || put()))
}

/**
 * @param {HTMLElement} shelves
 * @param {HTMLElement} row
 * @param {HTMLElement} grip
 */
function withPointer(shelves, row, grip) {
  grip.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    event.preventDefault()
    const before = rowsOf(shelves).indexOf(row)
    const controller = new AbortController()
    const { signal } = controller
    setLifted(row, grip, true)
    /** @param {boolean} keep */
    const end = (keep) => {
      controller.abort()
      setLifted(row, grip, false)
      if (!keep) moveTo(shelves, row, before)
      else if (rowsOf(shelves).indexOf(row) !== before) void save(shelves, row, before)
    }
    document.addEventListener('pointermove', ({ clientY }) => follow(shelves, row, clientY), { signal })
    document.addEventListener('pointerup', () => end(true), { signal })
    document.addEventListener('pointercancel', () => end(false), { signal })
  })
}

/**
 * Moves a row to the pointer: before the first other row whose middle is below it.
 *
 * @param {HTMLElement} shelves
 * @param {HTMLElement} row
 * @param {number} y
 */
function follow(shelves, row, y) {
  const others = rowsOf(shelves).filter((other) => other !== row)
  const below = others.findIndex((other) => {
    const { top, height } = other.getBoundingClientRect()
    return y < top + height / 2
  })
  const place = below < 0 ? others.length : below
  if (rowsOf(shelves).indexOf(row) !== place) moveTo(shelves, row, place)
}

/**
 * @param {HTMLElement} shelves
 * @param {HTMLElement} row
 * @param {number} place
 */
function moveTo(shelves, row, place) {
  const others = rowsOf(shelves).filter((other) => other !== row)
  const next = others[Math.max(0, Math.min(place, others.length))] ?? null
  shelves.insertBefore(row, next)
}

/**
 * Saves the new position of a row; moves it back if that fails.
 *
 * @param {HTMLElement} shelves
 * @param {HTMLElement} row
 * @param {number} before
 */
async function save(shelves, row, before) {
  const position = String(rowsOf(shelves).indexOf(row))
  const body = new URLSearchParams({ csrf: csrfToken(), shelf: row.dataset['shelf'] ?? '', position })
  // The form redirects to the list, which is already displayed.
  const answer = await fetch('/shelves/move', { method: 'POST', body, redirect: 'manual' }).catch(() => null)
  if (answer?.type === 'opaqueredirect') return
  moveTo(shelves, row, before)
  toast('The new order was not saved. Check your connection and try again.')
}

/**
 * @param {HTMLElement} row
 * @param {HTMLElement} grip
 * @param {boolean} on
 */
function setLifted(row, grip, on) {
  row.classList.toggle('lifted', on)
  grip.setAttribute('aria-pressed', String(on))
}

/** @param {HTMLElement} row */
const nameOf = (row) => row.dataset['name'] ?? ''

/**
 * @param {HTMLElement} shelves
 * @param {HTMLElement} row
 */
function placeOf(shelves, row) {
  const rows = rowsOf(shelves)
  return `number ${rows.indexOf(row) + 1} of ${rows.length}`
}

/** @param {string} text */
function say(text) {
  if (news) news.textContent = text
}
