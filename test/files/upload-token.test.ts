import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signUploadToken, verifyUploadToken } from '../../src/files/upload-token.ts'

const now = new Date('2026-11-20T12:00:00Z')
const upload = {
  key: 'incoming/abc.pdf',
  contentType: 'application/pdf',
  size: 1000,
  expiresAt: new Date('2026-11-20T12:15:00Z'),
}
const token = signUploadToken('secret', upload)
const [payload, signature] = token.split('.') as [string, string]
const encode = (claims: unknown) => Buffer.from(JSON.stringify(claims)).toString('base64url')

test('a token returns what was signed, and is safe in a path', () => {
  expect(verifyUploadToken('secret', token, now)).toEqual(upload)
  expect(token).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/)
})

test.for([
  ['a millisecond before it expires', -1, upload],
  ['when it expires', 0, 'expired'],
  ['long after it has expired', 1e9, 'expired'],
] as const)('%s', ([, offset, answer]) => {
  expect(verifyUploadToken('secret', token, new Date(upload.expiresAt.getTime() + offset))).toEqual(answer)
})

describe('a token is invalid', () => {
  test.for([
    ['when empty', ''],
    ['without a signature', payload],
    ['with an empty signature', `${payload}.`],
    ['with a shorter signature', token.slice(0, -1)],
    ['with a longer signature', `${token}A`],
    ['with padding', `${token}=`],
    ['with a third part', `${token}.x`],
    ['with another signature', `${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`],
    ['with a larger size', `${encode(['incoming/abc.pdf', 'application/pdf', 1e9, 2e15])}.${signature}`],
    ['with a signature that skips the purpose', `${payload}.${plain('secret')}`],
    ['when made with another secret', signUploadToken('other', upload)],
    ['when very long', `${'A'.repeat(1_000_000)}.${signature}`],
    ['with characters that base64 decoders skip', `${payload}.${signature.slice(0, 20)}\n${signature.slice(20)}`],
  ] as const)('%s', ([, given]) => {
    expect(verifyUploadToken('secret', given, now)).toBe('invalid')
  })

  test('with any other last character', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const valid = [...alphabet].filter(
      (character) => verifyUploadToken('secret', token.slice(0, -1) + character, now) !== 'invalid',
    )
    expect(valid).toEqual([token.at(-1)])
  })
})

function plain(secret: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64url')
}
