import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { guarantees, readmePath, renderReadme } from './readme.ts'

describe('the README of the embedded store', () => {
  test('is what `node test/db/embedded/readme.ts` writes', () => {
    expect(readFileSync(readmePath, 'utf8')).toBe(renderReadme())
  })

  test.for(Object.values(guarantees).flat())('names a test that exists: $test', ({ file, test: name }) => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    expect(source).toContain(`('${name}',`)
  })
})
