// A separate thread with its own heap: reports how many bytes 2,000 encoded texts hold.
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort } from 'node:worker_threads'
import { encodeText } from '../../src/runtime/json-encoder.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Unreferenced buffers are freed asynchronously, between two garbage collections. */
async function held(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collect()
    await delay(20)
  }
  return process.memoryUsage().arrayBuffers
}

const before = await held()
const texts: Uint8Array[] = []
for (let n = 0; n < 2000; n++) {
  texts.push(encodeText(`${n} `.repeat(400)))
  // Simulates other uses of the pool for small buffers in a server.
  Buffer.allocUnsafe(30_000)
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage((await held()) - before)
// They are in use until here.
texts.length = 0
