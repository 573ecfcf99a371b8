import { describe, expect, test } from 'vitest'
import { parseArguments } from '../../src/admin/parse-arguments.ts'

describe('a command line', () => {
  test.for<[string, string[], Record<string, string | true>]>([
    ['user create --email a@b.example', ['user', 'create'], { email: 'a@b.example' }],
    ['user create --email=a@b.example', ['user', 'create'], { email: 'a@b.example' }],
    ['--email a@b.example user create', ['user', 'create'], { email: 'a@b.example' }],
    ['doctor --deep', ['doctor'], { deep: true }],
    ['doctor --constructor', ['doctor'], Object.fromEntries([['constructor', true]])],
    ['book add --wait --file x.pdf', ['book', 'add'], { wait: true, file: 'x.pdf' }],
    ['key create --expires-at 2030-01-01', ['key', 'create'], { expiresAt: '2030-01-01' }],
    ['book add --title=', ['book', 'add'], { title: '' }],
    ['book add --title=a=b', ['book', 'add'], { title: 'a=b' }],
    ['book add --title -', ['book', 'add'], { title: '-' }],
    ['', [], {}],
  ])('%j parses into command words and options', ([line, words, options]) => {
    expect(parseArguments(line === '' ? [] : line.split(' '))).toEqual({ commandWords: words, options, json: false })
  })

  test.for(['doctor --json', '--json doctor', 'doctor --json --deep', 'doctor --deep --json'])(
    '%j requests JSON output and keeps all command words',
    (line) => {
      const { commandWords, options, json } = parseArguments(line.split(' '))
      expect({ commandWords, json }).toEqual({ commandWords: ['doctor'], json: true })
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
