import { createDrafts } from './editor-drafts.js'
import { sendFields } from './editor-fields.js'

// The editor of a page: keeps a draft while somebody types, shows the preview, saves with Ctrl+S or Command+S.

/** How long nothing is typed before the preview is shown, ms. */
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

  text.addEventListener('input', () => {
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
    if (!leaving && drafts.isUnsaved()) event.preventDefault()
  })
  // A page that comes back from the browser's cache is edited again.
  addEventListener('pageshow', () => {
    leaving = false
  })
  indentWithTab(text)
  rememberLetters(editor)
  void preview?.show()
}

/**
 * Shows the text as readers see it while somebody types; null where a page has no preview.
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
      // The server has sanitised it; the answer is of the same origin.
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
      // Long pages take the server longer.
      timer = setTimeout(() => void show(), text.value.length > 100_000 ? 3 * previewPauseMs : previewPauseMs)
    },
  }
}

/**
 * While somebody writes, Tab indents with spaces. It moves on before anything was typed, and after Escape; Shift+Tab always
 * goes back.
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
    text.setRangeText('    ', text.selectionStart, text.selectionEnd, 'end')
    text.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/**
 * Serif or monospace, as it was chosen last in this browser.
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
