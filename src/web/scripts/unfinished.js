// A book that is still being imported: updates the text of `data-unfinished` while the page is visible, and opens the
// requested page (`data-wanted`) as soon as it is available. Polling costs no read.

const intervalMs = 1_500
const watched = document.querySelector('[data-unfinished]')

/** @typedef {{ unfinished: boolean, pagesReady: number, words: string }} Extent */

/** @param {HTMLElement} element */
function watch(element) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const ask = async () => {
    const answer = await fetch(element.dataset['unfinished'] ?? '').catch(() => null)
    // Signed out, or the server is unreachable: polls again as long as the page is visible.
    if (!answer?.ok || answer.redirected) return true
    return show(element, await answer.json())
  }
  const next = () => {
    clearTimeout(timer)
    if (document.hidden) return
    timer = setTimeout(async () => {
      if (await ask()) next()
    }, intervalMs)
  }
  document.addEventListener('visibilitychange', next)
  next()
}

/**
 * Returns whether to continue polling.
 * @param {HTMLElement} element
 * @param {Extent} extent
 */
function show(element, { unfinished, pagesReady, words }) {
  const wanted = Number(element.dataset['wanted'] ?? 0)
  if (wanted > 0 && (!unfinished || pagesReady >= wanted)) {
    location.reload()
    return false
  }
  const place = element.querySelector('[data-words]')
  if (place && place.textContent !== words) place.textContent = words
  if (unfinished) return true
  element.querySelector('[data-until-ended]')?.remove()
  element.querySelector('[data-when-ended]')?.removeAttribute('hidden')
  return false
}

if (watched instanceof HTMLElement) watch(watched)
