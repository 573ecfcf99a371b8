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
  [
    'an unknown way to sign up',
    { LECTERN_SIGNUP: 'maybe' },
    /^LECTERN_SIGNUP: must be open, team, invite or closed, not "maybe"$/,
  ],
  [
    'a negative number of proxies',
    { LECTERN_TRUSTED_PROXIES: '-1' },
    /^LECTERN_TRUSTED_PROXIES: must be a whole number from 0 to 10, not "-1"$/,
  ],
  ['a port that is not a number', { PORT: 'http' }, /^PORT: must be a whole number from 0 to 65535, not "http"$/],
  [
    'a switch that is neither on nor off',
    { LECTERN_S3_FORCE_PATH_STYLE: 'maybe' },
    /^LECTERN_S3_FORCE_PATH_STYLE: must be true or false, not "maybe"$/,
  ],
  ['an invalid base URL', { LECTERN_BASE_URL: 'books' }, /^LECTERN_BASE_URL: must be an address, such as https:/],
  ['an unknown plan', { LECTERN_DEFAULT_PLAN: 'GOLD' }, /no plan GOLD; the plans are FREE, PRO, SELF_HOSTED$/],
  ['plans that cannot be read', { LECTERN_PLANS_FILE: '/none.json' }, /^LECTERN_PLANS_FILE: cannot be used: ENOENT/],
])('the configuration refuses %s', ([, environment, message]) => {
  expect(() => readConfig(environment)).toThrow(ConfigError)
  expect(() => readConfig(environment)).toThrow(message)
})

test('by default, sign-up requires an invitation and no proxy is trusted', () => {
  expect(readConfig({})).toMatchObject({ signUp: 'invite', firstAccount: undefined, trustedProxies: 0 })
})

test('a refused value that may contain a secret is not printed', () => {
  const environment = { LECTERN_SECRET: 'short-secret', LECTERN_MONGODB_URL: 'http://u:secret@host' }
  expect(() => readConfig(environment)).toThrow(/^LECTERN_MONGODB_URL: must begin .*\nLECTERN_SECRET: must have .*$/)
  expect(() => readConfig(environment)).not.toThrow(/short-secret|u:secret/)
})
