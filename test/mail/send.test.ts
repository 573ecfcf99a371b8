import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { createOutbox, type Outbox, type OutboxOptions } from '../../src/mail/outbox.ts'
import type { MailSettings } from '../../src/mail/mail-settings.ts'
import { createSmtpDelivery, smtpTimes, type SmtpTimes } from '../../src/mail/smtp-delivery.ts'
import { freePort } from '../support/server.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'

let smtp: SmtpServer
let lines: any[]

beforeEach(async () => {
  smtp = await startSmtpServer()
  lines = []
})
afterEach(() => smtp.close())

const link = 'https://books.example.com/reset?token=0123456789abcdefghijABCDEFGHIJ0123456789abc'
const mail = { to: 'reader@lectern.example', subject: 'Your password', text: `Follow this link:\n\n${link}\n` }

function outbox(
  options: Partial<OutboxOptions> & { times?: SmtpTimes } = {},
  url = smtp.url,
  changed: Partial<MailSettings> = {},
): Outbox {
  const { times, ...others } = options
  const { mail: settings } = readConfig({ LECTERN_SMTP_URL: url, LECTERN_MAIL_FROM: 'Books <books@lectern.example>' })
  if (!settings) throw new Error('no settings')
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return createOutbox(createSmtpDelivery({ ...settings, ...changed }, times), log, { retryDelaysMs: [1, 1], ...others })
}

describe('a mail', () => {
  test('arrives as plain text from the configured sender, marked as automatic (no auto-replies)', async () => {
    await outbox().send(mail)
    const { from, to, headers, text } = await smtp.next()
    expect({ from, to }).toEqual({ from: 'books@lectern.example', to: ['reader@lectern.example'] })
    expect(headers).toMatchObject({
      from: 'Books <books@lectern.example>',
      to: 'reader@lectern.example',
      subject: 'Your password',
      'auto-submitted': 'auto-generated',
      'content-type': expect.stringMatching(/^text\/plain; charset=utf-8/),
    })
    expect(text.trimEnd()).toBe(mail.text.trimEnd())
    expect(lines).toEqual([])
  })

  test('keeps characters of every script', async () => {
    const text = `Grüße, 你好, 😀\n${'long '.repeat(300)}\n.\nafter a dot`
    await outbox().send({ ...mail, text, subject: 'Grüße' })
    const received = await smtp.next()
    expect(received.text.trimEnd()).toBe(text)
    expect(received.headers['subject']).toMatch(/^=\?UTF-8\?/)
  })

  test('authenticates with the user and password of the URL', async () => {
    await outbox({}, smtp.url.replace('//', '//me%40x:p%3Aw@')).send(mail)
    await smtp.next()
    expect(smtp.signIns).toEqual(['me@x:p:w'])
  })

  test.for([
    ['a line break', 'Hello\r\nBcc: victim@lectern.example'],
    ['a bare line feed', 'Hello\nBcc: victim@lectern.example'],
    ['a line separator', 'Hello\u2028Bcc: victim@lectern.example'],
  ] as const)('gets no additional header from %s in its subject', async ([, subject]) => {
    await outbox().send({ ...mail, subject })
    const { to, headers } = await smtp.next()
    expect(to).toEqual([mail.to])
    expect(headers).not.toHaveProperty('bcc')
    expect(headers['subject']).toBe('Hello Bcc: victim@lectern.example')
  })

  test.for([
    ['two addresses', 'a@lectern.example, b@lectern.example'],
    ['two addresses with a semicolon', 'a@lectern.example;b@lectern.example'],
    ['a line break', 'a@lectern.example\r\nBcc: b@lectern.example'],
    ['a comment', 'a@lectern.example (b@lectern.example)'],
    ['a name', 'A <a@lectern.example>'],
    ['an address as a local part', '"b@lectern.example,"@lectern.example'],
    ['no domain', 'a'],
    ['nothing', ''],
  ] as const)('does not go to %s', async ([, to]) => {
    const box = outbox()
    await expect(box.send({ ...mail, to })).rejects.toThrow('A mail must have exactly one recipient address')
    box.composeAndSend(async () => ({ ...mail, to }))
    await box.close(1000)
    expect(smtp.connections).toBe(0)
  })
})

