import { expect, test } from 'vitest'
import { memoize } from '../../src/runtime/memoize.ts'

function counted() {
  const seen: string[] = []
  const length = memoize((text: string) => {
    seen.push(text)
    return text.length
  })
  return { seen, length }
}

test('what was worked out is not worked out again, for the same characters in whatever string', () => {
  const { seen, length } = counted()
  expect([length('page one'), length(['page', 'one'].join(' ')), length('page two'), length('')]).toEqual([8, 8, 8, 0])
  expect([length('page two'), length('')]).toEqual([8, 0])
  expect(seen).toEqual(['page one', 'page two', ''])
})

test('what is asked for again and again stays, the rest goes when there is too much of it', () => {
  const { seen, length } = counted()
  const large = (name: number) => `${name} ${'x'.repeat(1024 * 1024)}`
  for (let name = 0; name < 64; name++) {
    length('often')
    length(large(name))
  }
  expect(seen.filter((text) => text === 'often')).toHaveLength(1)
  length(large(63))
  expect(seen).toHaveLength(65)
  length(large(0))
  expect(seen).toHaveLength(66)
})

test('a result that is a text or bytes counts for the room that it takes', () => {
  const seen: string[] = []
  const bytes = memoize((text: string) => {
    seen.push(text)
    return new Uint8Array(4 * 1024 * 1024)
  })
  for (const text of ['a', 'b', 'c', 'd', 'e', 'a']) bytes(text)
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'e', 'a'])
})

test('an object counts for about twice what it was made of', () => {
  const seen: string[] = []
  const object = memoize((text: string) => {
    seen.push(text.slice(0, 1))
    return { text }
  })
  const large = (name: string) => name + 'x'.repeat(2 * 1024 * 1024)
  for (const name of ['a', 'b', 'c', 'd']) object(large(name))
  expect(object(large('d'))).toBe(object(large('d')))
  object(large('a'))
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'a'])
})
