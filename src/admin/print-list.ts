import { once } from 'node:events'
import { clean } from '../cli/show-value.ts'
import type { ListResult } from './commands/command.ts'

/** Number of rows per write. */
const batchSize = 200

/**
 * Prints a list row by row in constant memory: lines of text without control characters, or one JSON object with an
 * array.
 */
export async function printList(
  { name, rows, empty }: ListResult,
  { asJson, remark }: { asJson: boolean; remark(text: string): void },
): Promise<void> {
  const [open, separator, close] = asJson ? [`{${JSON.stringify(name)}:[`, ',', ']}\n'] : ['', '\n', '\n']
  let [count, batch] = [0, open]
  for await (const { json, text } of rows) {
    batch += `${count === 0 ? '' : separator}${asJson ? JSON.stringify(json) : clean(text).replaceAll(/[\t\n]/g, ' ')}`
    count += 1
    if (count % batchSize !== 0) continue
    await write(batch)
    batch = ''
  }
  if (asJson || count > 0) await write(`${batch}${close}`)
  else remark(empty)
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
