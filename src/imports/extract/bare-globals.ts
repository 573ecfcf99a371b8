/**
 * Takes Node's HTTP client out of the globals of a reading process, which has no network. pdf.js asks one of its classes, as it is loaded,
 * whether it has a method, and that would load the whole client: a third of the time that the process takes to start.
 */
export function removeHttpClient(): void {
  // To define one of them, or to look at it, loads the client too.
  for (const name of ['fetch', 'FormData', 'Headers', 'Request', 'Response', 'WebSocket', 'EventSource'])
    Reflect.deleteProperty(globalThis, name)
  Reflect.set(globalThis, 'Response', UnusedResponse)
}

class UnusedResponse {
  async bytes(): Promise<Uint8Array> {
    throw new Error('a reading process has no network')
  }
}
