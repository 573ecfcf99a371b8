import { expect, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { signedInPerson, signIn } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

test.for([
  ['a report', async () => '/report', { type: 'idea', title: 'Kept summary', body: 'Typed <long> report' }],
  [
    'the details of a book',
    async (owner: { id: string }) => `/books/${await makeBook(server, owner)}/details`,
    { title: 'Kept title', description: 'Typed <long> description', prompt: 'Kept instruction' },
  ],
] as const)(
  '%s that is sent after the session has ended keeps its text, and can be sent after a sign-in',
  async ([, pathOf, fields]) => {
    const { browser, account, email } = await signedInPerson(server)
    const path = await pathOf(account)
    const { text } = await browser.get(path)
    await server.running.opened.services.webSessions.endAll(account.id)
    const typed = Object.values(fields).map((value) => value.replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
    const ended = await browser.post(path, { ...hiddenFields(text, path), ...fields })
    expect(ended.status).toBe(401)
    for (const value of typed) expect(ended.text).toContain(value)
    expect(ended.text).toContain(`/sign-in?next=${encodeURIComponent(path)}`)
    await signIn(browser, email)
    const stale = await browser.post(path, { ...hiddenFields(ended.text, path), ...fields })
    expect(stale.status).toBe(403)
    for (const value of typed) expect(stale.text).toContain(value)
    const sent = await browser.post(path, { ...hiddenFields(stale.text, path), ...fields })
    expect(sent.status).toBe(303)
  },
)
