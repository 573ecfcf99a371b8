import { createAccount } from '../src/accounts/create-account.ts'
import { createApiKey } from '../src/accounts/create-api-key.ts'
import { createAccountContext } from '../src/admin/commands/account-context.ts'
import { createMarkdownItem } from '../src/writing/create-markdown-item.ts'
import { readConfig } from '../src/app/config.ts'
import { createLog } from '../src/app/log.ts'
import { openServices } from '../src/app/services.ts'

/**
 * Creates an account with five books of 50 pages of 3,000 characters, next to the server that runs on the directory.
 */
export async function seedLibrary(directory: string): Promise<{ key: string; ids: string[] }> {
  const open = await openServices(readConfig({ LECTERN_DATA_DIR: directory }))
  try {
    const { services } = open
    const account = await createAccount(services, { email: 'bench@lectern.example' })
    const { key } = await createApiKey(services, account.id, {})
    const sentence = 'The quick brown fox jumps over the lazy dog, and nobody minds. '
    const page = (n: number) => `# Chapter ${n}\n\n${sentence.repeat(47)}\n`
    const content = Array.from({ length: 50 }, (_, i) => page(i + 1)).join('')
    const ids: string[] = []
    for (let i = 1; i <= 5; i++) {
      const ctx = createAccountContext({ services, log: createLog('silent') }, account)
      const { id } = await createMarkdownItem(ctx, { title: `Bench book ${i}`, content })
      ids.push(id)
    }
    return { key, ids }
  } finally {
    await open.close()
  }
}
