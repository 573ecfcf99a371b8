// On the page of the search: results as one types, and arrow keys that go through them. Without it the form does the same.

const form = /** @type {HTMLFormElement | null} */ (document.querySelector('form[data-search]'))
const results = /** @type {HTMLElement | null} */ (document.querySelector('[data-results]'))
const field = /** @type {HTMLInputElement | null} */ (form?.querySelector('input[type="search"]') ?? null)

/** Milliseconds without a key after which the words are searched for. */
const pauseMs = 250
/** Characters from which on words are searched for while one types. */
const minLength = 2

if (form && results && field) searchWhileTyping(form, results, field)

/**
 * @param {HTMLFormElement} searchForm
 * @param {HTMLElement} list
 * @param {HTMLInputElement} input
 */
function searchWhileTyping(searchForm, list, input) {
  // Said by screen readers when it changes; it stands outside of what is replaced.
  const count = document.createElement('p')
  count.className = 'hidden-text'
  count.setAttribute('role', 'status')
  list.before(count)

  let running = new AbortController()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let shown = input.value.trim()

  const begin = () => {
    clearTimeout(timer)
    running.abort()
    running = new AbortController()
    return running.signal
  }

  const address = () => {
    const fields = new URLSearchParams()
    for (const [name, value] of new FormData(searchForm)) fields.append(name, String(value))
    fields.set('q', input.value.trim())
    return fields
  }

  /** @param {boolean} [isRepeat] */
  const search = async (isRepeat = false) => {
    const signal = begin()
    const parameters = address()
    list.setAttribute('aria-busy', 'true')
    try {
      const response = await fetch(`/search/results?${parameters}`, { signal, headers: { Accept: 'text/html' } })
      // Signed out meanwhile: the page of the search leads to the sign-in.
      if (response.redirected) return location.assign(`/search?${parameters}`)
      const body = new DOMParser().parseFromString(await response.text(), 'text/html').body
      if (signal.aborted) return
      const seconds = Number(response.headers.get('Retry-After'))
      if (response.status === 429 && !isRepeat && seconds > 0) {
        timer = setTimeout(() => void search(true), seconds * 1000)
        return
      }
      // The server escapes what others wrote; the answer is of the same origin.
      list.replaceChildren(...body.childNodes)
      const line = list.querySelector('[data-count]')
      line?.removeAttribute('role')
      count.textContent = line?.textContent?.trim() ?? list.querySelector('[data-problem] p')?.textContent ?? ''
      list.removeAttribute('aria-busy')
      history.replaceState(history.state, '', `/search?${parameters}`)
      document.title = document.title.replace(/^.*?(?=Search(?: · |$))/, () =>
        input.value.trim() ? `${input.value.trim()} · ` : '',
      )
    } catch (error) {
      if (signal.aborted) return
      list.removeAttribute('aria-busy')
      count.textContent = 'The search could not be sent. Check the connection, then press Enter.'
    }
  }

  input.addEventListener('input', () => {
    const text = input.value.trim()
    if (text === shown) return
    shown = text
    begin()
    if (text.length >= minLength || text === '') timer = setTimeout(() => void search(), text === '' ? 0 : pauseMs)
  })
  searchForm.addEventListener('submit', (event) => {
    if (input.value.trim() === '') return
    event.preventDefault()
    shown = input.value.trim()
    void search()
  })

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
