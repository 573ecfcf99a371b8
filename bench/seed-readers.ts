import { createAccount } from '../src/accounts/create-account.ts'
import { createApiKey } from '../src/accounts/create-api-key.ts'
import { createAccountContext } from '../src/admin/commands/account-context.ts'
import { createMarkdownItem } from '../src/writing/create-markdown-item.ts'
import { readConfig } from '../src/app/config.ts'
import { createLog } from '../src/app/log.ts'
import { openServices } from '../src/app/services.ts'

/** A simulated reader. */
export interface BenchReader {
  key: string
  ids: string[]
  /** Words that occur in the books. */
  words: string[]
}

const words = ['lantern', 'harbour', 'granite', 'meadow', 'thimble', 'orchard', 'compass', 'velvet', 'saddle', 'quarry']

/**
 * Creates accounts with five books of ten pages of 2,000 characters each, next to the server that runs on the
 * directory.
 */
export async function seedReaders(directory: string, count: number): Promise<BenchReader[]> {
  const open = await openServices(readConfig({ LECTERN_DATA_DIR: directory }))
  const { services } = open
  const log = createLog('silent')
  const createReader = async (n: number): Promise<BenchReader> => {
    const account = await createAccount(services, { email: `agent${n}@lectern.example` })
    const { key } = await createApiKey(services, account.id, {})
    const ids: string[] = []
    for (let book = 1; book <= 5; book++) {
      const { id } = await createMarkdownItem(createAccountContext({ services, log }, account), {
        title: `Book ${n}.${book}`,
        content: textOf(n * 5 + book),
      })
      ids.push(id)
    }
    return { key, ids, words }
  }
  try {
    const readers: BenchReader[] = []
    for (let n = 0; n < count; n += 8) {
      const batch = Array.from({ length: Math.min(8, count - n) }, (_, index) => createReader(n + index))
      readers.push(...(await Promise.all(batch)))
    }
    return readers
  } finally {
    await open.close()
  }
}

function textOf(seed: number): string {
  const word = (at: number) => words[(seed * 7 + at * at) % words.length]
  const page = (n: number) => Array.from({ length: 280 }, (_, at) => word(n * 31 + at)).join(' ')
  return Array.from({ length: 10 }, (_, index) => `# Page ${index + 1}\n\n${page(index + 1)}\n`).join('')
}
