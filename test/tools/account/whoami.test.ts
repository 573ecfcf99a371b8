import { describe, expect, test } from 'vitest'
import { createAccount, NewAccount } from '../../../src/accounts/create-account.ts'
import { createApiKey } from '../../../src/accounts/create-api-key.ts'
import { transports, send } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { chargeReads } from '../../support/charge-reads.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({
  LECTERN_ROLE: 'web',
  ...(await plansEnvironment({ tier: 'TINY', tierDisplay: 'Tiny', itemLimit: 3, monthlyReadLimit: 5 })),
})

describe.for(transports)('whoami over %s', ([name, transport]) => {
  test('returns the fields of the contract, and the storage of the plan', async () => {
    const person = await server.createPerson({ plan: 'TINY' })
    const { body, status } = await transport.call(server, person, 'whoami')
    expect(status).toBe(200)
    expect(body).toEqual({
      id: person.id,
      email: person.email,
      name: person.email.split('@')[0],
      emailKind: 'work',
      emailDomain: 'lectern.example',
      tier: 'TINY',
      tierDisplay: 'Tiny',
      pricingCohort: 'standard',
      itemLimit: 3,
      itemCount: 0,
      ownedCount: 0,
      subscribedCount: 0,
      monthlyReadLimit: 5,
      monthlyReadsUsed: 0,
      readLimitMessage: null,
      storageMb: 200,
      storageUsedMb: 0,
      canPublishToMarketplace: false,
      trial: null,
    })
  })

  test('returns a null read limit for an unlimited plan', async () => {
    const { body } = await transport.call(server, await server.createPerson({ plan: 'PRO' }), 'whoami')
    expect(body).toMatchObject({ tier: 'PRO', itemLimit: 200, monthlyReadLimit: null, canPublishToMarketplace: true })
  })

  test('counts the books of the account', async () => {
    const person = await server.createPerson()
    await makeBook(server, person)
    await makeBook(server, person)
    const { body } = await transport.call(server, person, 'whoami')
    expect(body).toMatchObject({ itemCount: 2, ownedCount: 2, subscribedCount: 0 })
  })

  test('returns readLimitMessage only after the last read is used', async () => {
    const person = await server.createPerson({ plan: 'TINY' })
    await chargeReads(server, person, 4)
    expect((await transport.call(server, person, 'whoami')).body).toMatchObject({
      monthlyReadsUsed: 4,
      readLimitMessage: null,
    })
    await chargeReads(server, person, 1)
    const { body } = await transport.call(server, person, 'whoami')
    expect(body.monthlyReadsUsed).toBe(5)
    expect(body.readLimitMessage).toMatch(/monthly reads.*\d{4}-\d{2}-01.*\/plans/)
  })

  test('needs the scope library:read', async () => {
    const person = await server.createPerson({ scopes: ['library:write'] })
    const answer = await transport.call(server, person, 'whoami')
    const code = name === 'rest' ? 'INSUFFICIENT_SCOPE' : 'insufficient_scope'
    expectRefusal(answer, name, { status: 403, code, message: /library:read/ })
  })
})

test.for([
  ['ada@gmail.com', 'personal', 'gmail.com'],
  ['ada@GMAIL.com', 'personal', 'gmail.com'],
  ['ada@acme.example', 'work', 'acme.example'],
  ['ada@mail.acme.example', 'work', 'mail.acme.example'],
] as const)('%s is a %s address of %s', async ([email, emailKind, emailDomain]) => {
  const { services } = server.running.opened
  const unique = email.replace('@', `${Math.random().toString(36).slice(2)}@`)
  const account = await createAccount(services, NewAccount.parse({ email: unique }))
  const { key } = await createApiKey(services, account.id, {})
  const { body } = await send(server, key, { method: 'GET', path: '/api/v1/auth/whoami' })
  expect(body).toMatchObject({ emailKind, emailDomain })
})
