import { z } from 'zod'
import { quantize, type Vector } from './vector.ts'

/** Thrown for an unexpected answer of the service; the message is for the log and contains no part of the request. */
export class EmbeddingError extends Error {
  /** HTTP status; null: the answer was incomplete. */
  readonly status: number | null
  /** The pause that the service asks for, ms. */
  readonly retryAfterMs: number

  constructor(
    message: string,
    { status = null, retryAfterMs = 0 }: { status?: number | null; retryAfterMs?: number } = {},
  ) {
    super(message)
    this.name = 'EmbeddingError'
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** Maximum size of the vector of one text as JSON, bytes: 8,192 dimensions of 24 characters. */
const maxVectorBytes = 200_000
const maxDimensions = 8192

const Answer = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(maxDimensions) })),
})

/** Parses the vectors of `count` texts, in order, from an answer of OpenAI's API. Throws `EmbeddingError`. */
export async function readAnswer(response: Response, count: number): Promise<Vector[]> {
  const text = await readBounded(response, 10_000 + count * maxVectorBytes)
  const answer = Answer.safeParse(parseJson(text))
  if (!answer.success) throw new EmbeddingError('the answer is not a list of vectors')
  const { data } = answer.data
  const dimensions = data[0]?.embedding.length ?? 0
  if (data.length !== count) throw new EmbeddingError(`${count} texts were sent, ${data.length} vectors came back`)
  const vectors: Vector[] = []
  for (const { index, embedding } of data) {
    if (index >= count || vectors[index]) throw new EmbeddingError('the vectors are not numbered as the texts are')
    if (embedding.length !== dimensions) throw new EmbeddingError('the vectors differ in length')
    vectors[index] = quantize(embedding)
  }
  return vectors
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new EmbeddingError('the answer is not JSON')
  }
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > maxBytes) throw new EmbeddingError(`the answer has more than ${maxBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
