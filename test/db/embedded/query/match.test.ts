import { describe, expect, test } from 'vitest'
import { compileFilter, compilePosition } from '../../../../src/db/embedded/query/match.ts'
import { parsePattern, textTest } from '../../../../src/db/embedded/query/regex.ts'
import * as groups from '../cases/match.ts'
import type { MatchCase } from '../cases/match.ts'
import { outcome, typed } from '../typed.ts'

describe.for(Object.entries(groups))('filters: %s', ([, cases]) => {
  test.for([...cases])('%s', ([, docs, filter, found]: MatchCase) => {
    const matched = outcome(() => {
      const matches = compileFilter(typed(filter))
      return docs.flatMap((doc, _id) => (matches(typed({ _id, ...doc })) ? [_id] : []))
    })
    expect(matched).toEqual(found)
  })
})

describe('the position that a filter matched', () => {
  test.for([
    ['a value', { a: 2 }, { a: [1, 2] }, 1],
    ['the outermost of two arrays', { 'a.b': 3 }, { a: [{ b: [1, 2] }, { b: [3] }] }, 1],
    ['the array below an explicit index', { 'a.0.b': 2 }, { a: [{ b: [1, 2] }] }, 1],
    ['the last of several conditions', { a: 1, b: 5 }, { a: [0, 1], b: [5] }, 0],
    ['$elemMatch', { a: { $elemMatch: { x: 1, y: 2 } } }, { a: [{ x: 1 }, { x: 1, y: 2 }] }, 1],
    ['the clause of $or that matched', { $or: [{ a: 1, b: 9 }, { a: 2 }] }, { a: [1, 2], b: 0 }, 1],
    ['a negation has none', { a: { $ne: 5 } }, { a: [1, 2] }, undefined],
    ['no array, no position', { a: 1 }, { a: 1 }, undefined],
  ] as const)('%s', ([, filter, doc, index]) => {
    expect(compilePosition(typed(filter))(typed(doc))).toBe(index)
  })
})

test('a filter can be passed to array methods, whose further arguments it ignores', () => {
  expect([typed({ a: 1 }), typed({ a: [2, 1] })].filter(compileFilter(typed({ a: 1 })))).toHaveLength(2)
})

describe('regular expressions', () => {
  test.for(['a.b', 'a|b', '(a)', '[ab]', 'a*', 'a+', 'a?', 'a{2}', 'a$', 'a^b', '\\d', '\\', 'a\\b', '(?i)a'])(
    'that are more than literal text are refused: %s',
    (pattern) => {
      expect(outcome(() => parsePattern({ pattern, options: '' }))).toBe(115)
    },
  )

  test.for([
    ['^abc', '', { text: 'abc', anchored: true, ignoreCase: false }],
    ['abc', 'i', { text: 'abc', anchored: false, ignoreCase: true }],
    [String.raw`^a\.b\^`, '', { text: 'a.b^', anchored: true, ignoreCase: false }],
    ['^', '', { text: '', anchored: true, ignoreCase: false }],
    ['\u{1f600}', '', { text: '\u{1f600}', anchored: false, ignoreCase: false }],
  ] as const)('of literal text are parsed: %s (%s)', ([pattern, options, expected]) => {
    expect(parsePattern({ pattern, options })).toEqual(expected)
  })

  test.for([
    ['ab', false, false, 'cab', true],
    ['ab', true, false, 'cab', false],
    ['a.b', false, true, 'xA.By', true],
    ['a.b', false, true, 'axb', false],
    ['a-b', true, true, 'A-B', true],
    ['a/b', false, true, 'A/B', true],
  ] as const)('%s (anchored: %s, ignoring case: %s) on %s: %s', ([text, anchored, ignoreCase, value, matches]) => {
    expect(textTest({ text, anchored, ignoreCase })(value)).toBe(matches)
  })
})
