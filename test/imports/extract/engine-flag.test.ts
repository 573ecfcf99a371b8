import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { engineFlag } from '../../../src/imports/extract/limits.ts'

test('the engine of this version of Node knows the flag of reading processes, which an engine without it ignores', () => {
  const { stdout } = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  expect(stdout).toContain(`${engineFlag.split('=')[0]} `)
})
