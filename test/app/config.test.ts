import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/app/config.ts'

test.for<[string, Record<string, string>, RegExp]>([
  ['an administrator without a password', { LECTERN_ADMIN_EMAIL: 'a@lectern.example' }, /ADMIN_PASSWORD: required/],
  ['a password without an administrator', { LECTERN_ADMIN_PASSWORD: 'long enough' }, /ADMIN_EMAIL: required/],
  [
    'an administrator with a short password',
    { LECTERN_ADMIN_EMAIL: 'a@lectern.example', LECTERN_ADMIN_PASSWORD: 'short' },
    /ADMIN_PASSWORD: .*at least 8 characters/,
  ],
  [
    'an administrator without an address',
    { LECTERN_ADMIN_EMAIL: 'admin', LECTERN_ADMIN_PASSWORD: 'long enough' },
    /ADMIN_EMAIL: Enter an email address/,
  ],
  ['an unknown way to sign up', { LECTERN_SIGNUP: 'maybe' }, /LECTERN_SIGNUP/],
  ['a negative number of proxies', { LECTERN_TRUSTED_PROXIES: '-1' }, /LECTERN_TRUSTED_PROXIES/],
])('the configuration refuses %s', ([, environment, message]) => {
  expect(() => readConfig(environment)).toThrow(ConfigError)
  expect(() => readConfig(environment)).toThrow(message)
})

test('by default, sign-up requires an invitation and no proxy is trusted', () => {
  expect(readConfig({})).toMatchObject({ signUp: 'invite', firstAccount: undefined, trustedProxies: 0 })
})
