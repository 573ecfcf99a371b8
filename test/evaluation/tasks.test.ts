import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { scopes } from '../../src/core/scopes.ts'
import { tools } from '../../tools/index.ts'
import { corpus, pagesOf, textOf, type BookKey } from './corpus.ts'
import { citedSentences, paragraphs } from './citations.ts'
import { readOptions, UsageError } from './options.ts'
import { matchesPattern } from './match-pattern.ts'
import { createPlaceholders } from './placeholders.ts'
import type { CallPattern } from './task.ts'
import { tasks } from './tasks/index.ts'

const offered = tools.filter(({ mcp }) => mcp !== false)
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z_]+/g) ?? []

describe('the set of tasks', () => {
  test('has at least forty tasks with unique ids', () => {
    expect(tasks.length).toBeGreaterThanOrEqual(40)
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length)
  })

  test('never names a tool to the agent', () => {
    const names = offered.flatMap(({ name }) => [` ${name} `, ` ${name.replaceAll('_', ' ')} `])
    const namesOne = (text: string) => names.some((name) => ` ${wordsOf(text).join(' ')} `.includes(name))
    const named = tasks.filter(({ userTurns: says }) => says.some(namesOne))
    expect(named.map(({ id }) => id)).toEqual([])
  })

  test('covers every tool that is offered to agents, and so all four scopes', () => {
    const expected = new Set(
      tasks.flatMap(({ expectedSteps: expects }) => expects.flatMap(({ anyOf: any }) => any.flatMap(toolsOf))),
    )
    expect(offered.map(({ name }) => name).filter((name) => !expected.has(name))).toEqual([])
    expect(new Set(offered.map(({ scope }) => scope))).toEqual(new Set(scopes))
  })

  test('refers only to existing tools', () => {
    const named = tasks.flatMap(
      ({ expectedSteps: expects, forbiddenCalls: forbids = [], concurrentEdit: meanwhile }) => [
        ...expects.flatMap(({ anyOf: any }) => any.flatMap(toolsOf)),
        ...forbids.flatMap(toolsOf),
        ...(meanwhile ? toolsOf(meanwhile.after) : []),
      ],
    )
    const names = new Set(offered.map(({ name }) => name))
    expect([...new Set(named)].filter((name) => !names.has(name))).toEqual([])
  })

  test('claims only what the cited pages say', () => {
    const sources = tasks.flatMap(({ id, claims = [] }) =>
      claims.flatMap(({ sources: from }) => from.map((each) => ({ id, ...each }))),
    )
    const unfounded = sources.filter(({ book, page, quote }) => !pagesOf(book)[page - 1]?.includes(quote))
    expect(sources.length).toBeGreaterThan(25)
    expect(unfounded).toEqual([])
  })

  test('refers to earlier steps by their names', () => {
    const wrong = tasks.flatMap(({ id, expectedSteps: expects }) =>
      expects.flatMap(({ after = [] }, at) => {
        const before = new Set(expects.slice(0, at).map(({ name: step }) => step))
        return after.filter((name) => !before.has(name)).map((name) => `${id}: ${name}`)
      }),
    )
    expect(wrong).toEqual([])
  })

  test('is described in the README with its figures', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    expect(readme).toContain(`: ${tasks.length} tasks`)
    expect(readme).toMatch(new RegExp(`use all ${offered.length} tools`))
  })

  test('uses books of realistic size', () => {
    const sizes = (Object.keys(corpus) as BookKey[]).map((key) => pagesOf(key).length)
    expect(sizes.filter((size) => size >= 20 && size <= 60).length).toBeGreaterThanOrEqual(5)
    expect(textOf('almanac').length).toBeGreaterThan(60_000)
  })
})

function toolsOf({ tool }: Pick<CallPattern, 'tool'>): readonly string[] {
  return typeof tool === 'string' ? [tool] : tool
}

