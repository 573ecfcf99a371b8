import { setUpCompileCache } from './app/compile-cache.ts'

setUpCompileCache(process.env['LECTERN_DATA_DIR'])
await import('./app/run.ts')
