import { keepCompiled } from './compile-cache.ts'

keepCompiled(process.env.LECTERN_DATA_DIR)
await import('./run.ts')
