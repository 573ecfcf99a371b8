import { describe, expect, test } from 'vitest'
import { requireStrongPassword } from '../../src/accounts/require-strong-password.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient } from '../support/web-client.ts'
import { accountWithPassword, signIn } from '../support/signed-in-person.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'open' })

/** Passwords from leaked lists and common variations of them. */
const common =
  'dragonfly basketball trustno1! monkey123 letmein123 charlie123 jordan23! michael1 mustang69 batman2020 pokemon123 hunter22 ' +
  'shadow123 harley99 killer666 pepper123 robert1980 summer2024! winter2023 January2024 mypassword passwordpassword ' +
  'zaq12wsx qazwsxedc 1qaz@WSX asdf1234 zxcvbnm123 qwer1234 q1w2e3r4 11223344 12341234 19840312 abcdefghij aaaabbbb ' +
  'P@$$w0rd2024 Pa55word! liverpool2020 blink182a iloveyou2 superman1 starwars77 princess1 football!!'

describe('common passwords', () => {
  test.for(common.split(' '))('%s is refused', async (password) => {
    await expect(requireStrongPassword(password, 'ada@lectern.example')).rejects.toThrow('too easy to guess')
  })

  test.for([
    ['the address', 'grace.hopper@navy.example', ''],
    ['the mailbox and a year', 'grace.hopper1906', ''],
    ['half the mailbox', 'Hopper1906!', ''],
    ['the domain', 'navy.example1', ''],
    ['the name', 'AmazingGrace1', 'Amazing Grace'],
    ['the product', 'Lectern123!', ''],
  ] as const)('%s is refused', async ([, password, name]) => {
    const attempt = requireStrongPassword(password, 'grace.hopper@navy.example', name)
    await expect(attempt).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { field: 'password' } })
  })

  test.for([
    'four words of mine',
    'correct horse battery staple',
    'Kx9#mQ2v',
    '4f9cQz81',
    'ein Satz mit vier',
    '密码很难猜的一句话',
  ])('%s is accepted', (password) => requireStrongPassword(password, 'ada@lectern.example', 'Ada'))

  test('the form refuses a common password before an account exists', async () => {
    const browser = webClient(server)
    const fields = { email: 'ada@lectern.example', password: 'dragonfly1', again: 'dragonfly1' }
    const answer = await browser.submit('/sign-up', '/sign-up', fields)
    expect([answer.status, answer.text.includes('too easy to guess')]).toEqual([400, true])
    expect(await server.running.opened.services.accounts.byEmail('ada@lectern.example')).toBeNull()
  })

  test('an existing password stays usable', async () => {
    const { services } = server.running.opened
    const account = await accountWithPassword(server)
    await services.accounts.setPassword(account.id, await services.passwords.hash('dragonfly1'))
    expect((await signIn(webClient(server), account.email, 'dragonfly1')).status).toBe(303)
  })
})

test.for<[string, string]>([
  ['one character', 'a'],
  ['substitutions', 'p4$$w0rd1!|@3'],
  ['digits', '1234567890'],
  ['dates', '12.11.1984'],
  ['rows of keys', 'zaq12wsxcde34rfv'],
])('256 characters of %s take no more than half a second', async ([, part]) => {
  const password = part.repeat(256).slice(0, 256)
  const attempt = () => requireStrongPassword(password, 'ada@lectern.example').catch(() => {})
  await attempt()
  const begun = performance.now()
  await attempt()
  expect(performance.now() - begun).toBeLessThan(500)
})
