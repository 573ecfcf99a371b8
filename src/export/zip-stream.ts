import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'

/** A file in the archive. */
export interface WrittenFile {
  path: string
  bytes: number
  /** Lower-case hexadecimal. */
  sha256: string
}

export interface NewFile {
  path: string
  body: AsyncIterable<Uint8Array>
  /** False for data that is already compressed. */
  compress: boolean
}

/** A ZIP archive that is streamed while it is created. */
export interface ZipStream {
  /** The bytes of the archive. */
  pieces: AsyncIterator<Uint8Array>
  /** Writes a file at the pace of the reader. Rejects with the error of its body, or the reason of `abort`. */
  add(file: NewFile): Promise<WrittenFile>
  /** Writes the central directory. */
  end(): void
  /** Aborts the archive: `pieces` throws, and the file that is being added is closed. Does nothing after the end. */
  abort(reason: Error): void
}

/**
 * Opens a ZIP archive (APPNOTE 6.3) with the time `at` for its files; uses ZIP64 if sizes need it. Memory holds the
 * central directory and the chunks in transit.
 */
export function openZipStream(at: Date): ZipStream {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const { promise: broken, reject } = Promise.withResolvers<never>()
  // `add` reports the error; otherwise it is ignored.
  broken.catch(() => {})
  let current: Readable | null = null
  const abort = (reason: Error) => {
    reject(reason)
    current?.destroy()
    output.destroy(reason)
  }
  zip.on('error', abort)
  // The stream may be aborted before anybody reads it.
  output.on('error', () => {})
  return {
    pieces: output[Symbol.asyncIterator](),
    add({ path, body, compress }) {
      const { promise: written, resolve } = Promise.withResolvers<WrittenFile>()
      const stream = Readable.from(
        measured(body, (measure) => resolve({ path, ...measure })),
        { objectMode: false },
      )
      current = stream
      stream.once('error', abort)
      // The archive keeps the function until its end, so the function must not capture a stream.
      const waiting: Readable[] = [stream]
      zip.addReadStreamLazy(path, { compress, mtime: at, mode: 0o100644 }, (open) =>
        open(null, waiting.pop() as Readable),
      )
      return Promise.race([written, broken])
    },
    end: () => zip.end(),
    abort,
  }
}

async function* measured(
  body: AsyncIterable<Uint8Array>,
  onEnd: (measure: Omit<WrittenFile, 'path'>) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of body) {
    hash.update(chunk)
    bytes += chunk.length
    // An empty chunk would end the stream.
    if (chunk.length > 0) yield chunk
  }
  onEnd({ bytes, sha256: hash.digest('hex') })
}
