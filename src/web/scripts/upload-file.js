// @ts-check
/**
 * Uploads one file: looks for the same book, reserves a slot, sends the bytes, and has it imported.
 *
 * @typedef {import('./queue-row.js').BookLink} BookLink
 * @typedef {import('./queue-row.js').Added} Added
 * @typedef {{ kind: 'same', text: string, book: BookLink, isShelved: boolean } | ({ kind: 'added' } & Added)} Outcome
 * @typedef {object} UploadOptions
 * @property {string} token The session's CSRF token.
 * @property {string} shelf
 * @property {readonly string[]} folders Names of the folders whose shelf gets the book; empty: none.
 * @property {string} password Of encrypted PDFs; empty: none.
 * @property {boolean} again Add it even if the library has it already.
 * @property {AbortSignal} signal
 * @property {(sha256: string) => Promise<BookLink | null>} findTwin The book of an equal file in the list, once it is added; null: none.
 * @property {(text: string, sent: number | null) => void} onStep
 */

import { typeOfFile } from './file-types.js'

/** A file that was not added, with the next step. */
export class UploadFailure extends Error {
  /**
   * @param {string} message
   * @param {{ canRetry?: boolean, link?: readonly [string, string] | null, endsAll?: boolean }} options
   */
  constructor(message, { canRetry = true, link = null, endsAll = false } = {}) {
    super(message)
    this.canRetry = canRetry
    this.link = link
    /** True if every other file would fail, too. */
    this.endsAll = endsAll
  }
}

/**
 * Maximum size of a file that the browser hashes, because it needs the whole file in memory; the server hashes larger
 * files.
 */
const maxDigestBytes = 256 * 1024 * 1024

const alreadyAdded = 'You already have this book.'

/**
 * @param {File} file
 * @param {UploadOptions} options
 * @returns {Promise<Outcome>}
 */
export async function uploadFile(file, options) {
  const { again, shelf, folders, password, signal, onStep } = options
  const found = again ? null : await findSame(file, options)
  if (found) return shelved(found, options)
  onStep('Waiting for its turn', null)
  const contentType = typeOfFile(file.name)
  const declared = { filename: file.name, size: file.size, contentType }
  const { itemId, storageKey } = await post('start', declared, options)
  try {
    const { same } = await sendBytes(file, itemId, options)
    if (same && !again) {
      await cancelReservation(itemId, options)
      return await shelved({ kind: 'same', text: alreadyAdded, book: same, isShelved: false }, options)
    }
    onStep('Adding the book', null)
    return { kind: 'added', ...(await post('confirm', { itemId, storageKey, shelf, folders, password }, options)) }
  } catch (error) {
    await cancelReservation(itemId, options)
    signal.throwIfAborted()
    throw error
  }
}

/**
 * Puts a book that exists already on the shelves that were chosen for its file.
 * @param {Outcome & { kind: 'same' }} found
 * @param {UploadOptions} options
 * @returns {Promise<Outcome>}
 */
async function shelved(found, options) {
  const { shelf, folders } = options
  if (shelf === '' && folders.length === 0) return found
  const itemId = found.book.path.split('/').at(-1)
  const { remark, isShelved } = await post('shelve', { itemId, shelf, folders }, options)
  return { ...found, text: `${found.text} ${remark}`, isShelved }
}

/**
 * @param {File} file
 * @param {UploadOptions} options
 * @returns {Promise<(Outcome & { kind: 'same' }) | null>}
 */
async function findSame(file, options) {
  const sha256 = await digestOf(file)
  if (sha256 === null) return null
  options.signal.throwIfAborted()
  const twin = await options.findTwin(sha256)
  options.signal.throwIfAborted()
  if (twin) return { kind: 'same', text: 'You have chosen this file twice.', book: twin, isShelved: false }
  const { same } = await post('check', { filename: file.name, sha256 }, options)
  return same ? { kind: 'same', text: alreadyAdded, book: same, isShelved: false } : null
}

