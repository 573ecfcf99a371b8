import { expect, test } from 'vitest'
import { nearestName } from '../../src/text/nearest-name.ts'

const names = ['LECTERN_DATA_DIR', 'LECTERN_ROLE', 'LECTERN_FILES', 'book add', 'user list', 'url', 'wait']

test.for([
  ['LECTERN_DATADIR', 'LECTERN_DATA_DIR'],
  ['LECTERN_DATA_DRI', 'LECTERN_DATA_DIR'],
  ['LECTERN_DATA_DIRS', 'LECTERN_DATA_DIR'],
  ['lectern_rule', 'LECTERN_ROLE'],
  ['LECTERN_FILE', 'LECTERN_FILES'],
  ['boko add', 'book add'],
  ['users list', 'user list'],
  ['ulr', 'url'],
  ['wiat', 'wait'],
  ['url', 'url'],
] as const)('%j probably means %j', ([typed, meant]) => {
  expect(nearestName(typed, names)).toBe(meant)
})

test.for(['LECTERN_PORT', 'LECTERN_SERVICE_HOST', 'frobnicate', 'key', 'u', ''])('%j means none of them', (typed) => {
  expect(nearestName(typed, names)).toBeNull()
})

test('of several names, the one with the fewest errors; of equals, the first', () => {
  expect(nearestName('user creat', ['user clear', 'user create', 'user clean'])).toBe('user create')
  expect(nearestName('abcdx', ['abcde', 'abcdf'])).toBe('abcde')
})