describe('a mail server that does not accept a mail', () => {
  test('is tried again after a temporary refusal', async () => {
    smtp.replies = { RCPT: '450 4.2.0 greylisted' }
    const box = outbox({ retryDelaysMs: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1] })
    await box.send(mail)
    await until(() => lines.length > 0)
    smtp.replies = {}
    expect((await smtp.next()).to).toEqual([mail.to])
    expect(lines[0]).toMatchObject({ level: 40, responseCode: 450, retryInMs: 1 })
  })

  test('at once is given time to check it, and gets it once', async () => {
    smtp.checkMs = 600
    const box = outbox({ times: { connectMs: 300, replyMs: 30_000 } })
    await box.send(mail)
    await smtp.next()
    await box.close(30_000)
    expect([smtp.connections, lines]).toEqual([1, []])
    // RFC 5321, section 4.5.3.2.6
    expect(smtpTimes.replyMs).toBeGreaterThanOrEqual(10 * 60_000)
  })

  test('is given up after a few attempts, once', async () => {
    smtp.replies = { greeting: '421 busy' }
    await outbox().send(mail)
    await until(() => lines.some(({ level }) => level === 50))
    expect(smtp.connections).toBe(3)
    expect(lines.map(({ level }) => level)).toEqual([40, 40, 50])
  })

  test('is not tried again after a permanent refusal', async () => {
    smtp.replies = { RCPT: '550 no such person' }
    await outbox().send(mail)
    await until(() => lines.length > 0)
    expect(smtp.connections).toBe(1)
    expect(lines).toMatchObject([{ level: 50, responseCode: 550, retryInMs: null }])
  })

  test('leaves no link and no text of the mail in the log, even if it quotes them', async () => {
    smtp.replies = { end: `554 spam: ${link}` }
    await outbox().send(mail)
    await until(() => lines.length > 0)
    expect(lines[0]).toMatchObject({ responseCode: 554, reason: expect.stringContaining('spam: [link]') })
    expect(JSON.stringify(lines)).not.toMatch(/token|0123456789/)
  })

  test('delays no caller when it does not respond', async () => {
    smtp.replies = { greeting: null }
    const box = outbox({ attemptTimeoutMs: 50, retryDelaysMs: [] })
    await box.send(mail)
    await until(() => lines.length > 0)
    expect(lines).toMatchObject([{ level: 50, code: 'EABORT' }])
  })

  test('may be unreachable', async () => {
    await outbox({ retryDelaysMs: [] }, `smtp://127.0.0.1:${await freePort()}`).send(mail)
    await until(() => lines.length > 0)
    expect(lines).toMatchObject([{ level: 50, code: 'ESOCKET' }])
  })

  test('without TLS gets no password from another machine', async () => {
    const box = outbox({ retryDelaysMs: [] }, smtp.url.replace('//', '//me:secret@'), { requireTls: true })
    await box.send(mail)
    await until(() => lines.length > 0)
    expect(lines[0]).toMatchObject({ level: 50, code: 'ETLS' })
    expect(smtp.signIns).toEqual([])
  })
})

describe('closing the mailer', () => {
  test('waits for queued mails', async () => {
    const box = outbox()
    const several = Array.from({ length: 12 }, (_, index) => ({ ...mail, subject: `Mail ${index}` }))
    for (const one of several) await box.send(one)
    await box.close(10_000)
    expect(smtp.mails.map(({ headers }) => headers['subject']).sort()).toEqual(
      several.map(({ subject }) => subject).sort(),
    )
  })

  test('does not wait for an unresponsive mail server or another attempt', async () => {
    smtp.replies = { greeting: null }
    const box = outbox({ retryDelaysMs: [60_000] })
    await box.send(mail)
    await until(() => smtp.connections === 1)
    await box.close(20)
    expect(lines).toMatchObject([{ level: 50, retryInMs: null }])
  })
})

test('closing the mailer does not wait for a mail that is never composed', async () => {
  const box = outbox()
  box.composeAndSend(() => new Promise(() => {}))
  await box.close(10)
  expect(smtp.connections).toBe(0)
})

test('undeliverable mails do not accumulate without limit', async () => {
  smtp.replies = { greeting: null }
  const box = outbox({ maxPending: 3, retryDelaysMs: [] })
  for (let count = 0; count < 5; count++) await box.send(mail)
  expect(lines.filter(({ msg }) => msg.includes('dropped'))).toHaveLength(2)
  await box.close(0)
})

test('a failure to compose a mail is logged, and a mail without content is not', async () => {
  const box = outbox()
  box.composeAndSend(() => Promise.reject(new Error('the store is away')))
  box.composeAndSend(async () => null)
  await box.close(1000)
  expect(lines).toMatchObject([{ level: 50, msg: 'a mail could not be composed' }])
  expect(smtp.connections).toBe(0)
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}
