/** Converts the PUT to an upload URL to the input of the use case. */
export function toUploadRequest(token: string, request: Request) {
  const length = request.headers.get('content-length')
  return {
    token,
    contentType: request.headers.get('content-type'),
    contentLength: length === null ? null : Number(length),
    body: request.body ?? emptyBody(),
    signal: request.signal,
  }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
