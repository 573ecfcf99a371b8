import { expect, test } from 'vitest'
import { ConfigError } from '../../src/app/config.ts'
import { checkVariableNames } from '../../src/app/unknown-variables.ts'

test.for([
  ['LECTERN_DATADIR', 'LECTERN_DATA_DIR'],
  ['LECTERN_MONGODB_URI', 'LECTERN_MONGODB_URL'],
  ['LECTERN_SINGUP', 'LECTERN_SIGNUP'],
] as const)('%s is refused, with the suggestion %s', ([name, meant]) => {
  expect(() => checkVariableNames({ [name]: 'x' })).toThrow(ConfigError)
  expect(() => checkVariableNames({ [name]: 'x' })).toThrow(`Did you mean ${meant}?`)
})

test('a variable that resembles no setting is allowed with a remark', () => {
  expect(checkVariableNames({ LECTERN_FAVOURITE_COLOUR: 'red', LECTERN_PORT: '3001', HOME: '/root' })).toEqual([
    'LECTERN_FAVOURITE_COLOUR is not a setting of Lectern and changes nothing.',
    'LECTERN_PORT is not a setting of Lectern and changes nothing. Did you mean PORT?',
  ])
})

test('settings, empty variables, and variables of other programs cause no remark', () => {
  const names = ['LECTERN_ROLE', 'LECTERN_KEY', 'LECTERN_TEST_MONGODB_URL', 'LECTERN_CI_DIR', 'LECTERN_SERVICE_HOST']
  const environment = Object.fromEntries([...names, 'LECTERN_PORT_3000_TCP_ADDR'].map((name) => [name, 'x']))
  expect(checkVariableNames({ ...environment, LECTERN_ROEL: '', LECTERN_PORT: 'tcp://10.0.0.1:3000' })).toEqual([])
})
