import { describe, expect, test } from 'vitest'
import { parseArguments } from '../../src/admin/parse-arguments.ts'

describe('a command line', () => {
  test.for<[string, string[], Record<string, string | true>]>([
    ['user create --email a@b.example', ['user', 'create'], { email: 'a@b.example' }],
    ['user create --email=a@b.example', ['user', 'create'], { email: 'a@b.example' }],
    ['--email a@b.example user create', ['user', 'create'], { email: 'a@b.example' }],
    ['doctor --deep', ['doctor'], { deep: true }],
    ['book add --wait --file x.pdf', ['book', 'add'], { wait: true, file: 'x.pdf' }],
    ['key create --expires-at 2030-01-01', ['key', 'create'], { expiresAt: '2030-01-01' }],
    ['book add --title=', ['book', 'add'], { title: '' }],
    ['book add --title=a=b', ['book', 'add'], { title: 'a=b' }],
    ['book add --title -', ['book', 'add'], { title: '-' }],
    ['', [], {}],
  ])('%j is words and options', ([line, words, options]) => {
    expect(parseArguments(line === '' ? [] : line.split(' '))).toEqual({ words, options, json: false })
  })

  test.for(['doctor --json', '--json doctor', 'doctor --json --deep', 'doctor --deep --json'])(
    '%j asks for JSON and loses no word by it',
    (line) => {
      const { commandWords: words, options, json } = parseArguments(line.split(' '))
      expect({ words, json }).toEqual({ words: ['doctor'], json: true })
      expect(options).toEqual(line.includes('--deep') ? { deep: true } : {})
    },
  )

  test.for([
    ['-x', /unknown option -x/],
    ['doctor -deep', /unknown option -deep/],
    ['doctor ---deep', /unknown option ---deep/],
    ['doctor --Deep', /unknown option --Deep/],
    ['doctor --', /unknown option --/],
    ['key list --email a --email b', /--email is given twice/],
    ['key list --email a --email=b', /--email is given twice/],
  ] as const)('%j is wrong usage', ([line, says]) => {
    expect(() => parseArguments(line.split(' '))).toThrow(says)
  })
})
