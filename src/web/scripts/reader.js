// The reader: turning pages by keys and swipes, appearance settings that apply at once, copying citations.

import { hasSingleKeys, toast } from './frame.js'
import { passageFragment } from './passage.js'

/** @param {EventTarget | null} target */
function isTyping(target) {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/**
 * True for an element in a table, a code listing or a formula that is wider than the page.
 * @param {EventTarget | null} target
 */
function scrollsSideways(target) {
  const box = target instanceof Element ? target.closest('.scroll, pre, .formula') : null
  return box !== null && box.scrollWidth > box.clientWidth
}

/** @param {'prev' | 'next'} direction */
function turn(direction) {
  const link = document.querySelector(`a[rel="${direction}"]`)
  if (link instanceof HTMLAnchorElement) link.click()
}

/** @type {Record<string, 'prev' | 'next'>} */
const keys = { ArrowLeft: 'prev', ArrowRight: 'next', j: 'next', k: 'prev' }

document.addEventListener('keydown', (event) => {
  const direction = keys[event.key]
  if (!direction || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || isTyping(event.target)) return
  if (event.key.length === 1 && !hasSingleKeys()) return
  // If a wide box has the focus, the arrow keys scroll it.
  if (event.key.startsWith('Arrow') && scrollsSideways(event.target)) return
  event.preventDefault()
  turn(direction)
})

// On narrow pages, the table of contents is a drawer: a link opens it, and Escape or "Close" returns to that link.
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && isDrawerOpen()) closeDrawer()
})
document.querySelector('.reader-close')?.addEventListener('click', (event) => {
  event.preventDefault()
  closeDrawer()
})

function isDrawerOpen() {
  return location.hash === '#contents' && matchMedia('(width < 70rem)').matches
}

/** Closes the drawer without scrolling: nothing on the page has the fragment. */
function closeDrawer() {
  location.replace('#closed')
  history.replaceState(null, '', location.pathname + location.search)
  const opener = document.querySelector('.reader-open')
  if (opener instanceof HTMLElement) opener.focus({ preventScroll: true })
}

const minSwipe = 70
/** @type {{ x: number, y: number } | null} */
let touch = null
const article = document.querySelector('[data-page-text]')
/** Elements in which a horizontal swipe has another meaning. */
const notSwiped = 'input, .menu, .reader-contents'

// Listens on the whole page, because a short page ends far above the finger.
document.addEventListener(
  'touchstart',
  ({ touches, target }) => {
    const [finger] = touches
    const isFree = !(target instanceof Element && target.closest(notSwiped)) && !scrollsSideways(target)
    const isZoomed = (visualViewport?.scale ?? 1) > 1
    touch = finger && touches.length === 1 && isFree && !isZoomed ? { x: finger.clientX, y: finger.clientY } : null
  },
  { passive: true },
)

document.addEventListener('touchend', (event) => {
  if (!touch) return
  const [finger] = event.changedTouches
  const [dx, dy] = finger ? [finger.clientX - touch.x, finger.clientY - touch.y] : [0, 0]
  touch = null
  if (Math.abs(dx) < minSwipe || Math.abs(dy) > Math.abs(dx) / 2 || !getSelection()?.isCollapsed) return
  turn(dx < 0 ? 'next' : 'prev')
})

// On a phone, turning to a page scrolls to its text, because the content above takes a third of the screen.
const turnedTo = 'turned-to'
document.addEventListener('click', ({ target }) => {
  const link = target instanceof Element && target.closest('a[rel="next"], a[rel="prev"]')
  if (link instanceof HTMLAnchorElement) sessionStorage.setItem(turnedTo, link.href)
})
const isTurned = sessionStorage.getItem(turnedTo) === location.href && matchMedia('(width < 40rem)').matches
sessionStorage.removeItem(turnedTo)
if (isTurned && !document.querySelector('.reader-picture')) article?.scrollIntoView()

const preferences = document.querySelector('form[data-preferences]')
if (preferences instanceof HTMLFormElement) applyAtOnce(preferences)

