import { EmbeddingError } from './read-answer.ts'
import { refusesTexts, type Embedder } from './embedder.ts'
import { quantize, type Vector } from './vector.ts'

/** So much of a page is sent, UTF-16 units: about what models take. */
export const maxPageLength = 6000
/** A page that is refused is sent with half of its text, as often as this is left. */
const minLength = 700

const nothing: Vector = quantize([])

/**
 * The vectors of pages, in their order; none (of no dimensions) for a page without letters, and for one that the service refuses
 * however short. Throws `EmbeddingError`.
 */
export async function embedTexts(embedder: Embedder, texts: readonly string[], signal: AbortSignal): Promise<Vector[]> {
  const vectors = texts.map(() => nothing)
  const sent = texts.flatMap((text, at) =>
    /[\p{L}\p{N}]/u.test(text) ? [{ at, text: clip(text, maxPageLength) }] : [],
  )
  if (sent.length === 0) return vectors
  const found = await embedAll(
    embedder,
    sent.map(({ text }) => text),
    signal,
  )
  for (const [index, { at }] of sent.entries()) vectors[at] = found[index] ?? nothing
  return vectors
}

/** Sends texts together; those that are refused in halves, and one alone with half of its text. */
async function embedAll(embedder: Embedder, texts: readonly string[], signal: AbortSignal): Promise<Vector[]> {
  try {
    return await embedder.embedPages(texts, signal)
  } catch (error) {
    if (!(error instanceof EmbeddingError) || !refusesTexts(error)) throw error
    if (texts.length > 1) {
      const half = Math.ceil(texts.length / 2)
      const first = await embedAll(embedder, texts.slice(0, half), signal)
      return [...first, ...(await embedAll(embedder, texts.slice(half), signal))]
    }
    const [text = ''] = texts
    if (text.length / 2 < minLength) return giveUp(embedder, error, signal)
    return embedAll(embedder, [clip(text, text.length / 2)], signal)
  }
}

/** A page that nothing helps has no vector, unless the service refuses everything: that is a mistake in the configuration. */
async function giveUp(embedder: Embedder, refusal: EmbeddingError, signal: AbortSignal): Promise<Vector[]> {
  try {
    await embedder.embedPages(['page'], signal)
  } catch {
    throw refusal
  }
  return [nothing]
}

function clip(text: string, length: number): string {
  return text.slice(0, length).toWellFormed()
}
