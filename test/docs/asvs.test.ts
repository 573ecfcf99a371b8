import { existsSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { requirementLevels } from './asvs-requirements.ts'
import { linksOf, root } from './read-documents.ts'

const folder = 'docs/security'
const page = readFileSync(join(root, folder, 'asvs.md'), 'utf8')

interface Row {
  ids: string[]
  levels: string
  asks: string
  answer: string
  /** Paths are relative to the root of the repository. */
  tests: string[]
}

const rows: Row[] = [...page.matchAll(/^\| (\d+\.\d+\.\d+[\d., ]*) \|(.*)\|$/gm)].map(([line, ids = '', rest = '']) => {
  const cells = rest.split('|').map((cell) => cell.trim())
  if (cells.length !== 4) throw new Error(`A row needs five cells: ${line}`)
  const [levels = '', asks = '', answer = '', tests = ''] = cells
  return {
    ids: ids.split(',').map((id) => id.trim()),
    levels,
    asks,
    answer,
    tests: linksOf(tests).map((target) => normalize(join(folder, target))),
  }
})

/** How an answer begins if no test can prove it. */
const reasons = ['Does not apply: ', 'By construction: ', 'Documented: ', 'Operator: ', 'Not met: ']

describe('the list of the standard', () => {
  test('has 70 requirements of level 1 and 183 of level 2', () => {
    const levels = [...requirementLevels.values()]
    expect([levels.filter((level) => level === 1).length, levels.length]).toEqual([70, 253])
  })
})

describe('docs/security/asvs.md', () => {
  test('names each requirement of the levels 1 and 2 once, and no other', () => {
    const named = rows.flatMap(({ ids }) => ids)
    expect(named.toSorted()).toEqual([...requirementLevels.keys()].toSorted())
  })

  test('gives the levels of the requirements of each row', () => {
    const wrong = rows.filter(({ ids, levels }) => {
      const expected = new Set(ids.map((id) => requirementLevels.get(id)))
      return levels !== [...expected].toSorted().join(', ')
    })
    expect(wrong.map(({ ids }) => ids)).toEqual([])
  })

  test.for(rows.map((row) => [row.ids.join(', '), row] as const))(
    'summarises %s, and has a test or a reason',
    ([, { asks, answer, tests }]) => {
      expect(asks.split(/\s+/).length).toBeLessThanOrEqual(12)
      expect(asks).not.toBe('')
      const begins = reasons.filter((reason) => answer.startsWith(reason))
      if (tests.length === 0) expect(begins).toHaveLength(1)
      if (begins[0] === 'Documented: ') expect(linksOf(answer)).not.toEqual([])
      expect(answer).toMatch(/^[A-Z`].{15,}\.$/)
      for (const path of tests) {
        expect(path).toMatch(/^test\/[\w./-]+\.test\.ts$/)
        expect(existsSync(join(root, path)), path).toBe(true)
      }
    },
  )

  test('lists every gap in its summary, and nothing else', () => {
    const [, summary = ''] = /^## Gaps\n([\s\S]*?)^## /m.exec(page) ?? []
    const summarised = [...summary.matchAll(/\b\d+\.\d+\.\d+\b/g)].map(([id]) => id)
    const gaps = rows.filter(({ answer }) => /^(Not met|Partly): /.test(answer)).flatMap(({ ids }) => ids)
    expect(summarised.toSorted()).toEqual(gaps.toSorted())
  })
})