/**
 * Applies each setting that needs no reload at once, and saves it.
 * @param {HTMLFormElement} form
 */
function applyAtOnce(form) {
  form.querySelector('button')?.setAttribute('hidden', '')
  form.addEventListener('change', (event) => {
    const { target } = event
    if (!(target instanceof HTMLInputElement)) return
    if (target.name === 'as') {
      form.requestSubmit()
      return
    }
    const root = document.documentElement
    const former = Array.from(root.classList).filter((name) => name.startsWith(`${target.name}-`))
    root.classList.remove(...former)
    root.classList.add(`${target.name}-${target.value}`)
    keep(form).catch(() => toast('Your choice could not be saved. It applies to this page only.'))
  })
}

/** @param {HTMLFormElement} form */
async function keep(form) {
  const fields = /** @type {[string, string][]} */ ([...new FormData(form)])
  const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  if (response.type !== 'opaqueredirect') throw new Error(`The server answered ${response.status}`)
}

const cite = document.querySelector('button[data-cite]')
if (cite instanceof HTMLButtonElement && navigator.clipboard) {
  cite.hidden = false
  cite.addEventListener('click', () => {
    const { cite: text = '', address = '' } = cite.dataset
    const quote = selectedQuote()
    const quoted = quote === '' ? text : `“${quote}” ${text}`
    const link = quote === '' ? address : address + (passageFragment() ?? '')
    navigator.clipboard.writeText(`${quoted}\n${link}`).then(
      () => toast(quote === '' ? 'Citation copied.' : 'Citation copied, with the words that you selected.'),
      () => toast('The browser does not allow copying. Select the citation instead.'),
    )
  })
  // Pressing the button must not clear the selection.
  cite.addEventListener('mousedown', (event) => event.preventDefault())
}

/** The selected words of the page; empty if nothing is selected. */
function selectedQuote() {
  const selection = getSelection()
  const isInside = selection?.anchorNode && article?.contains(selection.anchorNode)
  return isInside ? selection.toString().replace(/\s+/g, ' ').trim() : ''
}

markSection()

/** Marks in the contents the section of this page that is being read, and finds headings with a number before the linked title. */
function markSection() {
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (
    document.querySelectorAll('.reader-contents a[href*="#p-"]')
  )
  /** @type {{ link: HTMLAnchorElement, heading: Element }[]} */
  const sections = []
  for (const link of links) {
    const heading = link.pathname === location.pathname ? headingOf(link.hash) : null
    if (heading) sections.push({ link, heading })
  }
  const { hash } = location
  if (hash.startsWith('#p-') && !document.querySelector(':target')) headingOf(hash)?.scrollIntoView()
  if (sections.length < 2) return
  const atTop = document.querySelector('.reader-contents [aria-current]')
  const mark = () => {
    // A heading counts as read from the upper third of the window on.
    const passed = sections.findLast(({ heading }) => heading.getBoundingClientRect().top < innerHeight / 3)
    const current = scrollY === 0 ? atTop : (passed?.link ?? atTop)
    for (const link of document.querySelectorAll('.reader-contents [aria-current]'))
      link.removeAttribute('aria-current')
    current?.setAttribute('aria-current', 'true')
  }
  let isWaiting = false
  addEventListener(
    'scroll',
    () => {
      if (isWaiting) return
      isWaiting = true
      requestAnimationFrame(() => {
        isWaiting = false
        mark()
      })
    },
    { passive: true },
  )
  mark()
}

/**
 * Returns the heading that a fragment names: by its id, or by the end of its id, such as "p-3-2-tides" for "p-tides".
 * @param {string} hash
 */
function headingOf(hash) {
  const id = decoded(hash.slice(1))
  return (
    document.getElementById(id) ??
    article?.querySelector(`:is(h2, h3, h4, h5, h6)[id$="${CSS.escape(id.slice(1))}"]`) ??
    null
  )
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // Not encoded by this site.
  }
}
