// The fields of an editor's form, and how to send them.

/** Maximum size of a body that the browser still sends after it has left the page, in bytes (Fetch Standard: 64 KiB). */
const maxKeptAlive = 65_536

/**
 * Sends fields of the editor as JSON.
 * @param {HTMLFormElement} editor
 * @param {{ path: string, fields: Record<string, string>, signal?: AbortSignal }} request
 */
export function sendFields(editor, { path, fields, signal }) {
  const body = new Blob([JSON.stringify(fields)])
  return fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': fieldOf(editor, 'csrf') },
    body,
    keepalive: body.size <= maxKeptAlive,
    ...(signal ? { signal } : {}),
  })
}

/** @param {HTMLFormElement} editor */
export function fieldsOf(editor) {
  const names = ['text', 'version', 'draft', 'lineEnds']
  return Object.fromEntries(names.map((name) => [name, fieldOf(editor, name)]))
}

/**
 * @param {HTMLFormElement} editor
 * @param {string} name
 */
function fieldOf(editor, name) {
  const field = editor.elements.namedItem(name)
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : ''
}

/**
 * @param {HTMLFormElement} editor
 * @param {string} name
 * @param {string} value
 */
export function setField(editor, name, value) {
  const field = editor.elements.namedItem(name)
  if (field instanceof HTMLInputElement) field.value = value
}

/**
 * Takes the CSRF token of a session that began after this page was opened; false if nobody is signed in.
 * @param {HTMLFormElement} editor
 */
export async function renewToken(editor) {
  const answer = await fetch(new URL(editor.action).pathname)
  if (!answer.ok || answer.redirected) return false
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const token = page.querySelector('form[data-editor] input[name="csrf"]')?.getAttribute('value')
  if (!token) return false
  setField(editor, 'csrf', token)
  return true
}
