// Forms with a text that somebody has typed are sent only while the server answers. Otherwise the browser would leave
// the page for its own error page, and the text would be lost.

const answerWithinMs = 10_000

/** Forms whose server has just answered. */
const ready = new WeakSet()
/** Forms that wait for an answer. */
const waiting = new WeakSet()

/** Starts holding back forms. It comes before the listeners of forms, which prepare to leave the page. */
export function holdUnsentText() {
  document.addEventListener('submit', hold, { capture: true })
}

/** @param {SubmitEvent} event */
function hold(event) {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || ready.has(form) || !hasTypedText(form)) return
  event.preventDefault()
  event.stopPropagation()
  void sendWhenReachable(form, submitter)
}

/** @param {HTMLFormElement} form */
function hasTypedText(form) {
  const texts = [...form.querySelectorAll('textarea')]
  return texts.some(({ value, readOnly }) => !readOnly && value.trim() !== '')
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
async function sendWhenReachable(form, submitter) {
  if (waiting.has(form)) return
  waiting.add(form)
  const isReachable = await reachServer()
  waiting.delete(form)
  form.querySelector('[data-unsent]')?.remove()
  if (!isReachable) return explain(form, submitter)
  ready.add(form)
  form.requestSubmit(submitter)
  ready.delete(form)
}

/** Returns whether the server answers; a proxy without its server does not count. */
async function reachServer() {
  try {
    const answer = await fetch('/notifications/unread', { signal: AbortSignal.timeout(answerWithinMs) })
    return answer.status < 500
  } catch {
    return false
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
function explain(form, submitter) {
  const problem = document.createElement('p')
  problem.className = 'problem'
  problem.setAttribute('role', 'alert')
  problem.dataset['unsent'] = ''
  problem.textContent = 'Not sent: the server cannot be reached. Your text is still here. Try again in a moment.'
  const place = submitter?.closest('.choices') ?? submitter
  if (place) place.before(problem)
  else form.append(problem)
}
