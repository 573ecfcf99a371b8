import { expect, test } from 'vitest'
import { freePort } from '../support/server.ts'
import { runLectern } from '../support/run-lectern.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
const timeout = 60_000

test('call without a running server reports that, and how to start one', { timeout }, async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const line = ['call', '--key', 'lectern_x', '--tool', 'whoami', '--url', url]
  const says = `No Lectern server answers at ${url}. Start it with lectern start, in a clone npm start, or name another server with --url.`
  expect(await runLectern(line, {})).toMatchObject({ code: 1, stdout: '', stderr: `${says}\n` })
  expect((await runLectern([...line, '--json'], {})).json).toEqual({ error: says, code: 'UNAVAILABLE' })
})

test('call with an unknown key says how to create one', { timeout }, async () => {
  const line = ['call', '--key', 'lectern_x', '--tool', 'whoami', '--url', `${server.baseUrl}/`]
  const { code, stderr } = await runLectern(line, {})
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/does not know this key\. .*key create/) })
})
