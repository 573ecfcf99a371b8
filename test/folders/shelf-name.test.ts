import { expect, test } from 'vitest'
import { shelfNameOfFolder, usableName } from '../../src/folders/shelf-name.ts'

test.for([
  [[], null],
  [['Science'], 'Science'],
  [['Science', 'Physics'], 'Science / Physics'],
  [['  A\t b '], 'A b'],
  [['Cafe\u0301'], 'Café'],
  [['!!!'], null],
  [['Books', '???'], 'Books / ???'],
  [['A long name of a folder', 'Another long name of it', 'Optics'], '… / Another long name of it / Optics'],
  [['Short', 'x'.repeat(60)], `${'x'.repeat(49)}…`],
  [['x'.repeat(50)], 'x'.repeat(50)],
  [['😀'.repeat(20), 'a'.repeat(27)], `${'😀'.repeat(20)} / ${'a'.repeat(27)}`],
] as const)('the shelf for the folders %j is %j', ([folders, name]) => {
  expect(shelfNameOfFolder(folders)).toBe(name)
})

test.for([
  ['Space opera', 'Space opera'],
  ['—', null],
  ['', null],
  [`${'a'.repeat(48)} bcd`, `${'a'.repeat(48)}…`],
] as const)('the tag %j is the shelf %j', ([tag, name]) => {
  expect(usableName(tag)).toBe(name)
})
