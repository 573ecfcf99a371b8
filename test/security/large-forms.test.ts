import { describe, expect, test } from 'vitest'
import { parseFormFields } from '../../src/web/parse-form-fields.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** Far below the time that a parser in quadratic time takes, and far above that of a slow machine. */
const maxMs = 8000

describe('a form with many fields', () => {
  test.for([
    ['without values', 'a&', 3_000_000],
    ['whose names are not UTF-8', '%F0%9F&', 3_000_000],
  ] as const)('is refused at once: %s', async ([, field, size]) => {
    const { browser } = await signedInPerson(server)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const started = performance.now()
    const response = await fetch(`${server.baseUrl}/add/markdown`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: server.baseUrl, Cookie: cookie },
      body: field.repeat(size / field.length),
    })
    expect(response.status).toBe(413)
    expect(await response.text()).toContain('Send at most 70000 fields.')
    expect(performance.now() - started).toBeLessThan(maxMs)
  })

  test.for([0, 1, 499, 500, 501, 1000, 2500])('is parsed like a short one: %i fields', (count) => {
    const text = Array.from({ length: count }, (_, at) => `n${at}=v+${at}%26&n=${at}`).join('&&')
    expect([...parseFormFields(text)]).toEqual([...new URLSearchParams(text)])
  })

  test.for(['?a=1', 'a&'.repeat(500) + '?b=2'])('keeps the question mark of a name: %s', (text) => {
    const names = [...parseFormFields(text).keys()]
    expect(names.at(-1)).toMatch(/^\?[ab]$/)
  })
})
