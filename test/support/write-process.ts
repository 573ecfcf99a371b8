// A separate process on a server's store that writes to a book or reads it, like a Lectern process.
import { readConfig } from '../../src/app/config.ts'
import type { Context } from '../../src/app/context.ts'
import { AppError } from '../../src/core/errors.ts'
import { getItemContent } from '../../src/reading/get-item-content.ts'
import { openServices } from '../../src/app/services.ts'
import { appendItemPages } from '../../src/writing/append-item-pages.ts'
import { putItemContent } from '../../src/writing/put-item-content.ts'
import { stampedText, type WriteTask } from './write-task.ts'
import { contextOf } from './context.ts'

const control = { stop: false }

const taskRunners: Record<WriteTask['kind'], (ctx: Context, task: WriteTask) => Promise<number>> = {
  async append(ctx, { itemId, name, count }) {
    let retries = 0
    for (let index = 0; index < count; index++) {
      const content = `# ${name} ${index}\n`
      while (!(await falseIfRefused(appendItemPages(ctx, { id: itemId, content }), 'TRANSIENT_CONFLICT'))) retries++
    }
    return retries
  },
  async stamp(ctx, { itemId, count }) {
    for (let done = 0; done < count;) {
      const { version } = await getItemContent(ctx, { id: itemId })
      const write = { id: itemId, content: stampedText((version ?? 0) + 1), expectedVersion: version ?? 0 }
      if (await falseIfRefused(putItemContent(ctx, write), 'VERSION_CONFLICT')) done++
    }
    return count
  },
  'read appended': (ctx, { itemId }) =>
    readUntilStopped(ctx, itemId, (content, version) => {
      const pages = content.split(/(?=^# )/m)
      return pages.length === version && new Set(pages).size === version
    }),
  'read stamped': (ctx, { itemId }) =>
    readUntilStopped(ctx, itemId, (content, version) => content === stampedText(version)),
}

/** Reads until it is told to stop; returns the number of complete reads, and throws at the first incomplete one. */
async function readUntilStopped(
  ctx: Context,
  id: string,
  isWhole: (content: string, version: number) => boolean,
): Promise<number> {
  let reads = 0
  for (; !control.stop; reads++) {
    const { content, version } = await getItemContent(ctx, { id })
    if (!isWhole(content, version ?? 0)) throw new Error(`version ${version} is not whole: ${content}`)
  }
  return reads
}

/** False if a write was refused with a code; then it has changed nothing. */
async function falseIfRefused(write: Promise<unknown>, code: string): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === code) return false
    throw error
  }
}

const opened = await openServices(readConfig(process.env))
process.on('message', async (task: WriteTask | 'stop') => {
  if (task === 'stop') {
    control.stop = true
    return
  }
  const ctx = await contextOf({ running: { opened } }, { id: task.accountId })
  const result = await taskRunners[task.kind](ctx, task)
  await opened.close()
  process.send?.(result)
  process.disconnect()
})
process.send?.('ready')
