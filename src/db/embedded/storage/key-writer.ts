/** A growing byte buffer for index keys. */
export type KeyWriter = { bytes: Buffer; length: number }

/** An empty writer. */
export function keyWriter(): KeyWriter {
  return { bytes: Buffer.allocUnsafe(64), length: 0 }
}

/** Reserves `size` more bytes and returns their offset. */
export function reserve(writer: KeyWriter, size: number): number {
  const at = writer.length
  writer.length = at + size
  if (writer.length > writer.bytes.length) {
    const larger = Buffer.allocUnsafe(Math.max(writer.length, writer.bytes.length * 2))
    writer.bytes.copy(larger, 0, 0, at)
    writer.bytes = larger
  }
  return at
}

/** Appends one byte. */
export function writeByte(writer: KeyWriter, byte: number): void {
  const at = reserve(writer, 1)
  writer.bytes[at] = byte
}

/** Appends bytes as they are. */
export function writeBytes(writer: KeyWriter, bytes: Uint8Array): void {
  const at = reserve(writer, bytes.length)
  writer.bytes.set(bytes, at)
}

/** Appends text in an encoding that sorts like its UTF-8: NUL becomes `00 ff`, the end is `00 00`. */
export function writeText(writer: KeyWriter, text: string): void {
  const size = Buffer.byteLength(text)
  const at = reserve(writer, size + 2)
  writer.bytes.write(text, at)
  const zero = writer.bytes.subarray(at, at + size).indexOf(0)
  if (zero >= 0) {
    writer.length = at
    writeEscaped(writer, Buffer.from(text))
  } else {
    writer.bytes[at + size] = 0
    writer.bytes[at + size + 1] = 0
  }
}

function writeEscaped(writer: KeyWriter, text: Buffer): void {
  for (const byte of text) {
    writeByte(writer, byte)
    if (byte === 0) writeByte(writer, 0xff)
  }
  writeByte(writer, 0)
  writeByte(writer, 0)
}

/** Flips every bit from `from` on, which reverses the order of self-delimiting keys. */
export function invert(writer: KeyWriter, from: number): void {
  const { bytes, length } = writer
  for (let at = from; at < length; at += 1) bytes[at] = ~(bytes[at] ?? 0)
}

/** A copy of the written bytes. */
export function written(writer: KeyWriter): Buffer {
  return Buffer.from(writer.bytes.subarray(0, writer.length))
}
