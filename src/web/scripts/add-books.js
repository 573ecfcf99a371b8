// @ts-check
/**
 * Adds files as books without leaving the page: they are chosen, or dropped anywhere on a page that has the queue
 * (`components/add-books-queue.ts`), and sent two at a time. The form of /add becomes the place to choose them.
 */
import { takenFiles } from './file-types.js'
import { filesOfDrop, filesOfInput } from './dropped-files.js'
import { UploadQueue } from './upload-queue.js'

const root = /** @type {HTMLElement | null} */ (document.querySelector('[data-add-books]'))
if (root) start(root)

/** @param {HTMLElement} section */
function start(section) {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector('[data-add-form]'))
  const queue = new UploadQueue(section, () => ({
    shelf: valueOf(form, 'shelf'),
    password: valueOf(form, 'password'),
    again: form?.querySelector('[name="again"]:checked') != null,
    shelvesByFolder: form?.querySelector('[name="byFolder"]:checked') != null,
  }))
  if (form) improveForm(form, queue)
  listenForDrops(queue)
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
  return field instanceof HTMLSelectElement || field instanceof HTMLInputElement ? field.value : ''
}

/**
 * Files are sent as soon as they are chosen. So buttons that choose files or a folder replace the field and the form's
 * own button.
 * @param {HTMLFormElement} form
 * @param {UploadQueue} queue
 */
function improveForm(form, queue) {
  const input = /** @type {HTMLInputElement} */ (form.querySelector('input[type="file"]'))
  const folder = /** @type {HTMLInputElement} */ (input.cloneNode())
  for (const name of ['id', 'name', 'accept']) folder.removeAttribute(name)
  folder.setAttribute('webkitdirectory', '')
  for (const field of [input, folder]) {
    field.hidden = true
    field.addEventListener('change', () => {
      queue.add(filesOfInput(field))
      field.value = ''
    })
  }
  const buttons = document.createElement('div')
  buttons.className = 'actions'
  const submit = /** @type {HTMLButtonElement} */ (form.querySelector(':scope > button'))
  buttons.append(chooser(submit, 'Choose files', input), chooser(submit, 'Choose a folder', folder), folder)
  buttons.lastElementChild?.previousElementSibling?.classList.add('quiet')
  input.after(buttons)
  submit.remove()
  const byFolder = /** @type {HTMLElement | null} */ (form.querySelector('[data-by-folder]'))
  if (byFolder) byFolder.hidden = false
  const label = form.querySelector('label[for="files"]')
  label?.replaceWith(Object.assign(document.createElement('strong'), { textContent: label.textContent }))
  const hint = form.querySelector('#files-hint')
  if (hint) hint.textContent = `${takenFiles}. Drop files or folders anywhere on this page, or choose them.`
  form.addEventListener('submit', (event) => event.preventDefault())
}

/**
 * A button that opens the dialog of a file field, with the icon of the form's button.
 * @param {HTMLButtonElement} submit
 * @param {string} text
 * @param {HTMLInputElement} field
 */
function chooser(submit, text, field) {
  const button = document.createElement('button')
  button.type = 'button'
  const icon = submit.querySelector('svg')
  if (icon) button.append(icon.cloneNode(true))
  button.append(text)
  button.setAttribute('aria-describedby', 'files-hint')
  button.addEventListener('click', () => field.click())
  return button
}

/** @param {UploadQueue} queue */
function listenForDrops(queue) {
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
  document.addEventListener('drop', (event) => {
    if (!hasFiles(event) || !event.dataTransfer) return
    event.preventDefault()
    show(false)
    void filesOfDrop(event.dataTransfer).then((chosen) => queue.add(chosen))
  })
}

/** @param {DragEvent} event */
function hasFiles({ dataTransfer }) {
  return dataTransfer?.types.includes('Files') ?? false
}
