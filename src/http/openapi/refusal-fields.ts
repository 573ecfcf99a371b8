import type { ErrorCode } from '../../core/errors.ts'
import type { JsonObject } from './json-schema.ts'

const text = { type: 'string' }
const url = { type: 'string', format: 'uri' }
const count = { type: 'integer', minimum: 0 }
const seconds = { type: 'integer', minimum: 1, description: 'Whole seconds to wait, as in Retry-After.' }
const described = (description: string) => ({ ...count, description })
const upgradeUrl = { ...url, description: 'Where the user can change the plan.' }

const occupant = {
  type: 'object',
  required: ['id', 'title', 'itemId', 'status'],
  properties: { id: text, title: text, itemId: text, status: text },
}

/** Additional fields in the bodies of some refusals besides `error`, `code` and `requestId` (contract, Errors). */
export const refusalFields: Partial<Record<ErrorCode, Record<string, JsonObject>>> = {
  INVALID_INPUT: { field: { ...text, description: 'Path of the field that is wrong, such as items.0.id.' } },
  INSUFFICIENT_SCOPE: { requiredScope: { ...text, description: 'The scope that the credential lacks.' } },
  PLAN_LIMIT_EXCEEDED: {
    tier: text,
    itemCount: described('How many books count against the plan.'),
    itemLimit: count,
    storageMb: count,
    storageUsedMb: { type: 'number', minimum: 0 },
    upgradeUrl,
  },
  SHELF_LIMIT_EXCEEDED: { tier: text, limit: described('How many shelves the plan allows.'), upgradeUrl },
  MANUSCRIPT_LIMIT_EXCEEDED: {
    limit: described('How many manuscript slots the plan has, or how many archived manuscripts an account may have.'),
    used: described('How many of them are used.'),
    occupants: { type: 'array', items: occupant },
    upgradeUrl,
  },
  MANUSCRIPT_ITEM_CONFLICT: {
    existingManuscriptId: { ...text, description: 'The id of the active manuscript of the book.' },
  },
  PUBLISH_NOT_ALLOWED: { tier: text, upgradeUrl },
  READ_LIMIT_EXCEEDED: {
    tier: text,
    used: described('How many reads of this month are used.'),
    limit: described('How many reads the plan allows in a month.'),
    upgradeUrl,
    resetsAt: { type: 'string', format: 'date-time', description: 'When reads are available again.' },
  },
  ITEM_LOCKED: {
    tier: text,
    itemLimit: count,
    upgradeUrl,
    pickUrl: { ...url, description: 'Where the user picks the books that stay usable.' },
    locked: { type: 'array', items: { $ref: '#/components/schemas/LockedBook' } },
  },
  FORBIDDEN: { upgradeUrl },
  CONFLICT: { itemId: text, listingId: text, slug: text, currentVersion: count },
  VERSION_CONFLICT: {
    currentVersion: count,
    expectedVersion: count,
    changedPages: { type: 'array', items: { type: 'integer', minimum: 1 } },
    updatedAt: { type: 'string', format: 'date-time' },
    updatedBy: { ...text, description: 'Name of the account that made the current version.' },
  },
  TRANSIENT_CONFLICT: { retryAfterSeconds: seconds },
}
