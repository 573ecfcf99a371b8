// Writes the documents that are derived from declarations: `npm run docs`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderDocuments } from './generated-documents.ts'
import { root } from './read-documents.ts'

function main(): void {
  for (const { path, text } of renderDocuments()) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    process.stdout.write(`${path}\n`)
  }
}

if (import.meta.main) main()
