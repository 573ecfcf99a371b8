import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { redact } from '../../src/gaps/redact.ts'
import { anySecret } from '../support/any-secret.ts'

// Concatenated, so that repository scanners do not report the examples as leaked keys.
const made = (...parts: string[]) => parts.join('')
const hex = (length: number) => '0f9a3c7e51b2d846'.repeat(8).slice(0, length)
const alnum = (length: number) => 'aZ4kQ9mT2xW7bN5rJ8'.repeat(8).slice(0, length)
const jwt = made(
  'eyJ',
  'hbGciOiJIUzI1NiJ9.',
  'eyJzdWIiOiIxMjM0NTY3ODkwIn0.',
  'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
)
const pem = (kind: string) => `-----BEGIN ${kind}-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcw==\n-----END ${kind}-----`

/** The whole text, the part that is removed, and its replacement. */
const secrets: [text: string, secret: string, mark: string][] = [
  ['ask jane@example.com about it', 'jane@example.com', '[email]'],
  ['ask <jane.doe+books@mail.example.co.uk>', 'jane.doe+books@mail.example.co.uk', '[email]'],
  ["mailto:o'brien@example.ie", "o'brien@example.ie", '[email]'],
  ['JANE_DOE@EXAMPLE.COM wants it', 'JANE_DOE@EXAMPLE.COM', '[email]'],
  ['from "jane"@example.com', '"jane"@example.com', '[email]'],
  ['?user=jane%40example.com', 'jane%40example.com', '[email]'],
  ['jane (at) example (dot) com', 'jane (at) example (dot) com', '[email]'],
  ['jane[at]example.com', 'jane[at]example.com', '[email]'],
  ['用户@例子.广告 asks', '用户@例子.广告', '[email]'],
  ['jane＠example．com', 'jane@example.com', '[email]'],
  ['ja\u200bne@exam\u00adple.com', 'jane@example.com', '[email]'],
  [`my key ${generateApiKey()} fails`, 'lectern_', '[key]'],
  [`my key ${generateApiKey('ck')}, fails`, 'ck_', '[key]'],
  [`x${generateApiKey()}`, 'lectern_', '[key]'],
  [`the first part: lectern_${alnum(24)}…`, alnum(24), '[key]'],
  [made('ck_', 'oauth_', 'k3Jx-9_aaQpW2vLm'), 'k3Jx-9_aaQpW2vLm', '[key]'],
  [made('AKIA', 'IOSFODNN7EXAMPLE'), 'IOSFODNN7EXAMPLE', '[key]'],
  [made('aws_secret_access_key = ', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'), 'wJalrXUtnFEMI', '[key]'],
  [made('AIza', 'SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY'), 'SyD-9tSrke72', '[key]'],
  [made('ya29', '.a0AfH6SMBx3Vq9LkP2mN8sT'), 'a0AfH6SMB', '[key]'],
  [made('ghp', '_', alnum(36)), alnum(36), '[key]'],
  [made('github', '_pat_11ABCDEFG0', alnum(40)), alnum(40), '[key]'],
  [made('glpat', '-', alnum(20)), alnum(20), '[key]'],
  [made('npm', '_', alnum(36)), alnum(36), '[key]'],
  [made('pypi', '-AgEIcHlwaS5vcmcC', alnum(50)), alnum(50), '[key]'],
  [made('sk', '-', alnum(48)), alnum(48), '[key]'],
  [made('sk', '-proj-', alnum(40), '_x-Y'), alnum(40), '[key]'],
  [made('sk', '-ant-api03-', alnum(30), '-', alnum(30)), alnum(30), '[key]'],
  [made('hf', '_', alnum(34)), alnum(34), '[key]'],
  [made('gsk', '_', alnum(52)), alnum(52), '[key]'],
  [made('xox', 'b-123456789012-1234567890123-', alnum(24)), alnum(24), '[key]'],
  [made('https://hooks.slack', '.com/services/T00000000/B00000000/', alnum(24)), alnum(24), '[key]'],
  [made('SG', '.', alnum(22), '.', alnum(43)), alnum(22), '[key]'],
  [made('sk', '_live_', alnum(24)), alnum(24), '[key]'],
  [made('whsec', '_', alnum(32)), alnum(32), '[key]'],
  [made('shpat', '_', hex(32)), hex(32), '[key]'],
  [made('AC', hex(32)), hex(32), '[key]'],
  [made(hex(32), '-us21'), hex(32), '[key]'],
  [made('123456789', ':', alnum(35)), alnum(35), '[key]'],
  [made('dop', '_v1_', hex(64)), hex(64), '[key]'],
  [made('hvs', '.', alnum(24)), alnum(24), '[key]'],
  [made('AGE-SECRET-', 'KEY-1', 'Q0W9E8R7T6Y5U4I3O2P1A0S9D8F7G6H5J4K3L2Z1X0C9V8B7N6M5'), 'Q0W9E8R7', '[key]'],
  [`a key with no name: ${hex(40)}`, hex(40), '[key]'],
  [`api_key: "${alnum(20)}"`, alnum(20), '[key]'],
  [`https://example.com/a?sig=${alnum(20)}&b=1`, alnum(20), '[key]'],
  [`Authorization: Bearer ${alnum(24)}`, alnum(24), '[token]'],
  ['curl -H "authorization: basic amFuZTpodW50ZXIy"', 'amFuZTpodW50ZXIy', '[token]'],
  [`my token ${jwt} is refused`, 'dozjgNryP4J3', '[token]'],
  [pem('PRIVATE KEY'), 'MIIEvQ', '[private key]'],
  [pem('RSA PRIVATE KEY'), 'AASCBKcw', '[private key]'],
  [pem('OPENSSH PRIVATE KEY').replaceAll('\n', '\\n'), 'AASCBKcw', '[private key]'],
  [pem('PGP PRIVATE KEY BLOCK'), 'AASCBKcw', '[private key]'],
  [pem('EC PRIVATE KEY').slice(0, 60), 'MIIEvQ', '[private key]'],
  ['postgres://admin:hunter2@db.example/app', 'hunter2', '[password]'],
  ['https://jane:p%40ss:w0rd@example.com/x', 'p%40ss:w0rd', '[password]'],
  ['redis://:s3cr3t@cache:6379', 's3cr3t', '[password]'],
  ['DB_PASSWORD=correcthorse', 'correcthorse', '[password]'],
  ['{"password": "hunter22"}', 'hunter22', '[password]'],
  ['my password is hunter2', 'hunter2', '[password]'],
  ['pay with 4111 1111 1111 1111', '4111 1111 1111 1111', '[card number]'],
  ['5500-0055-5555-5559', '5500-0055-5555-5559', '[card number]'],
  ['378282246310005', '378282246310005', '[card number]'],
  ['3782 822463 10005', '3782 822463 10005', '[card number]'],
  ['2223003122003222 12/27', '2223003122003222', '[card number]'],
  ['4111 1111 1111 1111 12/27 123', '4111 1111 1111 1111', '[card number]'],
  ['order 1234 4111 1111 1111 1111', '4111 1111 1111 1111', '[card number]'],
  ['+49 30 1234567', '+49 30 1234567', '[phone number]'],
  ['+14155552671', '+14155552671', '[phone number]'],
  ['+44 (0)20 7946 0958', '7946', '[phone number]'],
  ['0049 30 1234567', '0049 30 1234567', '[phone number]'],
  ['415-555-2671', '415-555-2671', '[phone number]'],
  ['(415) 555-2671', '(415) 555-2671', '[phone number]'],
  ['1-800-555-0199', '1-800-555-0199', '[phone number]'],
  ['415.555.2671.', '415.555.2671', '[phone number]'],
  ['030 12345678', '030 12345678', '[phone number]'],
  ['0171/2345678', '0171/2345678', '[phone number]'],
  ['06 12 34 56 78', '06 12 34 56 78', '[phone number]'],
  ['06.12.34.56.78', '06.12.34.56.78', '[phone number]'],
  ['020 7946 0958 before 1984', '020 7946 0958', '[phone number]'],
  ['07911123456', '07911123456', '[phone number]'],
  ['090-1234-5678', '090-1234-5678', '[phone number]'],
  ['call me at (11) 91234-5678', '91234', '[phone number]'],
  ['phone: 612 345 678', '612 345 678', '[phone number]'],
  ['WhatsApp 9876543210', '9876543210', '[phone number]'],
  ['tel. 98765 43210', '98765 43210', '[phone number]'],
  ['+٤٩ ٣٠ ١٢٣٤٥٦٧', '1234567', '[phone number]'],
  ['＋４９ ３０ １２３４５６７', '1234567', '[phone number]'],
]

const harmless = [
  'ISBN 978-3-16-148410-0',
  'ISBN-13: 9783161484100',
  '978 0 306 40615 7',
  '978 316 1484 100',
  'ISBN 0-306-40615-2',
  '0306406152',
  'ISSN 0317-8471',
  'doi:10.1038/s41586-020-2649-2',
  'arXiv:2301.01234v2',
  'ORCID 0000-0002-1825-0097',
  'pp. 100-200 and p. 1234567',
  'pages 1,024–2,048',
  '45(12) 1234-1256',
  '34 (123) 1234-1245',
  'Nature (2020) 1234-1245',
  'chapter 3.2.1, section 10.4.12',
  'version 18.2.0, react@18.2.0, lodash@4.17.21',
  'next@15.0.0-canary.12',
  'Python 3.12.1rc2 on 2024-01-15 10:30:00',
  '01.02.2024 10:30, 01/02/2024 and 01-02-2024',
  '2024-01-15T10:30:00.123456789Z',
  'UTC+01:00, +02:00',
  'RFC 7230-7235, RFC 9110 section 15.5.1',
  'ISO/IEC 9899:2018, IEEE 802.11ac, X.509, PKCS #8',
  'INT_MAX is 2147483647, UINT_MAX 4294967295',
  '9223372036854775807 and 18446744073709551615',
  '3.14159265358979323846 and 6.02214076e23',
  '1,000,000,000 rows, 10 000 000 users',
  '192.168.100.200, 255.255.255.0, 10.0.0.0/8, [::1]:8080',
  'http://localhost:8080/@scope/pkg and https://medium.com/@someone',
  'git@github.com:owner/repo.git',
  '@app.route, @Override, @angular/core',
  'ck_assert_int_eq and lectern_page_count_of_book',
  'sk-learn-pipelines-and-transformers',
  'AbstractSingletonProxyFactoryBeanConfigurationSupport2',
  'x86_64-unknown-linux-gnu, aarch64-apple-darwin23.1.0',
  '550e8400-e29b-41d4-a716-446655440000',
  'Bearer authentication and bearer tokens in RFC 6750',
  'Authorization: basic or digest?',
  'Authorization: Bearer [token]',
  'what does -----BEGIN PRIVATE KEY----- mean?',
  'password hashing with argon2id, password = None',
  'const password = hash(input), password: string',
  'the token is base64, token: sha256, api key rotation',
  'C++ 20 and 23, C++20',
  'Fahrenheit 451, Catch-22, 2001: A Space Odyssey, 1984',
  'Psalm 119:105-112; John 3:16',
  'figures 1.1-1.12, eq. (12) and (345)',
  'port 5432, errno 110, HTTP 418, 0x1F4A9, 0755, 00112233',
  'Kubernetes 1.29 networking: CNI, eBPF & IPVS — 100% of it',
  'Größe, naïve, 日本語, émigré, 👩🏽‍💻',
]

describe('redaction replaces', () => {
  test.for(secrets)('%s', ([text, secret, mark]) => {
    const clean = redact(text)
    expect(clean).toContain(mark)
    expect(clean).not.toContain(secret)
    expect(redact(clean)).toBe(clean)
  })

  test('the examples cover all kinds', () => {
    expect(secrets.length).toBeGreaterThanOrEqual(60)
    expect(harmless.length).toBeGreaterThanOrEqual(40)
  })
})

test.for(harmless)('redaction keeps: %s', (text) => {
  expect(redact(text)).toBe(text)
})

test('redaction keeps the text around a secret', () => {
  expect(redact('Ask jane@example.com or 415-555-2671 how to page a 10 GB index in 3.2.1.')).toBe(
    'Ask [email] or [phone number] how to page a 10 GB index in 3.2.1.',
  )
  expect(redact('postgres://admin:hunter2@db.example:5432/app')).toBe('postgres://[password]@db.example:5432/app')
})

test('any secret between any words is removed, and redacting again changes nothing', () => {
  const words = fc.lorem({ maxCount: 8 })
  fc.assert(
    fc.property(anySecret, words, words, fc.constantFrom(' ', '\n', ' "', ' (', ', '), (secret, before, after, gap) => {
      const clean = redact(`${before}${gap}${secret} ${after}`)
      expect(clean).not.toContain(secret)
      expect(clean.startsWith(before)).toBe(true)
      expect(clean.endsWith(after)).toBe(true)
      expect(redact(clean)).toBe(clean)
    }),
    { numRuns: 2000 },
  )
})

test('any text stays well-formed, and redacting again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const clean = redact(text)
      expect(clean.isWellFormed()).toBe(true)
      expect(redact(clean)).toBe(clean)
    }),
    { numRuns: 1000 },
  )
})