/**
 * Null if the browser cannot hash: without https, and for a very large file.
 * @param {File} file
 */
async function digestOf(file) {
  if (!globalThis.crypto?.subtle || file.size > maxDigestBytes) return null
  try {
    const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  } catch {
    throw new UploadFailure('The file cannot be read. It may have been moved or changed; choose it again.')
  }
}

/**
 * Releases the reservation, without the signal, because it also runs after a cancellation.
 * @param {string} itemId
 * @param {UploadOptions} options
 */
async function cancelReservation(itemId, { token }) {
  await request('cancel', { itemId }, { token }).catch(() => null)
}

/**
 * Waits and retries while calls are rate limited.
 * @param {string} step
 * @param {object} body
 * @param {Pick<UploadOptions, 'token' | 'signal' | 'onStep'>} options
 * @returns {Promise<any>}
 */
async function post(step, body, options) {
  for (let attempt = 1; ; attempt++) {
    const response = await request(step, body, options)
    const answer = await response.json().catch(() => null)
    if (response.ok && answer) return answer
    if (response.status !== 429 || attempt > 10) throw failureOf(response.status, answer)
    options.onStep('Waiting, because many files arrived at once', null)
    await pause(Number(response.headers.get('retry-after') ?? '10') * 1000, options.signal)
  }
}

/**
 * @param {string} step
 * @param {object} body
 * @param {{ token: string, signal?: AbortSignal }} options
 */
async function request(step, body, { token, signal }) {
  const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': token }
  try {
    return await fetch(`/add/${step}`, { method: 'POST', headers, body: JSON.stringify(body), signal })
  } catch {
    signal?.throwIfAborted()
    throw connectionLost()
  }
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

/**
 * Uses XMLHttpRequest, because `fetch` does not report upload progress.
 * @param {File} file
 * @param {string} itemId
 * @param {UploadOptions} options
 * @returns {Promise<{ same: BookLink | null }>}
 */
function sendBytes(file, itemId, { token, signal, onStep }) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest()
    const abort = () => sending.abort()
    signal.addEventListener('abort', abort, { once: true })
    sending.upload.addEventListener('progress', ({ loaded }) => onStep('Sending', Math.min(loaded, file.size)))
    sending.addEventListener('load', () => {
      if (sending.status === 200) resolve(sending.response)
      else reject(failureOf(sending.status, sending.response))
    })
    sending.addEventListener('error', () => reject(connectionLost()))
    sending.addEventListener('abort', () => reject(signal.reason))
    sending.addEventListener('loadend', () => signal.removeEventListener('abort', abort))
    sending.responseType = 'json'
    sending.open('POST', `/add/bytes?item=${encodeURIComponent(itemId)}`)
    sending.setRequestHeader('X-CSRF-Token', token)
    sending.setRequestHeader('Content-Type', 'application/octet-stream')
    sending.send(file)
  })
}

function connectionLost() {
  return new UploadFailure('The connection was lost. Check it, then try again.')
}

/**
 * @param {number} status
 * @param {{ error?: { code?: string, message?: string } } | null} answer
 */
function failureOf(status, answer) {
  const { code, message } = answer?.error ?? {}
  if (status === 401 || (status === 403 && code === 'FORBIDDEN' && message?.includes('X-CSRF-Token'))) {
    const text = 'You are no longer signed in. Sign in again, then choose the files again.'
    return new UploadFailure(text, { canRetry: false, link: ['/sign-in?next=/add', 'Sign in'], endsAll: true })
  }
  const text = message ?? 'The server did not answer as expected. Try again.'
  if (code === 'PLAN_LIMIT_EXCEEDED') {
    const endsAll = text.startsWith('Your library is full')
    return new UploadFailure(text, { canRetry: true, link: ['/plans', 'See the plans'], endsAll })
  }
  return new UploadFailure(text, { canRetry: status !== 413 && status !== 415 })
}
