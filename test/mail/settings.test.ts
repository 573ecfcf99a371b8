import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/app/config.ts'

const smtp = 'smtp://mail.lectern.example'

test.for<[string, Record<string, string>, RegExp]>([
  ['another protocol', { LECTERN_SMTP_URL: 'http://mail.lectern.example' }, /SMTP_URL: must be smtp:/],
  ['no host', { LECTERN_SMTP_URL: 'smtp://' }, /SMTP_URL: must be smtp:/],
  ['a path', { LECTERN_SMTP_URL: `${smtp}/inbox` }, /SMTP_URL: must be smtp:/],
  ['options', { LECTERN_SMTP_URL: `${smtp}?ignoreTLS=true` }, /SMTP_URL: must be smtp:/],
  ['an invalid port', { LECTERN_SMTP_URL: `${smtp}:99999` }, /SMTP_URL: must be smtp:/],
  ['a user without a password', { LECTERN_SMTP_URL: 'smtp://me@mail.lectern.example' }, /SMTP_URL: .*both a user/],
  ['a stray percent sign', { LECTERN_SMTP_URL: 'smtp://me:50%@mail.lectern.example' }, /SMTP_URL: .*percent-encoded/],
  ['a sender without a server', { LECTERN_MAIL_FROM: 'books@lectern.example' }, /SMTP_URL: required/],
  ['a sender that is not an address', { LECTERN_SMTP_URL: smtp, LECTERN_MAIL_FROM: 'Lectern' }, /MAIL_FROM: must be/],
  ['two senders', { LECTERN_SMTP_URL: smtp, LECTERN_MAIL_FROM: 'a@x.example, b@x.example' }, /MAIL_FROM: must be/],
  [
    'a sender that adds a header',
    { LECTERN_SMTP_URL: smtp, LECTERN_MAIL_FROM: 'A\r\nBcc: b@x.example <a@x.example>' },
    /MAIL_FROM: must be/,
  ],
])('the configuration refuses %s', ([, environment, message]) => {
  expect(() => readConfig(environment)).toThrow(ConfigError)
  expect(() => readConfig(environment)).toThrow(message)
})

test.for<[string, string, object]>([
  ['the submission port and STARTTLS', smtp, { port: 587, secure: false, requireTls: false, auth: undefined }],
  ['TLS from the start', 'smtps://mail.lectern.example', { port: 465, secure: true, requireTls: false }],
  ['a port', `${smtp}:2525`, { port: 2525, host: 'mail.lectern.example' }],
  [
    'a password, for which TLS is required',
    'smtp://me%40x:p%3Aw@mail.lectern.example',
    { auth: { user: 'me@x', pass: 'p:w' }, requireTls: true },
  ],
  ['a password on this machine', 'smtp://me:pw@127.0.0.1', { requireTls: false, host: '127.0.0.1' }],
  ['an IPv6 address', 'smtp://[::1]:25', { host: '::1', port: 25 }],
])('an SMTP address means %s', ([, url, settings]) => {
  expect(readConfig({ LECTERN_SMTP_URL: url }).mail).toMatchObject(settings)
})

test.for<[string, Record<string, string>, object]>([
  ['the host of the base URL', {}, { name: 'Lectern', address: 'lectern@books.example.com' }],
  ['an address', { LECTERN_MAIL_FROM: 'me@example.org' }, { name: '', address: 'me@example.org' }],
  [
    'a name too',
    { LECTERN_MAIL_FROM: '"Our, books" <me@example.org>' },
    { name: 'Our, books', address: 'me@example.org' },
  ],
  ['localhost without a domain', { LECTERN_BASE_URL: 'https://[2001:db8::1]' }, { address: 'lectern@localhost' }],
])('the sender is %s', ([, environment, from]) => {
  const { mail } = readConfig({ LECTERN_SMTP_URL: smtp, LECTERN_BASE_URL: 'https://books.example.com', ...environment })
  expect(mail?.from).toMatchObject(from)
})

test('without a mail server no mail is sent', () => {
  expect(readConfig({}).mail).toBeUndefined()
})
