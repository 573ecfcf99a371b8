#!/usr/bin/env node
import { keepCompiled } from '../app/compile-cache.ts'

keepCompiled(process.env.LECTERN_DATA_DIR)
await import('./run.ts')
