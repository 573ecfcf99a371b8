// Buttons that copy the text beside them. Without this script, or over plain http, a click selects the text.

import { toast } from './frame.js'

for (const source of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-copy]'))) {
  addCopyButton(source)
}

/**
 * Adds a button that copies the value of a field, or the text of the element or of its attribute.
 * @param {HTMLElement} source
 */
function addCopyButton(source) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy-button'
  button.textContent = 'Copy'
  button.addEventListener('click', () => void copy(source, button))
  source.after(button)
}

/**
 * @param {HTMLElement} source
 * @param {HTMLButtonElement} button
 */
async function copy(source, button) {
  const text = source instanceof HTMLInputElement ? source.value : source.dataset['copy'] || source.textContent || ''
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  } catch {
    // Browsers provide no clipboard over plain http, so the text is only selected.
    if (source instanceof HTMLInputElement) source.select()
    else getSelection()?.selectAllChildren(source)
    toast('The text is selected: copy it with Ctrl+C or ⌘C.')
  }
}
