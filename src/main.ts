import { keepCompiled } from './app/compile-cache.ts'

keepCompiled(process.env.LECTERN_DATA_DIR)
await import('./app/run.ts')
