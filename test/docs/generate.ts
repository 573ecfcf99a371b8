// Writes the documents that are derived from declarations, and records the examples of the API description: `npm run docs`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { recordExamples } from './examples/record.ts'
import { renderDocuments } from './generated-documents.ts'
import { root, type Document } from './read-documents.ts'

async function main(): Promise<void> {
  // Documents contain the examples.
  write({ path: 'src/http/openapi/examples.json', text: await recordExamples() })
  renderDocuments().forEach(write)
}

function write({ path, text }: Document): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  process.stdout.write(`${path}\n`)
}

if (import.meta.main) await main()
