// The `lectern` command, which kills itself right after its nth change of a store or of files. Arguments: n, then those
// of the command.
import fs from 'node:fs/promises'
import { createRequire, flushCompileCache, syncBuiltinESMExports } from 'node:module'
import { Collection, Db } from 'mongodb'

type Method = (this: unknown, ...args: unknown[]) => Promise<unknown>
type Methods = Record<string, Method>

const [left = '', ...args] = process.argv.slice(2)
let changesLeft = Number(left)

function countCalls(methods: Methods, names: readonly string[]): void {
  for (const name of names) {
    const original = methods[name]
    if (!original) throw new Error(`there is no ${name}`)
    methods[name] = async function counted(...given) {
      const result = await original.apply(this, given)
      changesLeft -= 1
      if (changesLeft === 0) process.kill(process.pid, 'SIGKILL')
      return result
    }
  }
}

countCalls(Db.prototype as unknown as Methods, ['command', 'dropDatabase'])
countCalls(Collection.prototype as unknown as Methods, [
  'insertOne',
  'updateOne',
  'findOneAndUpdate',
  'deleteOne',
  'createIndexes',
])
// The module object that other modules' imports refer to.
const module = createRequire(import.meta.url)('node:fs/promises') as Methods
countCalls(module, ['link', 'unlink', 'rm', 'mkdir', 'rename', 'writeFile'])
const handle = await fs.open(process.execPath)
countCalls(Object.getPrototypeOf(handle) as Methods, ['writeFile'])
await handle.close()
syncBuiltinESMExports()

process.argv.splice(2, Infinity, ...args)
const { commandLoaders } = await import('../../src/admin/commands/command-loaders.ts')
await Promise.all([commandLoaders.get(args[0] ?? '')?.(), import('../../src/app/services.ts')])
// The kill would lose the compile cache.
flushCompileCache()
await import('../../src/admin/run.ts')
