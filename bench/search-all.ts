// All figures of search in one run: `npm run bench:search -- FOLDER-OF-QUESTIONS [FOLDER-OF-BOOKS] [BOOKS-TO-GROW-TO]` prints how pages
// are ranked and found beside other engines, then what indexing and searching cost. Each part is a program of its own.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { printLine } from './statistics.ts'

const [questions, books = '', maxBooks = '1000'] = process.argv.slice(2)

function run(program: string, given: string[]): void {
  printLine(`\n${program} ${given.join(' ')}`)
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, program), ...given], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}

run('search-robustness.ts', [])
if (questions !== undefined) run('search-questions.ts', [questions])
run('search.ts', [books, maxBooks])
