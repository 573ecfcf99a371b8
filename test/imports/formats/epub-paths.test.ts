import { describe, expect, test } from 'vitest'
import { createPathResolver } from '../../../src/imports/formats/epub/resolve-path.ts'

const files = [
  'OPS/Text/one.xhtml',
  'OPS/Text/One.xhtml',
  'OPS/Text/two.xhtml',
  'OPS/a%20b.xhtml',
  'Images/Über.png',
  'ä.xhtml',
  'Ä.xhtml',
]

describe('a path in an EPUB leads', () => {
  test.for([
    ['to the file with exactly this name, also beside one in other case', 'OPS/Text/One.xhtml', 'OPS/Text/One.xhtml'],
    ['to the file with exactly this name, also if it is not ASCII', 'Ä.xhtml', 'Ä.xhtml'],
    ['to a file whose name is percent-encoded in the archive', 'OPS/a b.xhtml', 'OPS/a%20b.xhtml'],
    ['to a file in other case', 'ops/text/TWO.xhtml', 'OPS/Text/two.xhtml'],
    ['to a file in another Unicode form', 'Images/U\u0308ber.png', 'Images/Über.png'],
    ['to the only file with its base name', 'wrong/folder/two.xhtml', 'OPS/Text/two.xhtml'],
    ['nowhere if several files differ from it in case', 'OPS/Text/ONE.xhtml', null],
    ['nowhere if no file has its base name', 'OPS/Text/three.xhtml', null],
  ] as const)('%s', ([, path, file]) => {
    expect(createPathResolver(files)(path)).toBe(file)
  })
})
