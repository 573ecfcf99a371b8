// Builds the package: `npm pack` runs this before and, with --undo, after it. The sources are compiled to JavaScript
// next to them, because Node does not strip types within node_modules. package.json then requires the Node version that
// a package needs; a clone installs its own Node, so it accepts older ones. `npm run check` checks the types; doing it here
// as well would take most of the time.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const manifest = join(root, 'package.json')
const engines = { clone: '"node": ">=20"', package: '"node": ">=24"' }

function compile(): void {
  undo()
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
  execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', join(import.meta.dirname, 'tsconfig.json')], {
    stdio: 'inherit',
  })
  replaceInManifest(engines.clone, engines.package)
}

/** Removes the compiled files; keeps the scripts of pages, which have no TypeScript source. */
function undo(): void {
  for (const source of globSync('{src,oauth,tools}/**/*.ts', { cwd: root })) {
    const compiled = join(root, source.replace(/\.ts$/, '.js'))
    if (existsSync(compiled)) rmSync(compiled)
  }
  replaceInManifest(engines.package, engines.clone)
}

function replaceInManifest(from: string, to: string): void {
  const text = readFileSync(manifest, 'utf8')
  if (text.includes(from)) writeFileSync(manifest, text.replace(from, to))
}

if (process.argv.includes('--undo')) undo()
else compile()
