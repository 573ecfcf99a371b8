/** A part of a web archive: its header fields, and its body as it is stored. */
type ArchivedPart = readonly [fields: Readonly<Record<string, string>>, body: string | Buffer]

const boundary = '----MultipartBoundary--of-a-test----'

/** A web archive (MHTML, RFC 2557) as browsers save it. */
export function webArchive(parts: readonly ArchivedPart[], fields: Readonly<Record<string, string>> = {}): Buffer {
  const head = {
    From: '<Saved by Blink>',
    ...fields,
    'MIME-Version': '1.0',
    'Content-Type': fields['Content-Type'] ?? `multipart/related;\r\n\ttype="text/html";\r\n\tboundary="${boundary}"`,
  }
  const pieces: (string | Buffer)[] = [lines(head), '\r\n\r\n']
  for (const [own, body] of parts) pieces.push(`--${boundary}\r\n${lines(own)}\r\n`, body, '\r\n')
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)))
}

function lines(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

/** Encodes bytes for `Content-Transfer-Encoding: quoted-printable`, in lines of 76 characters. */
export function quotedPrintable(bytes: Buffer): string {
  const encoded = [...bytes].map((byte) =>
    byte === 0x3d || byte > 0x7e || byte < 0x20
      ? `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
      : String.fromCharCode(byte),
  )
  let text = ''
  let column = 0
  for (const piece of encoded) {
    if (column + piece.length > 75) {
      text += '=\r\n'
      column = 0
    }
    text += piece
    column += piece.length
  }
  return text
}
