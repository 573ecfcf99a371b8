import { expect, test } from 'vitest'
import { signedInPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** Names of properties that every object inherits. A lookup in an object literal would find them. */
const inherited = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf', '__defineGetter__']

test.for(inherited)('a link with ?done=%s cannot make a page show a notice', async (name) => {
  const { browser } = await signedInPerson(server)
  for (const [visitor, path] of [
    [browser, '/account'],
    [webClient(server), '/sign-in'],
  ] as const) {
    const { status, text } = await visitor.get(`${path}?done=${name}`)
    expect(status).toBe(200)
    expect(text).not.toContain('class="notice"')
    expect(text).not.toMatch(/native code|\[object/)
  }
})
