import { expect, test } from 'vitest'
import { topicKey } from '../../src/gaps/topic-key.ts'

test('a text always has the same key, because stored requests are grouped by it', () => {
  expect(topicKey('Soap making', 'Lye')).toBe('yMGT4B_eK5c4LfE1RO2Zo9VRX3NJHFFW')
})

test.for([
  ['case', 'soap', 'SOAP'],
  ['accents', 'creme', 'crème'],
] as const)('texts that differ only in %s are one topic', ([, one, other]) => {
  expect(topicKey(one)).toBe(topicKey(other))
})

test('C, C++ and C# are three topics', () => {
  expect(new Set(['C', 'C++', 'C#'].map((text) => topicKey(text))).size).toBe(3)
})
