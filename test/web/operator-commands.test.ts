import { expect, test } from 'vitest'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'
import { password, signedInPerson } from '../support/signed-in-person.ts'

/** The commands that pages print for operators, by the page and without what they begin with. */
const commands = [
  ['/plans', 'user plan --email ADDRESS --plan TIER'],
  ['/reset', 'user reset --email ADDRESS'],
  ['/account/email', /^user email --email \S+ --new-email ADDRESS$/],
  ['/account', 'user prove --email ADDRESS'],
  ['/connect', /^doctor --url http:\S+$/],
  ['/admin/server', 'doctor'],
] as const

test.for([
  ['a clone, which npm runs', { npm_package_name: 'lectern' }, 'npm run --silent lectern -- '],
  ['an installed package', { npm_package_name: 'their-own' }, 'lectern '],
  ['a container', {}, 'lectern '],
] as const)('the commands on pages can be pasted with %s', async ([, environment, beginning]) => {
  const server = await startTestServer({ LECTERN_ROLE: 'web', ...environment })
  try {
    const visitor = webClient(server)
    for (const path of ['/', '/sign-in', '/setup'])
      expect(printedCommands((await visitor.get(path)).text)).toEqual([`${beginning}setup-link`])
    expect(await expiredSetup(server)).toContain(`${beginning}setup-link`)
    const administrator = await signedInPerson(server, { admin: true, emailProven: false })
    for (const [path, command] of commands) {
      const page = await (path === '/reset' ? visitor : administrator.browser).get(path)
      const printed = printedCommands(page.text)
      expect(printed, path).toEqual([expect.stringMatching(new RegExp(`^${beginning}`))])
      expect(printed[0]?.slice(beginning.length)).toMatch(command)
    }
  } finally {
    await server.close()
  }
})

/** The page that answers the form of a setup link that has expired since it was opened. */
async function expiredSetup(server: TestServer): Promise<string> {
  const { services, database } = server.running.opened
  const { url } = await issueLink(services, 'claim', null)
  const browser = webClient(server)
  const hidden = hiddenFields((await browser.get(url.slice(server.baseUrl.length))).text, '/setup')
  await database.db.collection('tickets').updateMany({}, { $set: { expiresAt: new Date(Date.now() - 1) } })
  const person = { email: 'ada@lectern.example', name: 'Ada', password, again: password }
  return (await browser.post('/setup', { ...hidden, ...person })).text
}

function printedCommands(text: string): string[] {
  return [...text.matchAll(/<code>((?:npm run|lectern )[^<]*)<\/code>/g)].map(([, command]) => command as string)
}
