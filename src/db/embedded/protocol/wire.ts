import { checkDocument } from '../bson/bytes.ts'
import { maxMessageBytes } from '../commands/limits.ts'
import { CommandError } from '../errors/command-error.ts'

const opReply = 1
const opQuery = 2004
const opMsg = 2013
const checksumPresent = 1
const moreToCome = 2

/** A request: the bytes of the command document and its document sequences. */
export type Request = {
  requestId: number
  /** The form of the reply; `none` if the client set moreToCome (an unacknowledged write). */
  answer: 'msg' | 'reply' | 'none'
  /** The database of a legacy OP_QUERY (`admin` in `admin.$cmd`); OP_MSG carries it as `$db`. */
  database: string | undefined
  body: Buffer
  sequences: ReadonlyMap<string, readonly Buffer[]>
  /** Set if the body is BSON with unsupported types; it is sent as the reply. */
  refusal: CommandError | undefined
}

/** Thrown for bytes that are not a message of the MongoDB wire protocol; the connection must be closed. */
export class ProtocolError extends Error {}

/**
 * The length in bytes of the message that begins with these 4 bytes; throws ProtocolError if it is invalid or exceeds
 * `max`.
 */
export function messageLength(header: Buffer, max = maxMessageBytes): number {
  const length = header.readInt32LE(0)
  if (length < 16 + 5 || length > max) throw new ProtocolError(`message length ${length}`)
  return length
}

/**
 * Parses one complete message (OP_MSG, or OP_QUERY on `$cmd`) without copying; throws ProtocolError for any other
 * message.
 */
export function parseMessage(message: Buffer): Request {
  const requestId = message.readInt32LE(4)
  const opCode = message.readInt32LE(12)
  if (opCode === opMsg) return parseMsg(message, requestId)
  if (opCode === opQuery) return parseQuery(message, requestId)
  throw new ProtocolError(`opcode ${opCode}`)
}

function parseMsg(message: Buffer, requestId: number): Request {
  const flags = message.readUInt32LE(16)
  // Bits 0–15 are required bits: a server must refuse those it does not know (OP_MSG specification).
  if ((flags & 0xffff & ~(checksumPresent | moreToCome)) !== 0) throw new ProtocolError(`flags ${flags}`)
  // The checksum (CRC-32C) is not verified, because Unix sockets and loopback do not corrupt bytes.
  const sections = message.subarray(20, (flags & checksumPresent) !== 0 ? -4 : undefined)
  const sequences = new Map<string, readonly Buffer[]>()
  let body: Buffer | undefined
  let at = 0
  while (at < sections.length) {
    const kind = sections[at]
    const end = at + 1 + readSize(sections, at + 1)
    if (end > sections.length) throw new ProtocolError('section is cut off')
    const section = sections.subarray(at + 1, end)
    if (kind === 0 && body === undefined) body = section
    else if (kind === 1) parseSequence(section, sequences)
    else throw new ProtocolError(`section kind ${kind}`)
    at = end
  }
  if (!body) throw new ProtocolError('message without a body')
  const answer = (flags & moreToCome) !== 0 ? 'none' : 'msg'
  return { requestId, answer, database: undefined, body, sequences, refusal: refusalOf(body) }
}

function parseSequence(section: Buffer, sequences: Map<string, readonly Buffer[]>): void {
  const nameEnd = section.indexOf(0, 4)
  if (nameEnd < 0) throw new ProtocolError('document sequence without a name')
  const documents: Buffer[] = []
  let at = nameEnd + 1
  while (at < section.length) {
    const end = at + readSize(section, at)
    if (end > section.length) throw new ProtocolError('document sequence is cut off')
    documents.push(section.subarray(at, end))
    at = end
  }
  const name = section.toString('utf8', 4, nameEnd)
  if (sequences.has(name)) throw new ProtocolError('document sequence twice')
  sequences.set(name, documents)
}

function parseQuery(message: Buffer, requestId: number): Request {
  const nameEnd = message.indexOf(0, 20)
  const namespace = nameEnd < 0 ? '' : message.toString('utf8', 20, nameEnd)
  const at = nameEnd + 1 + 8 // numberToSkip and numberToReturn
  if (!namespace.endsWith('.$cmd') || at + 5 > message.length) throw new ProtocolError('not a command')
  const end = at + readSize(message, at)
  if (end > message.length) throw new ProtocolError('command is cut off')
  const body = message.subarray(at, end)
  const database = namespace.slice(0, -5)
  return { requestId, answer: 'reply', database, body, sequences: new Map(), refusal: refusalOf(body) }
}

function readSize(bytes: Buffer, at: number): number {
  if (at + 4 > bytes.length) throw new ProtocolError('length is cut off')
  const size = bytes.readInt32LE(at)
  if (size < 5) throw new ProtocolError(`length ${size}`)
  return size
}

/** The refusal of a body with unsupported types; throws ProtocolError if the body is not a document. */
function refusalOf(body: Buffer): CommandError | undefined {
  try {
    if (checkDocument(body) === body.length) return undefined
  } catch (cause) {
    if (cause instanceof CommandError && cause.codeName !== 'InvalidBSON') return cause
    throw new ProtocolError('command is not valid BSON', { cause })
  }
  throw new ProtocolError('command is not valid BSON')
}

/** An OP_MSG request with the bytes of a command, as a client sends it. */
export function requestMessage(command: Uint8Array): Uint8Array {
  const head = Buffer.alloc(21)
  head.writeInt32LE(21 + command.length, 0)
  head.writeInt32LE(1, 4)
  head.writeInt32LE(opMsg, 12)
  return Buffer.concat([head, command])
}

/** The chunks of a reply, in order; the document's bytes are not copied. */
export function replyMessage(request: Request, document: Uint8Array, id: number): Uint8Array[] {
  const size = request.answer === 'reply' ? 36 : 21
  const head = Buffer.alloc(size)
  head.writeInt32LE(size + document.length, 0)
  head.writeInt32LE(id, 4)
  head.writeInt32LE(request.requestId, 8)
  head.writeInt32LE(request.answer === 'reply' ? opReply : opMsg, 12)
  // OP_REPLY: flags, cursor id, starting from, number returned. OP_MSG: flags 0 and section kind 0 are already zero.
  if (request.answer === 'reply') head.writeInt32LE(1, 32)
  return [head, document]
}
