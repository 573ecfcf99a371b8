import { describe, expect, test } from 'vitest'
import { cosineAt, packVectors, quantize, unpackVectors, vectorAt } from '../../src/embeddings/vector.ts'

const random = (seed: number) =>
  Array.from({ length: 384 }, (_, at) => Math.sin(seed * 12.9898 + at * 78.233) * ((at % 7) + 1))

function exactCosine(a: readonly number[], b: readonly number[]): number {
  const product = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, each, at) => sum + each * (y[at] ?? 0), 0)
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}

describe('vectors of 8 bits', () => {
  test("keep the angle between texts, whatever the length of the service's vectors", () => {
    for (let seed = 1; seed < 40; seed++) {
      const [a, b] = [random(seed), random(seed + 1).map((each, at) => each * 3 + (random(seed)[at] ?? 0) * 5)]
      const block = unpackVectors(packVectors([quantize(a)]), 1)
      expect(cosineAt(block, 0, quantize(b))).toBeCloseTo(exactCosine(a, b), 2)
    }
  })

  test('round-trip through a row', () => {
    const vectors = [random(1), random(2), random(3)].map(quantize)
    const block = unpackVectors(packVectors(vectors), 3)
    expect(block.dimensions).toBe(384)
    for (const [at, { values, scale }] of vectors.entries()) {
      expect([...vectorAt(block, at).values]).toEqual([...values])
      expect(vectorAt(block, at).scale).toBeCloseTo(scale, 6)
    }
  })

  test('zero vectors are similar to no other', () => {
    const block = unpackVectors(packVectors([quantize([0, 0, 0])]), 1)
    expect(cosineAt(block, 0, quantize([1, 2, 3]))).toBe(0)
  })
})
