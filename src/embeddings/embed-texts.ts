import { EmbeddingError } from './read-answer.ts'
import { refusesTexts, type Embedder } from './embedder.ts'
import { quantize, type Vector } from './vector.ts'

/** Maximum length of a page's text that is sent, UTF-16 units: about the limit of models. */
export const maxPageLength = 6000
/** A refused page is sent again with half of its text, as long as this much remains. */
const minLength = 700

const nothing: Vector = quantize([])

/**
 * The vectors of pages, in order. A page without letters, and a page that the service refuses at any length, has a
 * vector without dimensions. Throws `EmbeddingError`.
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

/** Sends texts together. If they are refused, sends the halves separately; a single refused text is halved itself. */
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
    if (text.length / 2 < minLength) return reportRefusal(embedder, error, signal)
    return embedAll(embedder, [clip(text, text.length / 2)], signal)
  }
}

/** Gives up on a page, unless the service refuses everything, which indicates a mistake in the configuration. */
async function reportRefusal(embedder: Embedder, refusal: EmbeddingError, signal: AbortSignal): Promise<Vector[]> {
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
