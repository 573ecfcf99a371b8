import { setUpCompileCache } from '../app/compile-cache.ts'

if (process.argv[2] === 'start') {
  await import('./start.ts')
} else {
  setUpCompileCache(process.env['LECTERN_DATA_DIR'], { create: false })
  // A reader such as `head` may leave before the end of a list.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
  await import('./run.ts')
}
