import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { removeHttpClient } from './bare-globals.ts'
import { canDropWritePermission } from './drop-write-permission.ts'
import type { ReaderCommand, ReaderMessage } from './messages.ts'
import { compileArgument, engineFlag, maxMessageBytes } from './limits.ts'
import { drawPage, loadDrawing, openFile, scanIsolatedInk, scanRemainingInk, scanPage } from './draw-file.ts'
import { encodeFrame, readFrames } from './frames.ts'
import { preloadEveryFormat, preloadFormat, readBook } from './read-book.ts'

// The program of a reading process. It communicates over file descriptor 3, receives files on descriptor 4, and exits when
// the server closes the channel.
removeHttpClient()
// An engine without this flag ignores it here; on the command line, it would not start.
setFlagsFromString(engineFlag)
if (process.argv[2] === compileArgument) await compile()
const channel = new Socket({ fd: 3, readable: true, writable: true })
const files = new Socket({ fd: 4, readable: true, writable: false })
files.on('error', () => process.exit(1))
channel.on('error', () => process.exit(1))
channel.on('close', () => process.exit(0))

async function send(message: ReaderMessage): Promise<void> {
  if (!channel.write(encodeFrame(message))) await once(channel, 'drain')
}

for await (const command of readFrames(channel, maxMessageBytes)) {
  // Not awaited, so that the process notices the end of the channel while it reads a book.
  void runCommand(command as ReaderCommand)
}
process.exit(0)

async function runCommand(command: ReaderCommand): Promise<void> {
  if (command.type === 'preload') await preloadFormat(command.sourceType)
  else if (command.type === 'read') await readBook(command, files, send)
  else if (command.type === 'open') await openFile(command, files, send)
  else if (command.type === 'scan') await scanPage(command, send)
  else if (command.type === 'scanRemaining') await scanRemainingInk(command, send)
  else if (command.type === 'scanIsolated') await scanIsolatedInk(command, send)
  else await drawPage(command, send)
}

/** Compiles the code that a process needs for its first file, stores it, and exits. */
async function compile(): Promise<never> {
  if (!canDropWritePermission()) process.exit(1)
  await preloadEveryFormat()
  await loadDrawing()
  flushCompileCache()
  process.exit(0)
}
