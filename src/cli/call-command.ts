import { EventEmitter, once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ClientCommand } from './command-table.ts'
import { parseJson } from './parse-json.ts'
import { presentAnswer } from './present.ts'
import { readInput } from './read-input.ts'
import type { ReadArguments } from './read-arguments.ts'
import { ClientError } from './client-error.ts'
import { buildRequest, foreignAnswer, sendRequest } from './rest-client.ts'
import { findServer, textOption } from './server.ts'
import { clean, isFields } from './show-value.ts'
import { bold, styleOf } from './style.ts'
import { codeOf, hasColours, readStdin, readTextFile, type Terminal } from './terminal.ts'

/**
 * Calls the route of a command and prints the answer. Returns the exit status: 1 for a refusal and for an answer that
 * lacks something that was asked for.
 */
export async function callCommand(
  command: ClientCommand,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { values, options } = await readInput(command, args, {
    readFile: (path) => readTextFile(resolve(terminal.folder, path), path),
    readStdin: () => readStdin(terminal),
  })
  const server = await findServer(terminal, options)
  const response = await sendRequest(server, buildRequest(command, values))
  if (!response.ok)
    return printRefusal({ command, response, asJson: options.has('json'), hasKey: server.key !== null }, terminal)
  if (command.file) return saveFile(response, options, terminal)
  const text = await response.text()
  const answer = parseJson(text)
  if (answer === undefined) throw new ClientError('UNAVAILABLE', foreignAnswer(response.url, response.status))
  if (options.has('json')) terminal.stdout.write(`${text}\n`)
  else {
    const presented = presentAnswer(answer, styleOf(terminal))
    if (presented.text !== '') terminal.stdout.write(`${presented.text}\n`)
    for (const remark of presented.remarks) terminal.stderr.write(`${remark}\n`)
  }
  return isIncomplete(answer, { takesPart: values['partial'] === true }) ? 1 : 0
}

/**
 * True if an answer names books that were asked for and are missing from it: unknown or locked ones and, unless the
 * caller takes a part, those that did not fit.
 */
function isIncomplete(answer: unknown, { takesPart }: { takesPart: boolean }): boolean {
  const fields = ['notFound', 'locked', ...(takesPart ? [] : ['truncatedItemIds'])]
  return isFields(answer) && fields.some((field) => Array.isArray(answer[field]) && answer[field].length > 0)
}

interface Refusal {
  command: ClientCommand
  response: Response
  asJson: boolean
  hasKey: boolean
}

async function printRefusal({ command, response, asJson, hasKey }: Refusal, terminal: Terminal): Promise<number> {
  const text = await response.text()
  const body = parseRefusal(text)
  if (asJson) {
    terminal.stdout.write(
      `${body ? text : JSON.stringify({ error: foreignAnswer(response.url, response.status), code: 'UNAVAILABLE' })}\n`,
    )
    return 1
  }
  const { error, field } = body ?? { error: foreignAnswer(response.url, response.status) }
  const named = command.fields.find(({ name }) => name === String(field).split('.')[0])
  const option = named && !String(error).startsWith('--') ? `--${named.option}: ` : ''
  terminal.stderr.write(`${bold(clean(option + String(error)), { colours: hasColours(terminal, terminal.stderr) })}\n`)
  if (response.status === 401)
    terminal.stderr.write(
      `${hasKey ? 'Sign in again' : 'No key was sent. Sign in'} with lectern login, or name a key with --key or LECTERN_KEY.\n`,
    )
  return 1
}

function parseRefusal(text: string): Record<string, unknown> | null {
  const body = parseJson(text)
  return isFields(body) && 'error' in body ? body : null
}

/** Writes a file to `--output`, otherwise to stdout; on a terminal to the current folder under its own name. */
async function saveFile(response: Response, options: ReadArguments['options'], terminal: Terminal): Promise<number> {
  const given = textOption(options, 'output')
  const body = response.body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() })
  if (given === '-' || (given === null && (!terminal.stdout.isTTY || options.has('json')))) {
    await writeAll(body, terminal)
    return 0
  }
  const name = given ?? nameOf(response)
  const path = resolve(terminal.folder, name)
  // A path given by the user may be overwritten; a name from the server overwrites nothing.
  const file = createWriteStream(path, { flags: given === null ? 'wx' : 'w' })
  let isOpen = false
  file.once('open', () => (isOpen = true))
  try {
    await pipeline(Readable.fromWeb(body), file)
  } catch (cause) {
    if (isOpen) await rm(path, { force: true })
    const reason = codeOf(cause) === 'EEXIST' ? 'a file of this name exists' : codeOf(cause)
    throw new ClientError('FORBIDDEN', `${name} cannot be written: ${reason}. Name another file with --output.`, {
      cause,
    })
  }
  terminal.stderr.write(`${name}: ${file.bytesWritten} bytes\n`)
  return 0
}

async function writeAll(body: AsyncIterable<Uint8Array>, { stdout }: Terminal): Promise<void> {
  for await (const chunk of body) {
    if (stdout.write(chunk) === false && stdout instanceof EventEmitter) await once(stdout, 'drain')
  }
}

/** The file name in a response (RFC 6266), without folders. */
function nameOf({ headers }: Response): string {
  const disposition = headers.get('content-disposition') ?? ''
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1]
  const name = encoded === undefined ? /filename="([^"]+)"/i.exec(disposition)?.[1] : decodeURIComponent(encoded)
  const bare = basename(clean(name ?? '').replaceAll('\\', '/'))
  return bare === '' || bare.startsWith('.') ? 'book' : bare
}
