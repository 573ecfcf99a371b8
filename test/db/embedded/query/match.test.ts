import { describe, expect, test } from 'vitest'
import { compileFilter, compilePosition } from '../../../../src/db/embedded/query/match.ts'
import { compileRegex } from '../../../../src/db/embedded/query/regex.ts'
import * as groups from '../cases/match.ts'
import type { MatchCase } from '../cases/match.ts'
import { outcome, typed } from '../typed.ts'

const scope = { now: new Date(0) }

describe.for(Object.entries(groups))('filters: %s', ([, cases]) => {
  test.for([...cases])('%s', ([, docs, filter, found]: MatchCase) => {
    const matched = outcome(() => {
      const matches = compileFilter(typed(filter), scope)
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
    expect(compilePosition(typed(filter), scope)(typed(doc))).toBe(index)
  })
})

test('a filter can be handed to an array method, whose further arguments it ignores', () => {
  expect([typed({ a: 1 }), typed({ a: [2, 1] })].filter(compileFilter(typed({ a: 1 }), scope))).toHaveLength(2)
})

describe('regular expressions without an exact equivalent are refused', () => {
  test.for([
    '(a)\\1',
    'a++',
    'a*+',
    '(?>a)',
    '(?|a|b)',
    '(?R)',
    '(*UCP)a',
    '\\Ka',
    '\\X',
    '[[:^alpha:]]',
    '[a',
    '\\',
    '(?#x',
    'a(?i)b',
  ])('%s', (pattern) => {
    expect(outcome(() => compileRegex(pattern, ''))).toBe(51091)
  })
})

describe('PCRE constructs written for JavaScript', () => {
  test.for([
    ['a$', '', 'ba\n', true],
    ['a$', '', 'a\nb', false],
    ['a\\z', '', 'a\n', false],
    ['a\\Z', '', 'a\n', true],
    ['^$', 'm', 'a\n\nb', true],
    ['(?s)a.b', '', 'a\nb', true],
    ['(?i:A)b', '', 'ab', true],
    ['(?i:A)b', '', 'aB', false],
    ['(?P<year>\\d{4})-(?<month>\\d\\d)', '', '2024-02', true],
    ['[\\d-x]', '', '-', true],
    ['[]a]', '', ']', true],
    ['[^]a]', '', ']', false],
    ['\\h\\v\\R', '', ' \n\r\n', true],
    ['\\x41\\x{1F600}\\x', '', 'A😀\0', true],
    ['\\o{101}\\07', '', 'A\u0007', true],
    ['\\pL\\p{^L}\\P{Lu}', '', 'é1a', true],
    ['a{,2}', '', 'a{,2}', true],
    ['x(?#comment)y', '', 'xy', true],
    ['a b\\ c[ ]d # end', 'x', 'ab c d', true],
    ['\\s', '', '\u00a0', false],
    ['\\Qa+b', '', 'a+b', true],
  ] as const)('%s (%s) on %j: %s', ([pattern, options, text, matches]) => {
    expect(compileRegex(pattern, options).test(text)).toBe(matches)
  })
})
