#!/usr/bin/env node
import { setUpCompileCache } from '../app/compile-cache.ts'

setUpCompileCache(process.env['LECTERN_DATA_DIR'])
await import('./run.ts')
