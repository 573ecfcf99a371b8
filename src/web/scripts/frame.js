import { holdUnsentText } from './unsent-text.js'

// Scripts of every page: menus that close, `/` for the search field, the notification menu and its count, toast
// messages, forms that are sent once.

/** Screen readers announce additions to a live region only if they know the region before. */
const announcePauseMs = 100

const countIntervalMs = 30_000

/** After this time a form can be sent again, because its answer may be lost. */
const resendAfterMs = 10_000

/** @type {HTMLElement | null} */
let toasts = null

/**
 * Shows a toast at the bottom of the page for some seconds.
 * @param {string} text
 * @param {{ action?: string, run?: () => void, seconds?: number }} [options]
 */
export function toast(text, { action, run, seconds = 6 } = {}) {
  if (!toasts) {
    toasts = document.createElement('div')
    toasts.className = 'toasts'
    toasts.setAttribute('role', 'status')
    document.body.append(toasts)
  }
  const message = document.createElement('p')
  message.className = 'toast'
  message.append(text)
  if (action && run) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = action
    button.addEventListener('click', () => {
      message.remove()
      run()
    })
    message.append(button)
  }
  const region = toasts
  setTimeout(() => region.append(message), announcePauseMs)
  setTimeout(() => message.remove(), announcePauseMs + seconds * 1000)
}

/** The CSRF token of the session, for requests of scripts; empty if the page has none. */
export function csrfToken() {
  return document.querySelector('meta[name="csrf-token"]')?.getAttribute('content') ?? ''
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/** False if the visitor has switched off keys that type a character, such as `/` (WCAG 2.2, success criterion 2.1.4). */
export function hasSingleKeys() {
  return !document.documentElement.classList.contains('keys-off')
}

const openMenus = () => /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll('details[data-menu][open]')])

document.addEventListener('click', (event) => {
  for (const menu of openMenus()) {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false
  }
})

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    for (const menu of openMenus()) {
      menu.open = false
      menu.querySelector('summary')?.focus()
    }
  }
  if (
    event.key === '/' &&
    hasSingleKeys() &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey &&
    !isTyping(event.target)
  ) {
    event.preventDefault()
    const field = /** @type {HTMLInputElement | null} */ (document.querySelector('input[type="search"]'))
    if (field) field.focus()
    else location.assign('/search')
  }
})

/**
 * When each form was sent. A second click before the answer arrives would do everything twice.
 * @type {Map<EventTarget | null, number>}
 */
const sentAt = new Map()

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return
  if ((submitter?.getAttribute('formmethod') ?? form.method) !== 'post') return
  const elapsed = event.timeStamp - (sentAt.get(form) ?? -Infinity)
  if (elapsed < resendAfterMs) event.preventDefault()
  else sentAt.set(form, event.timeStamp)
})

holdUnsentText()
showAnswer()
keepFragment()

// The browser may show a page that was left as it was.
addEventListener('pageshow', () => sentAt.clear())

/**
 * Moves the focus to the message about the form that was sent, so that screen readers read it and it is visible, also
 * far down on a long page. A wrong field gets the focus from the browser, perhaps after this script. A page that opens
 * at another place stays there.
 */
function showAnswer() {
  const [arrival] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'))
  if (arrival?.type !== 'navigate' || document.activeElement !== document.body) return
  const message = document.querySelector('main :is(.problem, .notice, .made)[role]')
  if (!(message instanceof HTMLElement) || document.querySelector('[autofocus]')) return
  if (location.hash !== '' && location.hash !== `#${message.id}`) return
  message.tabIndex = -1
  message.focus()
}

/**
 * Makes the sign-in form take the fragment of the page along that the visitor came for, such as a cited passage: the
 * server does not see it, and browsers keep it through redirects.
 */
function keepFragment() {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector('main form[action="/sign-in"]'))
  if (form) form.action += location.hash
}

// Following a notification marks it as read.
document.addEventListener('click', markFollowed)
document.addEventListener('auxclick', markFollowed)

/** @param {MouseEvent} event */
function markFollowed({ target, button }) {
  const link = target instanceof Element ? target.closest('a[data-unread-id]') : null
  const csrf = document.querySelector('.account-menu input[name="csrf"]')?.getAttribute('value')
  // The secondary button opens the menu of the browser.
  if (!(link instanceof HTMLElement) || !csrf || button === 2) return
  // A beacon is sent although the browser leaves the page.
  navigator.sendBeacon('/notifications/read', new URLSearchParams({ csrf, id: link.dataset['unreadId'] ?? '' }))
}

const bell = /** @type {HTMLAnchorElement | null} */ (document.querySelector('a[data-notifications]'))
if (bell) showNotificationsInMenu(bell)

/**
 * Opens the latest notifications below the bell; on failure the link leads to their page.
 * @param {HTMLAnchorElement} link
 */
function showNotificationsInMenu(link) {
  const menu = document.createElement('details')
  menu.className = 'menu notification-menu'
  menu.dataset['menu'] = ''
  const summary = document.createElement('summary')
  summary.className = 'tool'
  summary.append(...link.childNodes)
  const panel = document.createElement('div')
  panel.className = 'menu-panel'
  menu.append(summary, panel)
  link.replaceWith(menu)
  keepCountUpToDate(summary)
  menu.addEventListener('toggle', () => {
    if (menu.open) showLatest(panel).catch(() => location.assign(link.href))
  })
}

/**
 * Fills the menu with the latest notifications.
 * @param {HTMLElement} panel
 */
async function showLatest(panel) {
  const response = await fetch('/notifications/menu', { headers: { Accept: 'text/html' } })
  if (!response.ok) throw new Error(`The server answered ${response.status}`)
  // The server escapes text by other users, and the response has the same origin.
  panel.replaceChildren(...new DOMParser().parseFromString(await response.text(), 'text/html').body.childNodes)
}

/**
 * Polls the number of unread notifications while the page is visible, and shows it on the bell. On the notifications
 * page itself, a toast offers the new ones.
 * @param {HTMLElement} summary
 */
function keepCountUpToDate(summary) {
  const timer = setInterval(() => void refresh(), countIntervalMs)
  document.addEventListener('visibilitychange', () => void refresh())

  async function refresh() {
    if (document.hidden) return
    try {
      const response = await fetch('/notifications/unread', { headers: { Accept: 'application/json' } })
      if (response.status === 401) clearInterval(timer)
      if (response.ok) show(String((await response.json()).unread))
    } catch {
      // The network is unavailable; the next poll tries again.
    }
  }

  /** @param {string} unread */
  function show(unread) {
    const shown = summary.querySelector('.count')?.firstChild?.textContent ?? '0'
    if (unread === shown) return
    summary.querySelector('.count')?.remove()
    if (unread === '0') return
    const count = document.createElement('span')
    count.className = 'count'
    const unit = document.createElement('span')
    unit.className = 'hidden-text'
    unit.textContent = ' unread'
    count.append(unread, unit)
    summary.append(count)
    if (location.pathname === '/notifications' && parseInt(unread) > parseInt(shown)) {
      toast('There are new notifications.', { action: 'Show', run: () => location.reload(), seconds: 60 })
    }
  }
}
