// Prints measurements of the structure of the code base: `npm run structure`. With a folder, prints those of another
// checkout next to them.
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
