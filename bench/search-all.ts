// All search benchmarks in one run: `npm run bench:search -- FOLDER-OF-QUESTIONS [FOLDER-OF-BOOKS] [BOOKS-TO-GROW-TO]
// [--embeddings URL [--model NAME]]` prints the ranking quality of pages compared with other engines, then the cost of
// indexing and searching. Each part is a separate program.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printLine } from './statistics.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { embeddings: { type: 'string' }, model: { type: 'string', default: 'default' } },
})
const [questions, books = '', maxBooks = '1000'] = positionals
const service = values.embeddings === undefined ? [] : ['--embeddings', values.embeddings, '--model', values.model]

function run(program: string, args: string[]): void {
  printLine(`\n${program} ${args.join(' ')}`)
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, program), ...args], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}

run('search-robustness.ts', [])
if (questions !== undefined) run('search-questions.ts', [questions, ...service])
run('search.ts', [books, maxBooks])
