// A server that keeps reading books, for tests that kill it. Prints the ids of its reading processes.
import { createExtractor } from '../../src/imports/extract/create-extractor.ts'

const [path = '', formatModule] = process.argv.slice(2)
const extractor = createExtractor({ formatModule })
const sink = {
  onInfo: () => undefined,
  onPages: async () => {
    setTimeout(() => process.stdout.write(`${JSON.stringify(extractor.pids())}\n`), 50)
  },
}
await extractor.extract({ path, sourceType: 'markdown', accountId: 'reader' }, sink)
