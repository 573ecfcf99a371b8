import { describe, expect, test } from 'vitest'
import { createPasswordHasher, NewPassword } from '../../src/accounts/password-hasher.ts'
import { requireStrongPassword } from '../../src/accounts/require-strong-password.ts'

const passwords = createPasswordHasher()

describe('a stored password', () => {
  test('is an Argon2id PHC string with the cost recommended by OWASP and a unique salt', async () => {
    const [first, second] = await Promise.all([
      passwords.hash('four words of mine'),
      passwords.hash('four words of mine'),
    ])
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(second).not.toBe(first)
  })

  test('is verified only with the right password', async () => {
    const kept = await passwords.hash('four words of mine')
    expect(await passwords.verify('four words of mine', kept)).toEqual({ ok: true, outdated: false })
    expect((await passwords.verify('four words of mine ', kept)).ok).toBe(false)
    expect((await passwords.verify('', kept)).ok).toBe(false)
    expect((await passwords.verify('four words of mine', null)).ok).toBe(false)
  })

  test('from the reference implementation is verified and reported as outdated', async () => {
    // Test vector of the Argon2 reference implementation: argon2id, v=19, m=65536, t=2, p=1, "password", "somesalt".
    const kept = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await passwords.verify('password', kept)).toEqual({ ok: true, outdated: true })
  })

  test('that is malformed throws an error instead of reporting a wrong password', async () => {
    await expect(passwords.verify('x', 'plain text')).rejects.toThrow('not an Argon2id PHC string')
  })
})

test('sign-ins beyond the queue limit are refused with a retry time', async () => {
  const narrow = createPasswordHasher({ concurrency: 1, maxQueued: 2 })
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => narrow.hash('four words of mine')))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
  expect(outcomes[3]).toMatchObject({ reason: { code: 'UNAVAILABLE', retryAfterSeconds: 5 } })
  expect(await narrow.hash('four words of mine')).toMatch(/^\$argon2id/)
})

test.for([
  ['1234567', false],
  ['12345678', true],
  ['\u{1f4da}'.repeat(7), false],
  ['\u{1f4da}'.repeat(8), true],
  ['x'.repeat(256), true],
  ['x'.repeat(257), false],
] as const)('the length of %s is allowed: %s', ([password, fits]) => {
  expect(NewPassword.safeParse(password).success).toBe(fits)
})

test.for([
  ['password', true],
  ['Password123!', true],
  ['QWERTYUIOP', true],
  ['12345678', true],
  ['aaaaaaaaaa', true],
  ['abababab', true],
  ['reader@lectern.example', true],
  ['Lectern2026', true],
  ['reader2026', true],
  ['four words of mine', false],
  ['xK3$vq9!pL', false],
  ['passwords are a bother', false],
] as const)('%s is refused as too easy to guess: %s', async ([password, weak]) => {
  const attempt = requireStrongPassword(password, 'reader@lectern.example')
  if (weak) await expect(attempt).rejects.toThrow('too easy to guess')
  else await attempt
})
