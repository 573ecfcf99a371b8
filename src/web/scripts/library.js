// The library: selects books for bulk actions, with ranges (Shift), and shows the action bar.

/** @typedef {{ form: HTMLFormElement, bar: HTMLElement, count: HTMLElement }} Selection */

const found = document.querySelector('form[data-selection]')
if (found instanceof HTMLFormElement) begin(found)

/** @param {HTMLFormElement} form */
function begin(form) {
  const bar = form.querySelector('[data-selection-bar]')
  const count = form.querySelector('[data-selection-count]')
  if (!(bar instanceof HTMLElement) || !(count instanceof HTMLElement)) return
  const selection = { form, bar, count }
  /** @type {HTMLInputElement | null} */
  let last = null
  form.classList.add('scripted')
  for (const part of form.querySelectorAll('[data-selection-script]'))
    if (part instanceof HTMLElement) part.hidden = false
  form.addEventListener('click', (event) => {
    const box = event.target
    if (!(box instanceof HTMLInputElement) || box.name !== 'ids') return
    if (event.shiftKey && last) tickRange(form, last, box)
    last = box
    show(selection)
  })
  form.addEventListener('change', () => show(selection))
  bar.querySelector('[data-select-all]')?.addEventListener('click', () => selectAll(selection, true))
  bar.querySelector('[data-select-none]')?.addEventListener('click', () => selectAll(selection, false))
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && ticked(form).length > 0) selectAll(selection, false)
  })
  // After navigating back, the browser may have kept the checked boxes.
  window.addEventListener('pageshow', () => show(selection))
  show(selection)
}

/**
 * @param {HTMLFormElement} form
 * @returns {HTMLInputElement[]}
 */
function boxes(form) {
  return Array.from(form.querySelectorAll('input[name="ids"]')).filter((box) => box instanceof HTMLInputElement)
}

/** @param {HTMLFormElement} form */
function ticked(form) {
  return boxes(form).filter((box) => box.checked)
}

/**
 * The books between two clicked checkboxes get the state of the second one.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement} from
 * @param {HTMLInputElement} to
 */
function tickRange(form, from, to) {
  const all = boxes(form)
  const [start, end] = [all.indexOf(from), all.indexOf(to)].sort((a, b) => a - b)
  for (const box of all.slice(start, (end ?? 0) + 1)) box.checked = to.checked
}

/**
 * @param {Selection} selection
 * @param {boolean} on
 */
function selectAll(selection, on) {
  for (const box of boxes(selection.form)) box.checked = on
  show(selection)
}

/** @param {Selection} selection */
function show({ form, bar, count }) {
  const number = ticked(form).length
  bar.hidden = number === 0
  form.classList.toggle('selecting', number > 0)
  const words = number === 1 ? '1 book selected' : `${number} books selected`
  if (count.textContent !== words) count.textContent = words
}
