import { describe, expect, test } from 'vitest'
import { indexes } from '../../../src/db/indexes.ts'
import { readIssued } from './issued.ts'
import { supported, supportedWords } from './supported.ts'

const application = readIssued(['src/**/*.ts', 'oauth/**/*.ts', 'bench/**/*.ts'], ['src/db/embedded/'])
const agenda = readIssued(['node_modules/@agendajs/mongo-backend/dist/MongoJobRepository.js'])

/** Names with a dollar sign that are not sent to the store. */
const elsewhere = new Map([
  ['$schema', 'JSON Schema'],
  ['$ref', 'JSON Schema'],
  ['$metadata', 'the S3 client'],
])

/** Features that the store supports although the application does not use them by name, and why. */
const kept = new Map([
  ['$not', 'completes $and, $or and $nor'],
  ['$limit', 'test/db/guard.test.ts limits an aggregation'],
  ['ismaster', 'the driver sends it first on each connection'],
  ['endSessions', 'the driver sends it when a client is closed'],
  ['getMore', 'the driver sends it for the next batch of a cursor'],
  ['killCursors', 'the driver sends it for a cursor that is not read to its end'],
  ['explain', 'the tests of what a query reads send it'],
])

describe('the embedded store has only features that are used', () => {
  test.for([
    ['the application', application.words],
    ['Agenda', agenda.words],
  ] as const)('every operator, stage and variable that %s names is supported', ([, words]) => {
    expect(words.size).toBeGreaterThan(5)
    const missing = [...words].filter(([word]) => !supportedWords.has(word) && !elsewhere.has(word))
    expect(missing).toEqual([])
  })

  test.for([
    ['the application', application.commands],
    ['Agenda', agenda.commands],
  ] as const)('every command that %s sends is supported', ([, commands]) => {
    expect(commands.size).toBeGreaterThan(5)
    expect([...commands].filter(([command]) => !supported.commands.has(command))).toEqual([])
  })

  test.for([
    ['stage', application.stages, supported.stages],
    ['accumulator', application.accumulators, supported.accumulators],
    ['stage of Agenda', agenda.stages, supported.stages],
  ] as const)('every %s is supported in its place', ([, used, names]) => {
    expect(used.size).toBeGreaterThan(0)
    expect([...used].filter(([name]) => !names.includes(name))).toEqual([])
  })

  test('every index option of the application is supported, and used', () => {
    const used = new Set(indexes.flatMap(({ options }) => ['key', 'name', ...Object.keys(options ?? {})]))
    expect([...used].sort()).toEqual([...supported.index].sort())
  })

  test('every supported operator, stage, variable and command is issued by the application, by Agenda or for a reason', () => {
    const issued = new Set(
      [application, agenda].flatMap(({ words, commands }) => [...words.keys(), ...commands.keys()]),
    )
    const names = [...supportedWords, ...supported.commands.keys()]
    expect(names.filter((name) => !issued.has(name) && !kept.has(name))).toEqual([])
    expect([...kept.keys()].filter((name) => issued.has(name) || !names.includes(name))).toEqual([])
  })

  test('names that are excluded here still occur in the sources', () => {
    expect([...elsewhere.keys()].filter((name) => !application.words.has(name))).toEqual([])
  })
})
