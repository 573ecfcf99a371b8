// @ts-check
import { foldersOf } from './dropped-files.js'
import { nameProblem } from './file-types.js'
import { QueueRow } from './queue-row.js'
import { UploadFailure, uploadFile } from './upload-file.js'

/**
 * @typedef {import('./dropped-files.js').Chosen} Chosen
 * @typedef {{ shelf: string, password: string, again: boolean, shelvesByFolder: boolean }} Options
 */

const maxUploads = 2

/** The queue of files to upload, with a row for each. */
export class UploadQueue {
  /** @type {QueueRow[]} */
  #rows = []
  #sending = 0
  /** Number of files of unsupported types in the chosen folders. */
  #leftOut = 0

  /**
   * @param {HTMLElement} section
   * @param {() => Options} readOptions
   */
  constructor(section, readOptions) {
    this.section = section
    this.readOptions = readOptions
    this.list = /** @type {HTMLElement} */ (section.querySelector('[data-add-list]'))
    this.summary = /** @type {HTMLElement} */ (section.querySelector('[data-add-summary]'))
    this.news = /** @type {HTMLElement} */ (section.querySelector('[data-add-news]'))
    this.template = /** @type {HTMLTemplateElement} */ (section.querySelector('[data-add-row]'))
    this.maxBytes = Number(section.dataset['maxMb']) * 1024 * 1024
    this.token = section.dataset['csrf'] ?? ''
    section.addEventListener('import-ended', () => this.#summarise())
  }

  get isSending() {
    return this.#sending > 0
  }

  /** @param {Chosen} chosen */
  add({ files, leftOut }) {
    if (files.length === 0 && leftOut === 0) return
    const wasHidden = this.section.hidden
    this.section.hidden = false
    for (const [file, folders] of foldersOf(files)) this.#addRow(file, folders)
    this.#leftOut += leftOut
    this.#summarise(leftOut > 0)
    if (wasHidden) this.section.scrollIntoView({ block: 'nearest' })
    this.#next()
  }

  /**
   * @param {File} file
   * @param {string[]} folders
   */
  #addRow(file, folders) {
    const row = new QueueRow(this.template, { file, folders })
    this.#rows.push(row)
    this.list.append(row.element)
    row.on('cancel', () => this.#cancel(row))
    row.on('retry', () => this.#wait(row))
    row.on('again', () => this.#wait(row, true))
    row.on('remove', () => this.#remove(row))
    const refusal = this.#refusalOf(file)
    if (refusal) row.fail(refusal, { canRetry: false })
  }

  /**
   * The refusal that can be determined without sending the file.
   * @param {File} file
   */
  #refusalOf({ name, size }) {
    const problem = nameProblem(name)
    if (problem !== '') return problem
    if (size === 0) return 'The file is empty.'
    if (size <= this.maxBytes) return ''
    return `The file is larger than ${this.section.dataset['maxMb']} MB, which is the limit of your plan.`
  }

  /**
   * @param {QueueRow} row
   * @param {boolean} again
   */
  #wait(row, again = false) {
    row.wait(again)
    this.#next()
  }

  /** @param {QueueRow} row */
  #cancel(row) {
    row.cancel()
    this.#summarise()
  }

  /** @param {QueueRow} row */
  #remove(row) {
    const at = this.#rows.indexOf(row)
    this.#rows.splice(at, 1)
    const next = this.#rows[at] ?? this.#rows[at - 1]
    row.element.remove()
    if (next) next.focus()
    else /** @type {HTMLElement | null} */ (this.section.querySelector('h2'))?.focus()
    this.#summarise()
  }

  #next() {
    while (this.#sending < maxUploads) {
      const row = this.#rows.find(({ state }) => state === 'waiting')
      if (!row) break
      this.#sending += 1
      row.ended = this.#send(row)
      void row.ended.finally(() => {
        this.#sending -= 1
        this.#summarise()
        this.#next()
      })
    }
  }

  /** @param {QueueRow} row */
  async #send(row) {
    const { shelf, password, again, shelvesByFolder } = this.readOptions()
    const signal = row.begin()
    try {
      const result = await uploadFile(row.file, {
        token: this.token,
        shelf,
        folders: shelvesByFolder ? row.folders : [],
        password,
        again: again || row.addAgain,
        signal,
        findTwin: (sha256) => this.#findTwin(row, sha256),
        onStep: (text, sent) => row.progress(text, sent),
      })
      if (result.kind === 'same') row.ask(result)
      else row.added(result)
    } catch (error) {
      if (signal.aborted) return
      const failure = error instanceof UploadFailure ? error : new UploadFailure('Something went wrong. Try again.')
      row.fail(failure.message, failure)
      if (failure.endsAll) this.#failWaiting(failure)
    }
  }

  /**
   * Records the digest of a row's file, and waits for an equal file in the list. Returns its book; null if there is none, or if it was
   * not added.
   * @param {QueueRow} row
   * @param {string} sha256
   */
  async #findTwin(row, sha256) {
    const isTwin = (/** @type {QueueRow} */ other) => other !== row && other.sha256 === sha256 && other.counts
    const twins = this.#rows.filter(isTwin)
    row.sha256 = sha256
    for (const twin of twins) {
      await twin.ended
      if (twin.book) return twin.book
    }
    return null
  }

  /** @param {UploadFailure} failure */
  #failWaiting(failure) {
    for (const row of this.#rows.filter(({ state }) => state === 'waiting')) row.fail(failure.message, failure)
  }

  /** Shows the counts of files. Announces them only if a group of files is done, or something needs the user. */
  #summarise(isForced = false) {
    const count = (/** @type {string} */ state) => this.#rows.filter((row) => row.state === state).length
    const [added, failed, asks] = [count('added'), count('failed'), count('asks')]
    const shelved = this.#rows.filter(({ state, isShelved }) => state === 'asks' && isShelved).length
    const unread = this.#rows.filter(({ isUnread }) => isUnread).length
    const open = count('waiting') + count('sending')
    const parts = [
      open > 0 ? `${open} to go` : '',
      added > 0 ? `${added} added${unread > 0 ? ` (${unread} could not be read)` : ''}` : '',
      asks > 0 ? `${asks} already in your library${shelved > 0 ? ` (${shelved} put on a shelf)` : ''}` : '',
      failed > 0 ? `${failed} not added` : '',
      this.#leftOut > 0 ? `${this.#leftOut} skipped (file type not supported)` : '',
    ].filter((part) => part !== '')
    const text = parts.join(', ')
    this.summary.textContent = text
    const isNews = open === 0 || isForced || this.news.textContent === ''
    if (isNews && text !== this.news.textContent) this.news.textContent = text
  }
}
