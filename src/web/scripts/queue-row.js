// @ts-check
/**
 * @typedef {'waiting' | 'sending' | 'asks' | 'added' | 'failed' | 'cancelled'} RowState
 * @typedef {{ title: string, path: string }} BookLink
 * @typedef {{ jobId: string, title: string, path: string, remark: string }} Added
 */

const megabyte = 1024 * 1024

/** The row of one file in the upload queue. */
export class QueueRow {
  /** @type {RowState} */
  state = 'waiting'
  /** The SHA-256 of the file, once it is known. */
  sha256 = ''
  /**
   * The book that was added, or that the library had already.
   * @type {BookLink | null}
   */
  book = null
  /** The library had the book already, and it is on a shelf for its file now. */
  isShelved = false
  /** The file was added, but its import has failed or was cancelled. */
  isUnread = false
  /** Ends when the file has been sent, or was not sent. */
  ended = Promise.resolve()
  /** The user has confirmed adding a file that the library already has. */
  addAgain = false
  /** @type {AbortController | null} */
  #abort = null

  /**
   * @param {HTMLTemplateElement} template
   * @param {{ file: File, folders: string[] }} chosen The file, and the names of the folders that contain it.
   */
  constructor(template, { file, folders }) {
    this.file = file
    this.folders = folders
    const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true))
    this.element = /** @type {HTMLElement} */ (copy.firstElementChild)
    this.#find('[data-name]').textContent = file.name
    for (const button of this.element.querySelectorAll('button'))
      button.setAttribute('aria-label', `${button.textContent}: ${file.name}`)
    this.bar = /** @type {HTMLProgressElement} */ (this.#find('[data-sent]'))
    this.bar.setAttribute('aria-label', `Sending ${file.name}`)
    this.element.addEventListener('import-ended', (event) => this.#imported(/** @type {CustomEvent} */ (event).detail))
    this.#show('waiting', sizeText(file.size))
  }

  /** True if the row counts towards the limit on books. */
  get counts() {
    return this.state === 'sending' || this.state === 'added'
  }

  /**
   * @param {string} action
   * @param {() => void} act
   */
  on(action, act) {
    this.#find(`[data-action="${action}"]`).addEventListener('click', act)
  }

  /** @param {boolean} again */
  wait(again) {
    this.addAgain = again
    this.sha256 = ''
    this.book = null
    this.#show('waiting', sizeText(this.file.size))
    this.focus()
  }

  begin() {
    this.#abort = new AbortController()
    this.#show('sending', 'Checking the file')
    this.bar.removeAttribute('value')
    return this.#abort.signal
  }

  /**
   * @param {string} text
   * @param {number | null} sent Bytes; null: unknown.
   */
  progress(text, sent) {
    if (this.state !== 'sending') return
    const { size } = this.file
    this.#find('[data-state]').textContent =
      sent === null ? text : `${text}: ${Math.floor((sent / size) * 100)} % of ${sizeText(size)}`
    if (sent === null) return this.bar.removeAttribute('value')
    this.bar.max = size
    this.bar.value = sent
  }

  cancel() {
    this.#abort?.abort()
    this.#show('cancelled', 'Cancelled')
    this.focus()
  }

  /**
   * @param {{ text: string, book: BookLink, isShelved: boolean }} found
   */
  ask({ text, book, isShelved }) {
    this.book = book
    this.isShelved = isShelved
    this.#show('asks', text)
    this.#link(book.path, `Open “${book.title}”`)
  }

  /** @param {Added} added */
  added({ jobId, title, path, remark }) {
    this.book = { title, path }
    this.#show('added', remark)
    const status = this.#find('[data-import]')
    status.dataset['jobId'] = jobId
    status.dataset['status'] = 'PENDING'
    status.dataset['title'] = title
    status.querySelector('progress')?.setAttribute('aria-label', `Import of ${title}`)
    status.hidden = false
    document.dispatchEvent(new CustomEvent('imports-added'))
  }

  /**
   * @param {string} text
   * @param {{ canRetry: boolean, link?: readonly [path: string, label: string] | null }} options
   */
  fail(text, { canRetry, link = null }) {
    this.#show('failed', text)
    this.#find('[data-action="retry"]').hidden = !canRetry
    if (link) this.#link(...link)
  }

  /** Focuses the first action of the row. */
  focus() {
    const target = this.element.querySelector('.actions > :not([hidden])')
    if (target instanceof HTMLElement) target.focus()
  }

  /** @param {{ status: string, title?: string }} detail */
  #imported({ status, title }) {
    if (this.book && title !== undefined) this.book.title = title
    this.isUnread = status !== 'SUCCEEDED'
    if (this.book && !this.isUnread) this.#link(this.book.path, `Open “${this.book.title}”`)
    else this.#link('/imports', 'See what to do')
  }

  /**
   * @param {RowState} state
   * @param {string} text
   */
  #show(state, text) {
    const hadFocus = this.element.contains(document.activeElement)
    this.state = state
    this.element.dataset['state'] = state
    this.#find('[data-state]').textContent = text
    this.bar.hidden = state !== 'sending'
    const shown = {
      open: false,
      again: state === 'asks',
      retry: state === 'cancelled',
      cancel: state === 'waiting' || state === 'sending',
      remove: state === 'asks' || state === 'failed' || state === 'cancelled',
    }
    for (const [action, isShown] of Object.entries(shown)) this.#find(`[data-action="${action}"]`).hidden = !isShown
    if (hadFocus) this.focus()
  }

  /**
   * @param {string} path
   * @param {string} label
   */
  #link(path, label) {
    const link = /** @type {HTMLAnchorElement} */ (this.#find('[data-action="open"]'))
    link.href = path
    link.textContent = label
    link.hidden = false
  }

  /**
   * @param {string} selector
   * @returns {HTMLElement}
   */
  #find(selector) {
    return /** @type {HTMLElement} */ (this.element.querySelector(selector))
  }
}

/** @param {number} bytes */
function sizeText(bytes) {
  if (bytes < megabyte) return `${Math.max(1, Math.round(bytes / 1024)).toLocaleString('en-GB')} kB`
  return `${(bytes / megabyte).toLocaleString('en-GB', { maximumFractionDigits: 1 })} MB`
}
