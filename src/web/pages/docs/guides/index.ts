import { conflicts } from './conflicts.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Guide } from './guide.ts'
import { idempotency } from './idempotency.ts'
import { limits } from './limits.ts'
import { mcp } from './mcp.ts'
import { paging } from './paging.ts'
import { uploads } from './uploads.ts'

/** The guides in the order of the left column. */
export const guides: readonly Guide[] = [mcp, errors, limits, paging, idempotency, conflicts, uploads, events]
