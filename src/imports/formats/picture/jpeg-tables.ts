/** The tables of ITU-T T.81, annex K, which every decoder is tested with. */
export type TableName = 'luminance' | 'chrominance'

/** The position in a block of each coefficient in zigzag order. */
export const zigzag = Uint8Array.from([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
])

const quantisation: Record<TableName, readonly number[]> = {
  luminance: [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
  ],
  chrominance: [
    17,
    18,
    24,
    47,
    99,
    99,
    99,
    99,
    18,
    21,
    26,
    66,
    99,
    99,
    99,
    99,
    24,
    26,
    56,
    99,
    99,
    99,
    99,
    99,
    47,
    66,
    ...Array.from({ length: 38 }, () => 99),
  ],
}

/** The quantization steps for a quality from 1 to 100 as reciprocals, which coefficients are multiplied with. */
export function scaledTable(name: TableName, quality: number): Float32Array {
  const scale = quality < 50 ? 5000 / quality : 200 - quality * 2
  const steps = quantisation[name].map((step) => Math.min(255, Math.max(1, Math.floor((step * scale + 50) / 100))))
  return Float32Array.from(steps, (step) => 1 / step)
}

/** DQT: the quantization steps in zigzag order. */
export function quantisationSegment(table: Float32Array, id: number): Buffer {
  const steps = Array.from(zigzag, (place) => Math.round(1 / (table[place] as number)))
  return Buffer.from([0xff, 0xdb, 0, 67, id, ...steps])
}

interface HuffmanTable {
  /** Number of codes of each length from 1 to 16 bits. */
  lengths: readonly number[]
  symbols: readonly number[]
}

const acLuminance = hexBytes(
  '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a' +
    '434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8' +
    'a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
)
const acChrominance = hexBytes(
  '000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a3536373839' +
    '3a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6' +
    'a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
)

const huffman: Record<'dc' | 'ac', Record<TableName, HuffmanTable>> = {
  dc: {
    luminance: { lengths: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], symbols: range(12) },
    chrominance: { lengths: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], symbols: range(12) },
  },
  ac: {
    luminance: { lengths: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d], symbols: acLuminance },
    chrominance: { lengths: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77], symbols: acChrominance },
  },
}

/** The code of each symbol and its length in bits. */
export interface HuffmanCodes {
  codes: Uint16Array
  lengths: Uint8Array
}

/** The codes of a table by symbol. */
export function huffmanCodes(kind: 'dc' | 'ac', name: TableName): HuffmanCodes {
  const { lengths, symbols } = huffman[kind][name]
  const found: HuffmanCodes = { codes: new Uint16Array(256), lengths: new Uint8Array(256) }
  let [code, at] = [0, 0]
  for (const [index, count] of lengths.entries()) {
    for (let each = 0; each < count; each++) {
      const symbol = symbols[at++] as number
      found.codes[symbol] = code++
      found.lengths[symbol] = index + 1
    }
    code <<= 1
  }
  return found
}

/** DHT: the tables of a grey or a colour picture. */
export function huffmanSegments(grey: boolean): Buffer[] {
  const names: TableName[] = grey ? ['luminance'] : ['luminance', 'chrominance']
  return names.flatMap((name, id) =>
    (['dc', 'ac'] as const).map((kind) => {
      const { lengths, symbols } = huffman[kind][name]
      const header = [0xff, 0xc4, 0, 19 + symbols.length, (kind === 'ac' ? 0x10 : 0) | id]
      return Buffer.from([...header, ...lengths, ...symbols])
    }),
  )
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at)
}

function hexBytes(text: string): number[] {
  return [...Buffer.from(text, 'hex')]
}
