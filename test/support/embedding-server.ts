import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

/** An OpenAI-compatible embedding service with known vectors: words with the same meaning have the same direction. */
export interface EmbeddingServer {
  /** For `LECTERN_EMBEDDINGS_URL`. */
  url: string
  /** The texts and headers of every answered request. */
  requests: { texts: string[]; model: string; authorization: string | undefined }[]
  /** How the next requests are answered. */
  mode: {
    /** A status other than 200. */
    status?: number
    delayMs?: number
    /** Longer texts are refused with 400. */
    maxLength?: number
    /** Replaces the response body. */
    body?: string
    /** Target of a redirect. */
    location?: string
    dimensions?: number
  }
  close(): Promise<void>
}

const meanings = [
  ['car', 'automobile', 'motorcar'],
  ['doctor', 'physician', 'medic'],
  ['ship', 'vessel', 'boat'],
  ['happy', 'glad', 'joyful'],
  ['bread', 'loaf', 'baking'],
  ['king', 'monarch', 'sovereign'],
]

/** The vector of a text: each meaning is one dimension, all other words share the last one. */
export function vectorOf(text: string, dimensions: number = 16): number[] {
  const vector = Array.from({ length: dimensions }, () => 0)
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const meaning = meanings.findIndex((words) => words.includes(word))
    const at = meaning < 0 ? dimensions - 1 : meaning
    vector[at] = (vector[at] ?? 0) + (meaning < 0 ? 0.05 : 1)
  }
  return vector
}

/** Starts the service on a free port. */
export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const requests: EmbeddingServer['requests'] = []
  const state: Pick<EmbeddingServer, 'mode'> = { mode: {} }
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: string; location?: string }> => {
    const { input, model }: { input: string[]; model: string } = JSON.parse(await readText(request))
    const { status = 200, delayMs = 0, maxLength = Infinity, body, location, dimensions } = state.mode
    if (delayMs > 0) await delay(delayMs)
    if (location !== undefined) return { status: 307, body: '', location }
    if (status !== 200) return { status, body: '{"error":{"message":"secret of the service"}}' }
    if (input.some((text) => text.length > maxLength)) return { status: 400, body: '{"error":"too long"}' }
    requests.push({ texts: input, model, authorization: request.headers.authorization })
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, dimensions) }))
    return { status: 200, body: body ?? JSON.stringify({ object: 'list', model, data: data.toReversed() }) }
  }
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { status, body, location } = await answer(request)
    response.writeHead(status, { 'Content-Type': 'application/json', ...(location ? { Location: location } : {}) })
    response.end(body)
  }
  const server = createServer((request, response) => {
    void respond(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
