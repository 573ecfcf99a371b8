import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { runClientCommand } from '../support/run-client.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let person: Person
let soap: string
/** Ids of two books that do not fit into one answer together. */
let longBooks: string

beforeAll(async () => {
  person = await server.createPerson()
  soap = await makeBook(server, person, { title: 'Soap', content: '# Lye\n\nWarm the fat.' })
  const content = Array.from({ length: 60 }, (_, at) => `# ${at}\n\n${'Stir the soap. '.repeat(1000)}`).join('\n\n')
  const ids = [await makeBook(server, person, { content }), await makeBook(server, person, { content })]
  longBooks = ids.join(',')
})

function run(...args: string[]) {
  return runClientCommand([...args, '--url', server.baseUrl, '--key', person.key])
}

describe('the exit status is 1, and stderr says why,', () => {
  test.for(['read', 'toc', 'items delete'])('if %s finds no such book', async (command) => {
    const { code, stdout, stderr } = await run(...command.split(' '), 'nope')
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: 'notFound: nope\n' })
  })

  test('if one of several books is missing; the others are printed', async () => {
    const { code, stdout, stderr } = await run('read', '--ids', `${soap},nope`)
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'notFound: nope\n' })
    expect(stdout).toContain('Warm the fat.')
  })

  test('if the pages that were asked for do not fit, unless a part is wanted', async () => {
    const whole = await run('read', '--ids', longBooks)
    expect(whole.code).toBe(1)
    expect(whole.stderr).toContain('The answer is full.')
    expect((await run('read', '--ids', longBooks, '--partial')).code).toBe(0)
  })
})

test('with --json the exit status is the same, and the answer is unchanged', async () => {
  const { code, json, stderr } = await run('read', 'nope', '--json')
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(json).toMatchObject({ items: [], notFound: ['nope'] })
})

test('the exit status is 0 if everything was found', async () => {
  expect(await run('read', soap)).toMatchObject({ code: 0, stderr: '' })
})

/** Starts a site that answers every request with a status and a web page. */
async function openSite(status: number) {
  const site = createServer((_, response) => void response.writeHead(status).end('<h1>Welcome</h1>'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    site.close()
    site.closeAllConnections()
  })
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}

test.for<[string, string[]]>([
  ['text', []],
  ['--json', ['--json']],
])('a server that answers with a web page is named, with %s', async ([, options]) => {
  const url = await openSite(200)
  const { code, stdout, stderr, json } = await runClientCommand(['whoami', '--url', url, '--key', 'k', ...options])
  const error = `The server at ${url} is not a Lectern server: it answered with status 200 and without JSON.`
  expect(code).toBe(1)
  if (json) expect(json).toEqual({ error, code: 'UNAVAILABLE' })
  else expect({ stdout, stderr }).toEqual({ stdout: '', stderr: `${error}\n` })
})

test.for([
  ['whoami', 502],
  ['whoami', 503],
  ['whoami', 504],
  ['export --to -', 502],
] as const)(
  '%s through a proxy that answers with status %i says that its server is not reached',
  async ([name, status]) => {
    const url = await openSite(status)
    const { code, stderr } = await runClientCommand([...name.split(' '), '--url', url, '--key', 'k'])
    const error = `The proxy at ${url} does not reach its Lectern server at the moment (status ${status}). Try again in a few seconds.`
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${error}\n` })
  },
)
