import { isIP } from 'node:net'

/** How mails leave the server. */
export interface MailSettings {
  host: string
  port: number
  /** TLS from the first byte (`smtps:`); otherwise STARTTLS where the mail server offers it. */
  secure: boolean
  /** Refuse to go on without TLS: a password is sent to another machine. */
  requireTls: boolean
  auth: { user: string; pass: string } | undefined
  from: { name: string; address: string }
}

interface Given {
  smtpUrl: string | undefined
  from: string | undefined
  baseUrl: string
}

/** Reads the settings of mail; undefined without an SMTP URL. What is wrong is added to `problems`, one line each. */
export function readMailSettings({ smtpUrl, from, baseUrl }: Given, problems: string[]): MailSettings | undefined {
  const sender = from === undefined ? defaultSender(baseUrl) : parseSender(from)
  if (!sender) problems.push('LECTERN_MAIL_FROM: must be an address, such as Lectern <books@example.com>')
  if (smtpUrl === undefined) {
    if (from !== undefined) problems.push('LECTERN_SMTP_URL: required with LECTERN_MAIL_FROM')
    return undefined
  }
  const server = parseServer(smtpUrl)
  if (typeof server === 'string') problems.push(`LECTERN_SMTP_URL: ${server}`)
  return sender && typeof server !== 'string' ? { ...server, from: sender } : undefined
}

const addressForm = /^[^\s@<>(),;:"\\[\]]+@[^\s@<>(),;:"\\[\]]+$/

/** True for what names exactly one mailbox; quoted and commented forms, which could name more, are left out. */
export function isOneAddress(text: string): boolean {
  return text.length <= 254 && addressForm.test(text) && !/\p{Cc}/u.test(text)
}

function parseSender(text: string): MailSettings['from'] | null {
  const [, name = '', address = text.trim()] = /^\s*(.*?)\s*<([^<>]*)>\s*$/s.exec(text) ?? []
  if (!isOneAddress(address) || /\p{Cc}/u.test(name)) return null
  return { name: name.replaceAll('"', ''), address }
}

/** `lectern` at the host of the base URL; an address without a domain cannot have one. */
function defaultSender(baseUrl: string): MailSettings['from'] {
  const { hostname } = new URL(baseUrl)
  const bare = hostname.replaceAll(/[[\]]/g, '')
  return { name: 'Lectern', address: `lectern@${isIP(bare) === 0 ? bare : 'localhost'}` }
}

const parts = /^(smtps?):\/\/[^/?#]+\/?$/i

function parseServer(text: string): Omit<MailSettings, 'from'> | string {
  const [, protocol] = parts.exec(text) ?? []
  if (protocol === undefined || !URL.canParse(text)) {
    return 'must be smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host where it is needed'
  }
  const { hostname, port, username, password } = new URL(text)
  const secure = protocol.toLowerCase() === 'smtps'
  const host = hostname.replaceAll(/[[\]]/g, '')
  if (host === '' || port === '0') return 'must name a host, and a port other than 0'
  if ((username === '') !== (password === '')) return 'must have both a user and a password, or neither'
  const credentials = decode(username, password)
  if (!credentials) return 'the user and the password must be percent-encoded'
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTls: username !== '' && !secure && !isLoopback(host),
    auth: username === '' ? undefined : credentials,
  }
}

function decode(user: string, pass: string): { user: string; pass: string } | null {
  try {
    return { user: decodeURIComponent(user), pass: decodeURIComponent(pass) }
  } catch {
    return null
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
