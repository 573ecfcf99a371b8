import { describe, expect, test } from 'vitest'
import { Cursors } from '../../../../src/db/embedded/engine/cursors.ts'
import { outcome } from '../typed.ts'

const minutes = (count: number) => Date.now() + count * 60_000

function open(cursors: Cursors): bigint {
  const documents = [1, 2, 3].map((byte) => Uint8Array.of(byte))
  const { cursor } = cursors.start({ ns: 'a.c', documents, check: () => undefined }, { batchSize: 1, single: false })
  return cursor?.id ?? 0n
}

describe('a cursor', () => {
  test('is closed after ten idle minutes', () => {
    const cursors = new Cursors()
    const id = open(cursors)
    cursors.expire(minutes(9))
    expect(cursors.advance(id, 'a.c', 1).documents).toHaveLength(1)
    cursors.expire(minutes(11))
    expect(outcome(() => cursors.advance(id, 'a.c', 1))).toBe(43)
  })

  test('is closed with its last document', () => {
    const cursors = new Cursors()
    const id = open(cursors)
    expect(cursors.advance(id, 'a.c', 10)).toMatchObject({ done: true })
    expect(outcome(() => cursors.advance(id, 'a.c', 1))).toBe(43)
  })

  test('fails and is closed if its source has been dropped', () => {
    const cursors = new Cursors()
    const check = () => {
      throw new Error('gone')
    }
    const documents = [Uint8Array.of(1), Uint8Array.of(2)]
    const { cursor } = cursors.start({ ns: 'a.c', documents, check }, { batchSize: 1, single: false })
    expect(() => cursors.advance(cursor?.id ?? 0n, 'a.c', 1)).toThrow('gone')
    expect(outcome(() => cursors.advance(cursor?.id ?? 0n, 'a.c', 1))).toBe(43)
  })
})
