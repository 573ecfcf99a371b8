import { fieldsOf, renewToken, sendFields, setField } from './editor-fields.js'

// Saves the text as a draft on the server, a few seconds after the last change and one request at a time.

/**
 * Delay after the last change before a draft is saved (debounce), ms; grows while the server refuses or cannot be
 * reached.
 */
const pauseMs = 3000
const longestPauseMs = 60_000

/**
 * @typedef {object} Keeper
 * @property {HTMLFormElement} editor
 * @property {HTMLTextAreaElement} text
 * @property {string} keptText the text that the server has
 * @property {number} timer
 * @property {number} pauseMs
 * @property {boolean} running
 * @property {boolean} stopped until somebody decides what to do
 */

/**
 * Starts saving drafts of an editor.
 * @param {HTMLFormElement} editor
 * @param {HTMLTextAreaElement} text
 */
export function createDrafts(editor, text) {
  // A text that was returned with a refusal, or a merged one, is not stored anywhere else.
  const isKept = editor.dataset['saved'] === 'yes'
  /** @type {Keeper} */
  const keeper = { editor, text, keptText: isKept ? text.value : '', timer: 0, pauseMs, running: false, stopped: false }
  if (!isKept) schedule(keeper)
  return {
    changed() {
      if (!keeper.stopped && isUnsaved(keeper)) say(keeper, 'Not kept yet.')
      schedule(keeper)
    },
    stop() {
      clearTimeout(keeper.timer)
    },
    keepNow: () => keep(keeper),
    isUnsaved: () => isUnsaved(keeper),
  }
}

/** @param {Keeper} keeper */
function isUnsaved({ text, keptText }) {
  return text.value !== keptText
}

/** @param {Keeper} keeper */
function schedule(keeper) {
  clearTimeout(keeper.timer)
  if (!keeper.stopped) keeper.timer = setTimeout(() => void keep(keeper), keeper.pauseMs)
}

/** @param {Keeper} keeper */
async function keep(keeper) {
  const { editor, text } = keeper
  if (keeper.running) return schedule(keeper)
  if (keeper.stopped || !isUnsaved(keeper)) return
  keeper.running = true
  const value = text.value
  try {
    const path = editor.dataset['draftPath'] ?? ''
    await settle(keeper, await sendFields(editor, { path, fields: fieldsOf(editor) }), value)
  } catch {
    slowDown(keeper)
    say(keeper, 'The draft is not kept: the server cannot be reached. Trying again.')
  } finally {
    keeper.running = false
  }
  if (isUnsaved(keeper)) schedule(keeper)
}

/**
 * Handles the server's answer.
 * @param {Keeper} keeper
 * @param {Response} answer
 * @param {string} value the text that was sent
 */
async function settle(keeper, answer, value) {
  const { editor } = keeper
  const body = await answer.json()
  if (answer.ok) {
    keeper.keptText = value
    keeper.pauseMs = pauseMs
    setField(editor, 'draft', body.revision)
    const time = new Date(body.at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    return say(keeper, `Draft kept at ${time}.`)
  }
  if (body.staleToken && (await renewToken(editor))) {
    keeper.pauseMs = 100
    return
  }
  if (answer.status === 429 || answer.status >= 500) {
    slowDown(keeper)
    return say(keeper, `The draft is not kept yet: ${body.error}`)
  }
  keeper.stopped = true
  if (typeof body.revision === 'string') {
    return say(keeper, body.error, { label: 'Keep this text', run: () => replace(keeper, body.revision) })
  }
  const reason = answer.status === 401 ? 'You are signed out. Sign in in another tab, then try again.' : body.error
  say(keeper, `The draft is not kept: ${reason}`, { label: 'Try again', run: () => void resume(keeper) })
}

/** @param {Keeper} keeper */
function slowDown(keeper) {
  keeper.pauseMs = Math.min(longestPauseMs, keeper.pauseMs * 2)
}

/**
 * Replaces the draft of another window with this text.
 * @param {Keeper} keeper
 * @param {string} revision
 */
function replace(keeper, revision) {
  setField(keeper.editor, 'draft', revision)
  void resume(keeper)
}

/** @param {Keeper} keeper */
async function resume(keeper) {
  await renewToken(keeper.editor).catch(() => false)
  keeper.stopped = false
  keeper.pauseMs = pauseMs
  await keep(keeper)
}

/**
 * Shows the state of the draft below the text, with a button if the user has to decide.
 * @param {Keeper} keeper
 * @param {string} message
 * @param {{ label: string, run: () => void }} [action]
 */
function say({ editor }, message, action) {
  const place = editor.querySelector('[data-state]')
  place?.replaceChildren(message)
  if (!action) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet small'
  button.textContent = action.label
  button.addEventListener('click', action.run)
  place?.append(' ', button)
}
