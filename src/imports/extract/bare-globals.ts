/**
 * Removes Node's HTTP client from the globals of a reading process, which has no network. While loading, pdf.js probes
 * one of its classes, which would load the whole client: a third of the startup time of the process.
 */
export function removeHttpClient(): void {
  // Even defining or reading one of these globals normally loads the client.
  for (const name of ['fetch', 'FormData', 'Headers', 'Request', 'Response', 'WebSocket', 'EventSource'])
    Reflect.deleteProperty(globalThis, name)
  Reflect.set(globalThis, 'Response', UnusedResponse)
}

class UnusedResponse {
  async bytes(): Promise<Uint8Array> {
    throw new Error('a reading process has no network')
  }
}
