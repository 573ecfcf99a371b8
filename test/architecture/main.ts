// Prints how the code base is built: `npm run structure`; with a folder, another checkout of it beside this one.
import { resolve } from 'node:path'
import { measureStructure } from './structure.ts'

const other = process.argv[2]
const here = measureStructure()
const there = other === undefined ? null : measureStructure(resolve(other))
for (const [name, value] of Object.entries(here)) {
  process.stdout.write(
    `${name.padEnd(42)}${there ? String(there[name]).padStart(12) : ''}${String(value).padStart(12)}\n`,
  )
}
