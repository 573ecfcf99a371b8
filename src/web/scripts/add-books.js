// @ts-check
/**
 * Adds files as books without leaving the page: they are chosen, or dropped anywhere on a page that has the queue
 * (`components/add-books-queue.ts`), and sent two at a time. The form of /add becomes the place to choose them.
 */
import { filesOfDrop, filesOfInput } from './dropped-files.js'
import { UploadQueue } from './upload-queue.js'

const root = /** @type {HTMLElement | null} */ (document.querySelector('[data-add-books]'))
if (root) start(root)

/** @param {HTMLElement} section */
function start(section) {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector('[data-add-form]'))
  const queue = new UploadQueue(section, () => ({
    shelf: valueOf(form, 'shelf'),
    again: form?.querySelector('[name="again"]:checked') != null,
  }))
  if (form) improveForm(form, queue)
  takeDrops(queue)
  addEventListener('beforeunload', (event) => {
    if (queue.isSending) event.preventDefault()
  })
}

/**
 * @param {HTMLFormElement | null} form
 * @param {string} name
 */
function valueOf(form, name) {
  const field = form?.elements.namedItem(name)
  return field instanceof HTMLSelectElement ? field.value : ''
}

/**
 * Files are sent as soon as they are chosen, so the form's own button goes; folders can be chosen too.
 * @param {HTMLFormElement} form
 * @param {UploadQueue} queue
 */
function improveForm(form, queue) {
  const input = /** @type {HTMLInputElement} */ (form.querySelector('input[type="file"]'))
  const folder = /** @type {HTMLInputElement} */ (input.cloneNode())
  folder.removeAttribute('id')
  folder.removeAttribute('name')
  folder.removeAttribute('accept')
  folder.setAttribute('webkitdirectory', '')
  folder.hidden = true
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = 'Choose a folder'
  button.addEventListener('click', () => folder.click())
  form.querySelector(':scope > button')?.replaceWith(folder, button)
  form.classList.add('with-script')
  const hint = form.querySelector('#files-hint')
  if (hint) hint.textContent = 'PDF, EPUB or Markdown. Choose files or a folder, or drop them anywhere on this page.'
  for (const one of [input, folder]) {
    one.addEventListener('change', () => {
      queue.add(filesOfInput(one))
      one.value = ''
    })
  }
  form.addEventListener('submit', (event) => event.preventDefault())
}

/** @param {UploadQueue} queue */
function takeDrops(queue) {
  const hint = /** @type {HTMLElement | null} */ (document.querySelector('[data-drop-hint]'))
  /** @param {boolean} isOver */
  const show = (isOver) => {
    if (hint) hint.hidden = !isOver
  }
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    show(true)
  })
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) show(false)
  })
  document.addEventListener('drop', async (event) => {
    if (!hasFiles(event) || !event.dataTransfer) return
    event.preventDefault()
    show(false)
    queue.add(await filesOfDrop(event.dataTransfer))
  })
}

/** @param {DragEvent} event */
function hasFiles({ dataTransfer }) {
  return dataTransfer?.types.includes('Files') ?? false
}
