import { huffmanCodes, type HuffmanCodes, type TableName } from './jpeg-tables.ts'

/** Writes the blocks of a JPEG as a bit stream. */
export interface HuffmanWriter {
  /** Writes 64 coefficients in zigzag order; `previous` is the first one of the previous block. */
  writeBlock(coefficients: Int32Array, component: { codes: TableName; previous: number }): void
  /** Returns all bytes; the last one is padded with ones. */
  end(): Buffer
}

const tables = {
  luminance: { dc: huffmanCodes('dc', 'luminance'), ac: huffmanCodes('ac', 'luminance') },
  chrominance: { dc: huffmanCodes('dc', 'chrominance'), ac: huffmanCodes('ac', 'chrominance') },
}

const sixteenZeros = 0xf0
const endOfBlock = 0

/** Creates a writer of the entropy-coded part of a baseline JPEG (ITU-T T.81, annex F.1). */
export function createHuffmanWriter(): HuffmanWriter {
  let bytes = Buffer.allocUnsafe(64 * 1024)
  let [length, bits, pending] = [0, 0, 0]

  const writeByte = (byte: number) => {
    if (length + 2 > bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2)
    bytes[length++] = byte
    // A byte 0xFF would begin a marker, so a zero byte is stuffed.
    if (byte === 0xff) bytes[length++] = 0
  }
  const writeBits = (value: number, count: number) => {
    // At most 7 bits are pending and at most 16 are added.
    pending = (pending << count) | value
    bits += count
    while (bits >= 8) {
      bits -= 8
      writeByte((pending >>> bits) & 0xff)
    }
    pending &= (1 << bits) - 1
  }
  const writeValue = ({ codes, lengths }: HuffmanCodes, run: number, value: number) => {
    const size = 32 - Math.clz32(Math.abs(value))
    const symbol = (run << 4) | size
    writeBits(codes[symbol] as number, lengths[symbol] as number)
    if (size > 0) writeBits(value < 0 ? value + (1 << size) - 1 : value, size)
  }
  const writeSymbol = ({ codes, lengths }: HuffmanCodes, symbol: number) =>
    writeBits(codes[symbol] as number, lengths[symbol] as number)

  return {
    writeBlock(coefficients, { codes, previous }) {
      const { dc, ac } = tables[codes]
      writeValue(dc, 0, (coefficients[0] as number) - previous)
      let zeros = 0
      for (let at = 1; at < 64; at++) {
        const value = coefficients[at] as number
        if (value === 0) {
          zeros++
          continue
        }
        for (; zeros > 15; zeros -= 16) writeSymbol(ac, sixteenZeros)
        writeValue(ac, zeros, value)
        zeros = 0
      }
      if (zeros > 0) writeSymbol(ac, endOfBlock)
    },
    end() {
      if (bits > 0) writeBits((1 << (8 - bits)) - 1, 8 - bits)
      return bytes.subarray(0, length)
    },
  }
}
