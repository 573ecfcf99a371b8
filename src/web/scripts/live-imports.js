// @ts-check
/**
 * Updates every element with `data-job-id` while its import runs. The page has one event stream, which is open only
 * while the page is visible and something is being imported. When an import ends, its nearest ancestor with an `id` and
 * `data-renew-when-ended` is reloaded from the page. A script that adds such elements dispatches `imports-added` on the
 * document. `import-ended` is dispatched on the element of an import that has ended, with the state as its detail.
 *
 * @typedef {{ id: string, status: string, label: string, value: number | null, max: number, title?: string }} State
 */

/** Delay after a refusal, or after a lost connection that the browser does not reopen by itself, ms. */
const retryDelayMs = 30_000

/** @type {EventSource | null} */
let stream = null
/** @type {ReturnType<typeof setTimeout> | undefined} */
let retryTimer

/** @returns {NodeListOf<HTMLElement>} */
function activeElements() {
  return document.querySelectorAll('[data-job-id][data-status="PENDING"], [data-job-id][data-status="RUNNING"]')
}

function openOrClose() {
  const isNeeded = !document.hidden && activeElements().length > 0
  if (isNeeded && !stream) open()
  else if (!isNeeded) close()
}

function open() {
  clearTimeout(retryTimer)
  const opened = new EventSource('/imports/events')
  stream = opened
  opened.addEventListener('import', ({ data }) => show(JSON.parse(data)))
  opened.addEventListener('error', () => {
    if (opened.readyState !== EventSource.CLOSED || stream !== opened) return
    close()
    retryTimer = setTimeout(openOrClose, retryDelayMs)
  })
}

function close() {
  clearTimeout(retryTimer)
  stream?.close()
  stream = null
}

/** @param {State} state */
function show(state) {
  /** @type {NodeListOf<HTMLElement>} */
  const elements = document.querySelectorAll(`[data-job-id="${CSS.escape(state.id)}"]`)
  for (const element of elements) showIn(element, state)
}

/**
 * @param {HTMLElement} element
 * @param {State} state
 */
function showIn(element, state) {
  const wasActive = isActive(element.dataset['status'])
  element.dataset['status'] = state.status
  if (state.title !== undefined) element.dataset['title'] = state.title
  const label = element.querySelector('.import-label')
  if (label && label.textContent !== state.label) label.textContent = state.label
  const bar = element.querySelector('progress')
  if (bar) {
    bar.max = state.max
    if (state.value === null) bar.removeAttribute('value')
    else bar.value = state.value
  }
  if (!wasActive || isActive(state.status)) return
  bar?.remove()
  announce(element, state)
  element.dispatchEvent(new CustomEvent('import-ended', { bubbles: true, detail: state }))
  /** @type {HTMLElement | null} */
  const renewable = element.closest('[id][data-renew-when-ended]')
  if (renewable) renewSoon(renewable.id)
  openOrClose()
}

/** @param {string | undefined} status */
function isActive(status) {
  return status === 'PENDING' || status === 'RUNNING'
}

/** @type {Set<string>} */
const idsToRenew = new Set()

/**
 * Collects imports that end at about the same time, so that the page is fetched once for them.
 * @param {string} id
 */
function renewSoon(id) {
  if (idsToRenew.size === 0) setTimeout(renew, 300)
  idsToRenew.add(id)
}

async function renew() {
  const ids = [...idsToRenew]
  idsToRenew.clear()
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(() => null)
  // Signed out, or the server is unreachable: the line already says how the import ended.
  if (!answer?.ok || answer.redirected) return
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  for (const id of ids) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)]
    if (!old || !fresh) continue
    const focused = old.contains(document.activeElement) ? document.activeElement : null
    old.replaceWith(document.adoptNode(fresh))
    if (focused) focusAgain(fresh, focused.id)
  }
  openOrClose()
}

/**
 * Restores the focus, or focuses the first focusable element.
 * @param {HTMLElement} element
 * @param {string} id
 */
function focusAgain(element, id) {
  /** @type {HTMLElement | null} */
  const target = (id && document.getElementById(id)) || element.querySelector('a[href], button')
  target?.focus()
}

/**
 * Announces the end of an import to screen readers, if the page has a live region for that.
 * @param {HTMLElement} element
 * @param {State} state
 */
function announce(element, { label }) {
  const place = document.querySelector('[data-import-announcements]')
  if (place) place.textContent = `${element.dataset['title'] ?? ''}: ${label}`
}

document.addEventListener('visibilitychange', openOrClose)
document.addEventListener('imports-added', openOrClose)
addEventListener('pagehide', close)
addEventListener('pageshow', openOrClose)
openOrClose()
