// Search compared with SQLite's FTS5: ranking and speed on real books, and growth with the library and with the corpus.
// Usage: node bench/search.ts FOLDER-OF-BOOKS [BOOKS-TO-GROW-TO]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../src/accounts/create-account.ts'
import { readConfig } from '../src/app/config.ts'
import { openServices, type OpenedServices } from '../src/app/services.ts'
import { measureGrowth } from './search-growth.ts'
import { compareRanking } from './search-ranking.ts'

const [folder, maxBooks = '10000'] = process.argv.slice(2)

async function withStore(run: (open: OpenedServices, reopen: () => Promise<OpenedServices>) => Promise<void>) {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-search-'))
  const start = () => openServices(readConfig({ LECTERN_DATA_DIR: directory }))
  let open = await start()
  try {
    await run(open, async () => {
      await open.close()
      open = await start()
      return open
    })
  } finally {
    await open.close()
    await rm(directory, { recursive: true, force: true })
  }
}

if (folder) {
  await withStore(async (open) => {
    const account = await createAccount(open.services, { email: 'ranking@lectern.example' })
    await compareRanking(open, account, folder)
  })
}
if (Number(maxBooks) > 0) await withStore((_, reopen) => measureGrowth(reopen, Number(maxBooks)))
