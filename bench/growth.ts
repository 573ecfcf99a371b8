// The cost of calls in a library of 10 books and in one of 100,000: CPU time of the server and wall time per call, with
// the slope of their logarithms; then the startup time and memory of a process with 10,000 books. Usage: node
// bench/growth.ts [MOST]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCalls, measure, type CallTimings } from './growth-calls.ts'
import { growTo, openLibrary, type GrowthSetting } from './growth-library.ts'
import { measureStart } from './growth-start.ts'
import { printLine, logLogSlope, printTable } from './statistics.ts'

const maxBooks = Number(process.argv[2] ?? 100_000)
const sizes = [10, 100, 1000, 10_000, 100_000].filter((size) => size <= maxBooks)
const startSize = 10_000
const target = 0.1

const settings: Record<GrowthSetting, string> = { own: 'all own', others: '10 own' }
const figuresByRow = new Map<string, Map<number, CallTimings>>()

for (const setting of Object.keys(settings) as GrowthSetting[]) {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-growth-'))
  try {
    const library = await openLibrary(directory)
    for (const size of sizes) {
      await growTo(library, setting, size)
      const calls = createCalls(library).filter(({ maxBooks: largest = Infinity }) => size <= largest)
      for (const [name, figures] of await measure(library, calls)) {
        const row = `${name}|${setting}`
        figuresByRow.set(row, (figuresByRow.get(row) ?? new Map<number, CallTimings>()).set(size, figures))
      }
      printLine(`${settings[setting]}: ${size} books measured`)
      if (setting === 'own' && size === startSize) await measureStart(library)
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

for (const [figure, title] of [
  ['cpu', 'CPU time of the server per call, µs'],
  ['wall', 'wall time per call, µs'],
] as const) {
  const rows = [[title, 'library', ...sizes.map(String), 'slope', `≤ ${target}`]]
  for (const [row, figures] of figuresByRow) {
    const [name = '', setting] = row.split('|') as [string, GrowthSetting]
    const points = [...figures].map(([size, each]) => [size, each[figure]] as const)
    const up = logLogSlope(points)
    const cells = sizes.map((size) => figures.get(size)?.[figure].toFixed(0) ?? '')
    rows.push([name, settings[setting], ...cells, up.toFixed(2), up <= target ? 'yes' : 'no'])
  }
  printTable(rows)
}
