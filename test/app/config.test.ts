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
  ...[
    'https://books.example.com/lectern',
    'https://books.example.com?x=1',
    'https://books.example.com#top',
    'https://me:word@books.example.com',
  ].map((url): [string, Record<string, string>, RegExp] => [
    `the base URL ${url}`,
    { LECTERN_BASE_URL: url },
    /^LECTERN_BASE_URL: must have nothing after the host and the port, such as https:\/\/books\.example\.com$/,
  ]),
  ...['app.example.com', '*', 'null', 'https://app.example.com/page', 'mailto:me@example.com'].map(
    (origin): [string, Record<string, string>, RegExp] => [
      `the allowed origin ${origin}`,
      { LECTERN_ALLOWED_ORIGINS: `https://one.example,${origin}` },
      /^LECTERN_ALLOWED_ORIGINS: \S+ is not an origin; name a scheme and a host, as in https:\/\/app\.example\.com$/,
    ],
  ),
  ...['https://apps.example', 'apps.example/client.json', 'me@apps.example', 'apps.example:http'].map(
    (host): [string, Record<string, string>, RegExp] => [
      `the client host ${host}`,
      { LECTERN_OAUTH_CLIENT_HOSTS: host },
      /^LECTERN_OAUTH_CLIENT_HOSTS: \S+ is not a host; name it as in apps\.example\.com or apps\.example\.com:8443$/,
    ],
  ),
  ['an access key without its secret', { LECTERN_S3_ACCESS_KEY: 'a' }, /^LECTERN_S3_SECRET_KEY: required with/],
  [
    'a secret key alone',
    { LECTERN_FILES: 's3', LECTERN_S3_BUCKET: 'b', LECTERN_S3_SECRET_KEY: 'a' },
    /ACCESS_KEY: req/,
  ],
  [
    'an endpoint without a scheme',
    { LECTERN_S3_ENDPOINT: 'localhost:9000' },
    /^LECTERN_S3_ENDPOINT: must be an address, such as https:\/\/example\.com, not "localhost:9000"$/,
  ],
  [
    'no day in the audit log',
    { LECTERN_AUDIT_DAYS: '0' },
    /^LECTERN_AUDIT_DAYS: must be a whole number from 1 to 3650, not "0"$/,
  ],
  [
    'a port for metrics that no computer has',
    { LECTERN_METRICS_PORT: '70000' },
    /^LECTERN_METRICS_PORT: must be a whole number from 0 to 65535, not "70000"$/,
  ],
  [
    'one port for all',
    { PORT: '3000', LECTERN_METRICS_PORT: '3000' },
    /^LECTERN_METRICS_PORT: must be another port than PORT, which is 3000$/,
  ],
  [
    'a token with blanks',
    { LECTERN_METRICS_TOKEN: 'sixteen characters' },
    /^LECTERN_METRICS_TOKEN: must have no blanks$/,
  ],
  ['an unknown plan', { LECTERN_DEFAULT_PLAN: 'GOLD' }, /no plan GOLD; the plans are FREE, PRO, SELF_HOSTED$/],
  ['plans that cannot be read', { LECTERN_PLANS_FILE: '/none.json' }, /^LECTERN_PLANS_FILE: cannot be used: ENOENT/],
])('the configuration refuses %s', ([, environment, message]) => {
  expect(() => readConfig(environment)).toThrow(ConfigError)
  expect(() => readConfig(environment)).toThrow(message)
})

test('by default, sign-up requires an invitation and no proxy is trusted', () => {
  expect(readConfig({})).toMatchObject({ signUp: 'invite', firstAccount: undefined, trustedProxies: 0 })
})

test('origins and hosts are compared as clients send them', () => {
  const origins = 'https://App.example:443/, http://localhost:8080, vscode-webview://abc'
  const environment = {
    LECTERN_ALLOWED_ORIGINS: origins,
    LECTERN_OAUTH_CLIENT_HOSTS: 'Apps.example:443,a.example:8443',
  }
  expect(readConfig(environment)).toMatchObject({
    allowedOrigins: ['https://app.example', 'http://localhost:8080', 'vscode-webview://abc'],
    oauthClientHosts: ['apps.example', 'a.example:8443'],
  })
})

test('a refused value that may contain a secret is not printed', () => {
  const environment = { LECTERN_SECRET: 'short-secret', LECTERN_MONGODB_URL: 'http://u:secret@host' }
  expect(() => readConfig(environment)).toThrow(/^LECTERN_MONGODB_URL: must begin .*\nLECTERN_SECRET: must have .*$/)
  expect(() => readConfig(environment)).not.toThrow(/short-secret|u:secret/)
})
