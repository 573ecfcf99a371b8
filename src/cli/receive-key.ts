import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Maximum time for signing in, ms. */
const timeoutMs = 10 * 60_000

/** Waits on 127.0.0.1 for the key from the browser. */
export interface KeyReceiver {
  /** The query for the server's page: `/cli-auth?port=N&state=S`. */
  query: string
  /** The key; null if nobody has signed in within ten minutes. */
  key: Promise<string | null>
  close(): void
}

/** Starts to listen. Refuses a key without the state of this sign-in, because another program could have sent it. */
export async function receiveKey(): Promise<KeyReceiver> {
  const state = randomBytes(32).toString('base64url')
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const answer = (status: number, text: string) =>
      response.writeHead(status, headers).end(page(text), () => request.socket.end())
    const key = searchParams.get('key') ?? ''
    if (request.method !== 'GET' || pathname !== '/callback') answer(404, 'There is no page here.')
    else if (!isSame(searchParams.get('state') ?? '', state))
      answer(403, 'This is the answer to another sign-in. Nothing was stored. Open the address in the terminal again.')
    else if (!/^[\x21-\x7e]{1,1024}$/.test(key))
      answer(400, 'The answer has no key. Open the address in the terminal again.')
    else {
      answer(200, 'The key has arrived. You can close this page and continue in the terminal.')
      resolve(key)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const timer = setTimeout(() => resolve(null), timeoutMs)
  const { port } = server.address() as AddressInfo
  return {
    query: new URLSearchParams({ port: String(port), state }).toString(),
    key: promise,
    close() {
      clearTimeout(timer)
      server.close()
    },
  }
}

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  Connection: 'close',
}

/** The script removes the key from the URL, which would stay in the history of the browser. */
function page(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Lectern</title>
<script>history.replaceState(null, '', '/')</script>
<body style="font: 1.1rem system-ui; margin: 20vh auto; max-width: 30rem"><p>${text}</p></body></html>`
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
