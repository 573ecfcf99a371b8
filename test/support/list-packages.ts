// Preloaded before a program: writes the names of the packages that it has loaded into the file TEST_PACKAGES_FILE when it ends.
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const packageName = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/

if (isMainThread) {
  const names = new Set<string>()
  registerHooks({
    load(url, context, nextLoad) {
      const name = packageName.exec(url)?.[1]
      if (name !== undefined) names.add(name)
      return nextLoad(url, context)
    },
  })
  process.on('exit', () => writeFileSync(process.env['TEST_PACKAGES_FILE'] as string, JSON.stringify([...names])))
}