describe('citations are read', () => {
  test.for([
    ['It burns (The Book, p. 7).', [{ title: 'The Book', pages: [7] }]],
    ['It burns. (The Book, pp. 7-9)', [{ title: 'The Book', pages: [7, 8, 9] }]],
    ['It burns (The Book, p. 7, 9 and 12).', [{ title: 'The Book', pages: [7, 9, 12] }]],
    ['It burns ([The Book, p. 7](http://127.0.0.1/books/x/pages/7?v=1)).', [{ title: 'The Book', pages: [7] }]],
    ['It burns [(*The Book*, p. 7)](http://127.0.0.1/books/x).', [{ title: 'The Book', pages: [7] }]],
    [
      'It burns (Knots, Bends and Hitches, p. 2; The Book, p. 7).',
      [
        { title: 'Knots, Bends and Hitches', pages: [2] },
        { title: 'The Book', pages: [7] },
      ],
    ],
    ['It burns (as on page 7).', []],
    ['It burns (for 7 hours).', []],
  ] as const)('in “%s”', ([answer, citations]) => {
    expect(paragraphs(answer).flatMap((each) => each.citations)).toEqual(citations)
  })

  test('a citation belongs to its own sentence, even after the full stop', () => {
    const cited = citedSentences('One is here (A, p. 1). Two is there. (B, p. 2) Three is nowhere.')
    expect(cited.map(({ text, citations }) => [text.trim(), citations[0]?.title])).toEqual([
      ['One is here  .', 'A'],
      ['Two is there  .', 'B'],
    ])
  })
})

describe('patterns', () => {
  test.for([
    ['a text', 'a', 'a', true],
    ['another text', 'a', 'b', false],
    ['an expression', 'abc', /b/, true],
    ['an expression on an object', { a: 'b' }, /"a":"b"/, true],
    ['an element for each', [3, 2, 1], [1, 2], true],
    ['an element that is missing', [1], [1, 2], false],
    ['a value that is not an array', 1, [1], false],
    ['fields, ignoring others', { a: 1, b: 2 }, { a: 1 }, true],
    ['a missing field', { b: 2 }, { a: 1 }, false],
    ['a function', 7, (value: unknown) => value === 7, true],
    ['nothing', undefined, 'a', false],
  ] as const)('%s', ([, value, pattern, expected]) => {
    expect(matchesPattern(value, pattern)).toBe(expected)
  })
})

describe('symbols', () => {
  const [known, unknown] = ['0mwpw6ya34votcc78hss7ff4kn', '0mwpw6yaewrw55uen5lf7c75l4']

  test('replace what differs between runs, and are filled in again', () => {
    const symbols = createPlaceholders('http://127.0.0.1:4000')
    symbols.define(known, 'book:keeper')
    const result = `${known} and ${unknown} of 2026-11-21T04:00:00.000Z at http://127.0.0.1:4000/plans`
    expect(symbols.maskResult([result])).toEqual(['{{book:keeper}} and {{new:1}} of {{time}} at {{base}}/plans'])
    const words = { id: unknown, note: 'since 2026-11-21T04:00:00.000Z, not 2020-01-01' }
    const hidden = symbols.mask(words)
    expect(hidden).toEqual({ id: '{{new:1}}', note: 'since {{time:0}}, not 2020-01-01' })
    expect(symbols.resolve(hidden)).toEqual(words)
  })
})

describe('the command line', () => {
  test('an endpoint, its API and a model must be given together', () => {
    const args = ['--endpoint', 'https://api.example.com/v1', '--api', 'openai', '--model', 'm', '--tasks', 'a, b']
    expect(readOptions(args)).toMatchObject({ api: 'openai', model: 'm', tasks: ['a', 'b'], jobs: 2 })
  })

  test.for([
    ['an endpoint alone', ['--endpoint', 'https://api.example.com/v1'], /--endpoint, --api and --model/],
    ['an unknown API', ['--endpoint', 'https://a.example', '--api', 'other', '--model', 'm'], /anthropic/],
    ['an endpoint that is not a URL', ['--endpoint', 'example', '--api', 'openai', '--model', 'm'], /endpoint/],
    ['no jobs', ['--jobs', '0'], /jobs/],
    ['an unknown option', ['--speed', '9'], /speed/],
  ] as const)('refuses %s', ([, args, says]) => {
    expect(() => readOptions([...args])).toThrow(says)
    expect(() => readOptions([...args])).toThrow(UsageError)
  })
})
