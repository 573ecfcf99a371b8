import { createDrafts } from './editor-drafts.js'
import { sendFields } from './editor-fields.js'

// The page editor: saves drafts, shows a preview during typing, and saves with Ctrl+S or Command+S.

/** Delay after the last change before the preview is updated (debounce), ms. */
const previewPauseMs = 600

const form = /** @type {HTMLFormElement | null} */ (document.querySelector('form[data-editor]'))
if (form) startEditor(form)

/** @param {HTMLFormElement} editor */
function startEditor(editor) {
  const text = /** @type {HTMLTextAreaElement} */ (editor.elements.namedItem('text'))
  const save = /** @type {HTMLButtonElement} */ (editor.querySelector('.choices button:not([formaction])'))
  const drafts = createDrafts(editor, text)
  const preview = createPreview(editor, text)
  let leaving = false
  let asked = false

  text.addEventListener('input', () => {
    asked = false
    drafts.changed()
    preview?.changed()
  })
  editor.addEventListener('submit', () => {
    leaving = true
    drafts.stop()
  })
  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 's') {
      event.preventDefault()
      editor.requestSubmit(save)
    }
  })
  addEventListener('beforeunload', (event) => {
    if (leaving || !drafts.isUnsaved()) return
    event.preventDefault()
    asked = true
  })
  // A phone may end a page that is not visible. No draft is saved after the user has confirmed leaving without saving.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden && !leaving && !asked) void drafts.keepNow()
  })
  // The page may be restored from the browser's back/forward cache.
  addEventListener('pageshow', () => {
    leaving = false
  })
  indentWithTab(text)
  rememberLetters(editor)
  void preview?.show()
}

/**
 * Creates a live preview; null if the page has none.
 * @param {HTMLFormElement} editor
 * @param {HTMLTextAreaElement} text
 */
function createPreview(editor, text) {
  const place = document.getElementById('preview')
  const path = editor.dataset['previewPath']
  if (!place || !path) return null
  let timer = 0
  let shown = ''
  /** @type {AbortController | null} */
  let running = null

  async function show() {
    if (text.value === shown || !place || !path) return
    const value = text.value
    running?.abort()
    running = new AbortController()
    try {
      const answer = await sendFields(editor, { path, fields: { text: value }, signal: running.signal })
      if (!answer.ok) return
      // The server has sanitised it, and the response has the same origin.
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      place.replaceChildren(...page.body.childNodes)
      shown = value
    } catch {
      // The next change tries again.
    }
  }

  return {
    show,
    changed() {
      clearTimeout(timer)
      // The server takes longer for long pages.
      timer = setTimeout(() => void show(), text.value.length > 100_000 ? 3 * previewPauseMs : previewPauseMs)
    },
  }
}

/**
 * Makes Tab indent with spaces while the user is typing. Tab moves the focus before anything was typed and after
 * Escape; Shift+Tab always moves it back.
 * @param {HTMLTextAreaElement} text
 */
function indentWithTab(text) {
  let indents = false
  const hint = document.getElementById('text-hint')
  hint?.append(' While you write, Tab indents; Escape, then Tab, moves on to the buttons.')
  text.addEventListener('focus', () => {
    indents = false
  })
  text.addEventListener('input', () => {
    indents = true
  })
  text.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') indents = false
    if (!indents || event.key !== 'Tab' || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    insert(text, '    ')
  })
}

/**
 * Inserts words at the cursor, so that the browser can undo this and everything before it. `setRangeText` would end the
 * history of changes; nothing but the deprecated `execCommand` continues it.
 * @param {HTMLTextAreaElement} text
 * @param {string} words
 */
function insert(text, words) {
  if (document.execCommand('insertText', false, words)) return
  text.setRangeText(words, text.selectionStart, text.selectionEnd, 'end')
  text.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * Restores the font (serif or monospace) that was last chosen in this browser.
 * @param {HTMLFormElement} editor
 */
function rememberLetters(editor) {
  const key = 'lectern-editor-letters'
  for (const choice of editor.querySelectorAll('input[name="letters"]')) {
    if (!(choice instanceof HTMLInputElement)) continue
    choice.addEventListener('change', () => localStorage.setItem(key, choice.value))
    if (choice.value === localStorage.getItem(key)) choice.checked = true
  }
}
