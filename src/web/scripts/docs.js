// Scripts of the API reference: search as you type, and a mark at the operation that is being read.
// Without this script, the search form leads to a results page.

/** Maximum number of search results shown. */
const maxFound = 30

const nav = /** @type {HTMLDetailsElement | null} */ (document.querySelector('.docs-nav'))
const pages = /** @type {HTMLElement | null} */ (document.querySelector('[data-docs-pages]'))
const form = /** @type {HTMLFormElement | null} */ (document.querySelector('[data-docs-search]'))
const field = form?.querySelector('input')
if (nav && pages) {
  foldAfterLink(nav)
  markWhatIsRead(pages)
  if (form && field) searchWhileTyping({ form, field, pages })
}

/**
 * On narrow screens the page list covers the content, so it is collapsed after a link was followed.
 * @param {HTMLDetailsElement} column
 */
function foldAfterLink(column) {
  column.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('a')) column.open = false
  })
}

/** @param {HTMLElement} list */
function markWhatIsRead(list) {
  const links = new Map(
    [...list.querySelectorAll('a')]
      .filter((link) => link.pathname === location.pathname && link.hash !== '')
      .map((link) => [link.hash.slice(1), link]),
  )
  const sections = [...document.querySelectorAll('.operation')].filter(({ id }) => links.has(id))
  if (sections.length === 0) return
  /** @type {Set<Element>} */
  const seen = new Set()
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target)
        else seen.delete(target)
      }
      const first = sections.find((section) => seen.has(section))
      for (const [id, link] of links) {
        if (first?.id !== id) link.removeAttribute('aria-current')
        else if (!link.hasAttribute('aria-current')) {
          link.setAttribute('aria-current', 'location')
          scrollIntoColumn(link)
        }
      }
    },
    // An operation counts as being read while it is in the upper third of the window.
    { rootMargin: '-5% 0px -66% 0px' },
  )
  for (const section of sections) observer.observe(section)
}

/**
 * Scrolls only the column; `scrollIntoView` would move the page, too.
 * @param {Element} link
 */
function scrollIntoColumn(link) {
  const column = link.closest('.docs-nav-panel')
  if (!column || column.scrollHeight <= column.clientHeight) return
  const { top, bottom } = link.getBoundingClientRect()
  const frame = column.getBoundingClientRect()
  if (top < frame.top + 60 || bottom > frame.bottom - 20) column.scrollTop += top - frame.top - frame.height / 3
}

/** @typedef {{ title: string, path: string, kind: string, words: string }} Entry */

/** @param {{ form: HTMLFormElement, field: HTMLInputElement, pages: HTMLElement }} parts */
function searchWhileTyping({ form: search, field: input, pages: list }) {
  const found = document.createElement('div')
  found.className = 'docs-found'
  const status = document.createElement('p')
  status.className = 'docs-nav-title'
  status.setAttribute('role', 'status')
  found.append(status)
  list.before(found)
  found.hidden = true
  /** @type {Promise<Entry[]> | null} */
  let index = null
  const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    list.hidden = words.length > 0
    found.hidden = words.length === 0
    if (words.length === 0) return
    try {
      index ??= loadIndex()
      showFound({ found, status }, findIn(await index, words))
    } catch {
      index = null
      status.textContent = 'Press Enter to search.'
    }
  }
  input.addEventListener('input', () => void show())
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || input.value === '') return
    input.value = ''
    void show()
  })
  search.addEventListener('submit', (event) => {
    const first = found.querySelector('a')
    if (!first || found.hidden) return
    event.preventDefault()
    first.click()
  })
}

/** @returns {Promise<Entry[]>} */
async function loadIndex() {
  const response = await fetch('/docs/search.json')
  if (!response.ok) throw new Error(`The server answered ${response.status}`)
  return response.json()
}

/**
 * Searches like the server: entries with every word, those with all of them in the title or path first.
 * @param {Entry[]} entries
 * @param {string[]} asked
 */
function findIn(entries, asked) {
  const hits = entries.filter(({ words }) => asked.every((word) => words.includes(word)))
  const inTitle = (/** @type {Entry} */ { title, kind }) => {
    const name = `${title} ${kind}`.toLowerCase()
    return asked.every((word) => name.includes(word))
  }
  return [...hits.filter(inTitle), ...hits.filter((entry) => !inTitle(entry))]
}

/**
 * @param {{ found: HTMLElement, status: HTMLElement }} parts
 * @param {Entry[]} hits
 */
function showFound({ found, status }, hits) {
  status.textContent = hits.length === 0 ? 'Nothing found' : hits.length === 1 ? '1 place' : `${hits.length} places`
  const list = document.createElement('ul')
  for (const { title, path, kind } of hits.slice(0, maxFound)) {
    const link = document.createElement('a')
    link.href = path
    link.append(title, Object.assign(document.createElement('span'), { className: 'field-type', textContent: kind }))
    const entry = document.createElement('li')
    entry.append(link)
    list.append(entry)
  }
  found.replaceChildren(status, list)
}
