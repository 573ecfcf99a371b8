import { createServer, type AddressInfo, type Socket } from 'node:net'

/** A mail as received by a mail server. */
export interface ReceivedMail {
  /** The envelope sender. */
  from: string
  to: string[]
  /** Lower-case names and unfolded, undecoded values. */
  headers: Record<string, string>
  /** Decoded. */
  text: string
  raw: string
}

/** Replies that replace the default at a point of the conversation; `null`: no reply. */
type Replies = Partial<Record<'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'end', string | null>>

export interface SmtpServer {
  /** For `LECTERN_SMTP_URL`. */
  url: string
  mails: ReceivedMail[]
  /** Number of connections so far. */
  connections: number
  /** Decoded users and passwords of sign-ins. */
  signIns: string[]
  /** Tests change it to make the server refuse or not respond. */
  replies: Replies
  /** How long it waits before it replies to the text of a mail, ms. */
  checkMs: number
  /** The next mail that this function has not returned yet. */
  next(): Promise<ReceivedMail>
  close(): Promise<void>
}

/** A mail server on a free port that keeps received mails (RFC 5321, without TLS). */
export async function startSmtpServer(): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  const listener = createServer((socket) => {
    sockets.add(socket)
    server.connections++
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    serveSession(socket, server, (mail) => {
      server.mails.push(mail)
      for (const wake of waiters.splice(0)) wake()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const waiters: (() => void)[] = []
  let handedOut = 0
  const server: SmtpServer = {
    url: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    mails: [],
    connections: 0,
    signIns: [],
    replies: {},
    checkMs: 0,
    async next() {
      while (server.mails.length <= handedOut) await new Promise<void>((resolve) => waiters.push(resolve))
      return server.mails[handedOut++] as ReceivedMail
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
  return server
}

function serveSession(socket: Socket, server: SmtpServer, received: (mail: ReceivedMail) => void): void {
  const envelope = { from: '', to: [] as string[] }
  let buffer = ''
  let data = false
  const respond = (stage: keyof Replies, defaultReply: string) => {
    const reply = stage in server.replies ? server.replies[stage] : defaultReply
    if (reply != null) socket.write(`${reply}\r\n`)
    return reply === defaultReply
  }
  const commands: Record<string, (line: string) => void> = {
    EHLO: () => respond('EHLO', '250-localhost\r\n250-8BITMIME\r\n250 AUTH PLAIN'),
    AUTH(line) {
      server.signIns.push(
        Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0')
          .slice(1)
          .join(':'),
      )
      respond('AUTH', '235 welcome')
    },
    MAIL(line) {
      Object.assign(envelope, { from: addressIn(line), to: [] })
      respond('MAIL', '250 ok')
    },
    RCPT(line) {
      if (respond('RCPT', '250 ok')) envelope.to.push(addressIn(line))
    },
    DATA: () => (data = respond('DATA', '354 go on')),
    QUIT: () => socket.end('221 bye\r\n'),
  }
  const unknown = () => void socket.write('502 no such command\r\n')
  socket.setEncoding('utf8').on('data', (chunk) => {
    buffer += chunk
    for (;;) {
      const ending = data ? '\r\n.\r\n' : '\r\n'
      const end = buffer.indexOf(ending)
      if (end < 0) return
      const part = buffer.slice(0, end)
      buffer = buffer.slice(end + ending.length)
      if (data) {
        data = false
        const mail = readMail(part.replaceAll(/^\./gm, ''), envelope)
        setTimeout(() => void (respond('end', '250 kept') && received(mail)), server.checkMs)
      } else (commands[part.slice(0, 4).toUpperCase()] ?? unknown)(part)
    }
  })
  respond('greeting', '220 localhost')
}

function addressIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? ''
}

function readMail(raw: string, { from, to }: { from: string; to: string[] }): ReceivedMail {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { from, to: [...to], headers, text: decode(rest.join('\r\n\r\n'), headers['content-transfer-encoding']), raw }
}

function decode(body: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n')
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n')
}
