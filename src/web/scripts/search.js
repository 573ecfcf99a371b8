// The search page: results during typing, and navigation by arrow keys. Without this script the form does the same.

const form = /** @type {HTMLFormElement | null} */ (document.querySelector('form[data-search]'))
const results = /** @type {HTMLElement | null} */ (document.querySelector('[data-results]'))
const field = form?.querySelector('input')

/** Delay after the last key before the search starts (debounce), ms. */
const pauseMs = 250
/** Minimum length of a query for searching during typing. */
const minLength = 2

/** Announced by screen readers, and visible if the search fails; it is outside the replaced element. */
const count = document.createElement('p')
count.className = 'hidden-text'
count.setAttribute('role', 'status')

let running = new AbortController()
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

if (form && results && field) {
  results.before(count)
  searchWhileTyping({ form, results, field })
  moveByArrowKeys({ form, results, field })
}

/** @typedef {{ form: HTMLFormElement, results: HTMLElement, field: HTMLInputElement }} Parts */

/** @param {Parts} parts */
function searchWhileTyping(parts) {
  const input = parts.field
  let shown = input.value.trim()
  input.addEventListener('input', () => {
    const text = input.value.trim()
    if (text === shown) return
    shown = text
    cancelSearch()
    const pause = text === '' ? 0 : pauseMs
    if (text.length >= minLength || text === '') timer = setTimeout(() => void search(parts), pause)
  })
  parts.form.addEventListener('submit', (event) => {
    if (input.value.trim() === '') return
    event.preventDefault()
    shown = input.value.trim()
    void search(parts)
  })
}

/** Aborts the running search and the pending one. */
function cancelSearch() {
  clearTimeout(timer)
  running.abort()
  running = new AbortController()
  return running.signal
}

/**
 * Shows the results for the values of the form.
 * @param {Parts} parts
 * @param {boolean} [isRepeat]
 */
async function search(parts, isRepeat = false) {
  const signal = cancelSearch()
  const parameters = parametersOf(parts)
  parts.results.setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(`/search/results?${parameters}`, { signal, headers: { Accept: 'text/html' } })
    const text = await response.text()
    if (signal.aborted) return
    const seconds = Number(response.headers.get('Retry-After'))
    if (response.redirected) {
      // Signed out in the meantime: the search page redirects to the sign-in.
      location.assign(`/search?${parameters}`)
    } else if (response.status === 429 && !isRepeat && seconds > 0) {
      timer = setTimeout(() => void search(parts, true), seconds * 1000)
    } else {
      show(parts, { text, parameters })
    }
  } catch {
    if (signal.aborted) return
    parts.results.removeAttribute('aria-busy')
    count.className = 'problem'
    count.textContent = 'The search could not be sent. Check the connection, then press Enter.'
  }
}

/** @param {Parts} parts */
function parametersOf({ form: searchForm, field: input }) {
  const parameters = new URLSearchParams()
  for (const [name, value] of new FormData(searchForm)) parameters.append(name, String(value))
  parameters.set('q', input.value.trim())
  return parameters
}

/**
 * @param {Parts} parts
 * @param {{ text: string, parameters: URLSearchParams }} answer
 */
function show({ results: list }, { text, parameters }) {
  // The server escapes text by other users, and the response has the same origin.
  list.replaceChildren(...new DOMParser().parseFromString(text, 'text/html').body.childNodes)
  list.removeAttribute('aria-busy')
  const line = list.querySelector('[data-count]')
  line?.removeAttribute('role')
  count.className = 'hidden-text'
  const said = line ?? list.querySelector('[data-problem] p')
  count.textContent = said?.textContent?.trim() ?? ''
  history.replaceState(history.state, '', `/search?${parameters}`)
  const words = parameters.get('q')
  document.title = `${words ? `${words} · ` : ''}Search · Lectern`
}

/** @param {Parts} parts */
function moveByArrowKeys({ results: list, field: input }) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    const links = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('a[data-hit]')])
    const at = links.findIndex((link) => link === document.activeElement)
    const inField = document.activeElement === input
    if (event.key === 'ArrowDown' && (inField || at >= 0)) move(event, links[at + 1])
    else if (event.key === 'ArrowUp' && at >= 0) move(event, at === 0 ? input : links[at - 1])
    else if (event.key === 'Escape' && at >= 0) move(event, input)
  })
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement | undefined} target
 */
function move(event, target) {
  if (!target) return
  event.preventDefault()
  target.focus()
  if (target instanceof HTMLInputElement) target.select()
}
