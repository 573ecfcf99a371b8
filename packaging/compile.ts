// Builds the package: `npm pack` runs this before and, with --undo, after it. The sources are compiled to JavaScript
// next to them, because Node does not strip types within node_modules; threads and child processes run these files. The
// command runs a bundle of them, because Node spends most of a start on loading single modules. package.json then requires
// the Node version that a package needs; a clone installs its own Node, so it accepts older ones. `npm run check` checks
// the types; doing it here as well would take most of the time.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')
const manifest = join(root, 'package.json')
const bundleFolder = join(root, 'bundle')
const engines = { clone: '"node": ">=20"', package: '"node": ">=24"' }

async function compile(): Promise<void> {
  undo()
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
  execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', join(import.meta.dirname, 'tsconfig.json')], {
    stdio: 'inherit',
  })
  await bundle()
  replaceInManifest(engines.clone, engines.package)
}

/** Combines our own modules; packages stay where npm installs them, with their licences. */
async function bundle(): Promise<void> {
  const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies: Record<string, string> }
  const packages = Object.keys(dependencies)
  const build = await rolldown({
    input: join(root, 'src', 'admin', 'main.js'),
    platform: 'node',
    external: (specifier) => packages.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
    plugins: [{ name: 'keep-addresses', transform: keepAddress }],
  })
  await build.write({ dir: bundleFolder, chunkFileNames: '[name].js' })
}

/** Makes a module of the bundle find its neighbours, such as programs of threads, next to its compiled file. */
function keepAddress(code: string, path: string): string {
  if (/import\.meta\.(?!url\b)/.test(code)) throw new Error(`${path}: only import.meta.url is kept in the bundle`)
  const address = relative(bundleFolder, path).replaceAll(sep, '/')
  return code.replaceAll('import.meta.url', `new URL('${address}', import.meta.url).href`)
}

/** Removes the bundle and the compiled files; keeps the scripts of pages, which have no TypeScript source. */
function undo(): void {
  rmSync(bundleFolder, { recursive: true, force: true })
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
else await compile()
