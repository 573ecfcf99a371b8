/** A quantized vector: integers from -127 to 127, whose product with `scale` has the length 1. */
export interface Vector {
  values: Int8Array
  /** 0 for a null vector, which resembles no other. */
  scale: number
}

/** Vectors with the same number of dimensions, concatenated. */
export interface VectorBlock {
  dimensions: number
  scales: Float32Array
  values: Int8Array
}

const largest = 127

/** Normalizes a vector to the length 1 and quantizes it to 8 bits per dimension. */
export function quantize(numbers: readonly number[]): Vector {
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + number * number, 0))
  let peak = 0
  for (const number of numbers) peak = Math.max(peak, Math.abs(number))
  const values = new Int8Array(numbers.length)
  if (peak === 0) return { values, scale: 0 }
  for (const [at, number] of numbers.entries()) values[at] = Math.round((number / peak) * largest)
  return { values, scale: peak / largest / length }
}

/** Packs vectors with the same dimensions: their scales as 32-bit floats, then their values. */
export function packVectors(vectors: readonly Vector[]): Uint8Array {
  const dimensions = vectors[0]?.values.length ?? 0
  const packed = new Uint8Array(vectors.length * (4 + dimensions))
  const view = new DataView(packed.buffer)
  for (const [at, { values, scale }] of vectors.entries()) {
    view.setFloat32(at * 4, scale, true)
    packed.set(new Uint8Array(values.buffer, values.byteOffset, dimensions), vectors.length * 4 + at * dimensions)
  }
  return packed
}

/** Unpacks `count` vectors that `packVectors` has packed. */
export function unpackVectors(packed: Uint8Array, count: number): VectorBlock {
  const copy = new Uint8Array(packed)
  const view = new DataView(copy.buffer)
  const scales = Float32Array.from({ length: count }, (_, at) => view.getFloat32(at * 4, true))
  const dimensions = count === 0 ? 0 : (copy.length - count * 4) / count
  return { dimensions, scales, values: new Int8Array(copy.buffer, count * 4) }
}

/** The vector at an index of a block. */
export function vectorAt({ dimensions, scales, values }: VectorBlock, at: number): Vector {
  return { values: values.subarray(at * dimensions, (at + 1) * dimensions), scale: scales[at] as number }
}

/** The cosine of a vector in a block and another one with the same dimensions, -1 to 1. */
export function cosineAt({ dimensions, scales, values }: VectorBlock, at: number, other: Vector): number {
  let sum = 0
  const first = at * dimensions
  for (let index = 0; index < dimensions; index++)
    sum += (values[first + index] as number) * (other.values[index] as number)
  return sum * (scales[at] as number) * other.scale
}
