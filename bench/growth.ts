// What calls cost in a library of 10 books and in one of 100,000: CPU time of the server and wall time per call, with the
// slope of their logarithms; then how fast and how large a process is that starts on 10,000 books.
// Usage: node bench/growth.ts [MOST]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callsOf, measure, type Figures } from './growth-calls.ts'
import { fillTo, openLibrary, type Setting } from './growth-library.ts'
import { measureStart } from './growth-start.ts'
import { say, slope, table } from './statistics.ts'

const most = Number(process.argv[2] ?? 100_000)
const sizes = [10, 100, 1000, 10_000, 100_000].filter((size) => size <= most)
const startSize = 10_000
const target = 0.1

const settings: Record<Setting, string> = { own: 'all own', others: '10 own' }
const found = new Map<string, Map<number, Figures>>()

for (const setting of Object.keys(settings) as Setting[]) {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-growth-'))
  try {
    const library = await openLibrary(directory)
    for (const size of sizes) {
      await fillTo(library, setting, size)
      const calls = callsOf(library).filter(({ most: largest = Infinity }) => size <= largest)
      for (const [name, figures] of await measure(library, calls)) {
        const row = `${name}|${setting}`
        found.set(row, (found.get(row) ?? new Map<number, Figures>()).set(size, figures))
      }
      say(`${settings[setting]}: ${size} books measured`)
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
  for (const [row, figures] of found) {
    const [name = '', setting] = row.split('|') as [string, Setting]
    const points = [...figures].map(([size, each]) => [size, each[figure]] as const)
    const up = slope(points)
    const cells = sizes.map((size) => figures.get(size)?.[figure].toFixed(0) ?? '')
    rows.push([name, settings[setting], ...cells, up.toFixed(2), up <= target ? 'yes' : 'no'])
  }
  table(rows)
}
