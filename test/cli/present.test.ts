import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { presentAnswer } from '../../src/cli/present.ts'

const examples = JSON.parse(readFileSync(new URL('../../src/http/openapi/examples.json', import.meta.url), 'utf8'))
const answerOf = (name: string) => Object.values(examples[name].answers)[0]
const piped = { isTerminal: false, colours: false, columns: 100 }
const terminal = { isTerminal: true, colours: false, columns: 60 }

describe('on a terminal', () => {
  test('a list is a table with a heading, as wide as the terminal', () => {
    const { text } = presentAnswer(answerOf('list_items'), terminal)
    const [heading = '', row = ''] = text.split('\n')
    expect(heading).toMatch(/^id +title +status +pageCount/)
    expect(row).toMatch(/^0mm90chs0example0000000001 {2}Soap at Home {2}READY/)
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
  })

  test('wide values are truncated, except ids', () => {
    const rows = [
      { id: 'x'.repeat(70), title: 'A title' },
      { id: 'y', title: 'Another' },
    ]
    expect(presentAnswer({ rows }, terminal).text.split('\n')[1]).toBe('x'.repeat(70))
    const long = [{ id: 'a', title: 'word '.repeat(20) }]
    expect(presentAnswer({ long }, terminal).text).toMatch(/^id {2}title\na {3}(?:word ){7}word…$/)
  })

  test('East Asian characters take two columns', () => {
    const { text } = presentAnswer(
      {
        rows: [
          { id: '一二', name: 'b' },
          { id: 'abcd', name: 'c' },
        ],
      },
      terminal,
    )
    expect(text).toBe('id    name\n一二  b\nabcd  c')
  })

  test('headings are bold only with colours', () => {
    expect(presentAnswer({ rows: [{ id: 'a' }] }, { ...terminal, colours: true }).text).toContain(
      '\u001B[1mid\u001B[22m',
    )
  })

  test('an empty list is reported as empty', () => {
    expect(presentAnswer({ items: [] }, terminal)).toEqual({ text: '', remarks: ['No items.'] })
  })

  test('search hits are listed below their book', () => {
    expect(presentAnswer(answerOf('search_items'), { ...terminal, columns: 100 }).text.split('\n')).toEqual([
      'Soap at Home  0mm90chs0example0000000001',
      expect.stringMatching(/^ {5}1 {2}Soap is made of fat and lye\./),
      expect.stringMatching(/^ {5}2 {2}Warm the fat/),
    ])
  })

  test('a text cannot move the cursor of the terminal', () => {
    const { text } = presentAnswer({ content: 'a\u001B]0;title\u0007b\u202Ec\r\n\td' }, terminal)
    expect(text).toBe('a]0;titlebc\n\td')
  })
})

describe('elsewhere', () => {
  test('a list is tab-separated rows without a heading', () => {
    expect(presentAnswer(answerOf('list_shelves'), piped).text).toBe(
      '0mm90chs0example0000000002\tTo read\tto-read\t#3366cc\t0\t1',
    )
  })

  test('a search hit is a row with its book and page', () => {
    expect(presentAnswer(answerOf('search_items'), piped).text.split('\n')[1]).toBe(
      '0mm90chs0example0000000001\t2\tWarm the fat, add the lye slowly, and stir until the soap leaves a trace.',
    )
  })

  test('fields next to a list become remarks', () => {
    expect(presentAnswer({ items: [{ id: 'a' }], notFound: ['b'], nextCursor: null }, piped)).toEqual({
      text: 'a',
      remarks: ['notFound: b'],
    })
  })
})

test('pages are printed as their text', () => {
  const { text } = presentAnswer(answerOf('read_items'), piped)
  expect(text).toMatch(/^— 2 —\n\n# Cold process\n\nWarm the fat.*\n\n— 3 —\n\n# Curing\n\nSoap cures .*\.$/s)
  expect(presentAnswer(answerOf('get_item_content'), piped).text).toMatch(/^# Soap\n\nSoap is made/)
})

test('a book that was opened without pages says why instead of its details', () => {
  const book = (answerOf('read_items') as { items: object[] }).items[0]
  const answer = { items: [{ ...book, pages: [], note: 'Nothing was read for "99".' }], notFound: [] }
  expect(presentAnswer(answer, piped)).toEqual({ text: '', remarks: ['Nothing was read for "99".'] })
})

test('every other response is aligned names and values', () => {
  expect(presentAnswer(answerOf('get_job'), piped).text).toMatch(/^id: {8}0mm90chs0example0000000006\nitemId: {4}0mm/)
  expect(presentAnswer({ id: 1, a: { b: 1 }, long: [{ id: 'x', name: 'y' }], none: null }, piped).text).toBe(
    'id:   1\na:\n  b: 1\nlong:\n  id  name\n  x   y\nnone:',
  )
})

test.for(Object.keys(examples).filter((name) => examples[name].answers))(
  'the response of %s is printed as text',
  (name) => {
    for (const style of [piped, terminal]) {
      const { text, remarks } = presentAnswer(answerOf(name), style)
      expect(`${text}${remarks.join('')}`).not.toMatch(/undefined|\[object/)
    }
  },
)
