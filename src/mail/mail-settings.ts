import { isIP } from 'node:net'

/** How the server sends mail. */
export interface MailSettings {
  host: string
  port: number
  /** TLS from the first byte (`smtps:`); otherwise STARTTLS if the mail server offers it. */
  secure: boolean
  /** Fail without TLS, because a password is sent to another machine. */
  requireTls: boolean
  auth: { user: string; pass: string } | undefined
  from: { name: string; address: string }
}

interface MailEnvironment {
  smtpUrl: string | undefined
  from: string | undefined
  baseUrl: string
}

/** Reads the mail settings; undefined without an SMTP URL. Adds one line to `problems` per invalid setting. */
export function readMailSettings(
  { smtpUrl, from, baseUrl }: MailEnvironment,
  problems: string[],
): MailSettings | undefined {
  const sender = from === undefined ? defaultSender(baseUrl) : parseSender(from)
  if (!sender) problems.push('LECTERN_MAIL_FROM: must be an address, such as Lectern <books@example.com>')
  if (smtpUrl === undefined) {
    if (from !== undefined) problems.push('LECTERN_SMTP_URL: required with LECTERN_MAIL_FROM')
    return undefined
  }
  const server = parseSmtpUrl(smtpUrl)
  if (typeof server === 'string') problems.push(`LECTERN_SMTP_URL: ${server}`)
  return sender && typeof server !== 'string' ? { ...server, from: sender } : undefined
}

const addressPattern = /^[^\s@<>(),;:"\\[\]]+@[^\s@<>(),;:"\\[\]]+$/

/** True for exactly one mailbox. Rejects quoted and commented forms, which could name more than one. */
export function isSingleAddress(text: string): boolean {
  return text.length <= 254 && addressPattern.test(text) && !/\p{Cc}/u.test(text)
}

function parseSender(text: string): MailSettings['from'] | null {
  const [, name = '', address = text.trim()] = /^\s*(.*?)\s*<([^<>]*)>\s*$/s.exec(text) ?? []
  if (!isSingleAddress(address) || /\p{Cc}/u.test(name)) return null
  return { name: name.replaceAll('"', ''), address }
}

/** The default sender: `lectern` at the host of the base URL, or at `localhost` if the host is an IP address. */
function defaultSender(baseUrl: string): MailSettings['from'] {
  const { hostname } = new URL(baseUrl)
  const host = hostname.replaceAll(/[[\]]/g, '')
  return { name: 'Lectern', address: `lectern@${isIP(host) === 0 ? host : 'localhost'}` }
}

const smtpUrlPattern = /^(smtps?):\/\/[^/?#]+\/?$/i

function parseSmtpUrl(text: string): Omit<MailSettings, 'from'> | string {
  const [, protocol] = smtpUrlPattern.exec(text) ?? []
  if (protocol === undefined || !URL.canParse(text)) {
    return 'must be smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host if needed'
  }
  const { hostname, port, username, password } = new URL(text)
  const secure = protocol.toLowerCase() === 'smtps'
  const host = hostname.replaceAll(/[[\]]/g, '')
  if (host === '' || port === '0') return 'must name a host, and a port other than 0'
  if ((username === '') !== (password === '')) return 'must have both a user and a password, or neither'
  const credentials = decodeCredentials(username, password)
  if (!credentials) return 'the user and the password must be percent-encoded'
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTls: username !== '' && !secure && !isLoopback(host),
    auth: username === '' ? undefined : credentials,
  }
}

function decodeCredentials(user: string, pass: string): { user: string; pass: string } | null {
  try {
    return { user: decodeURIComponent(user), pass: decodeURIComponent(pass) }
  } catch {
    return null
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
