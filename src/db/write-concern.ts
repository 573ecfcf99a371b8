/**
 * Options of collections for counters and logs: writes are acknowledged before they are on disk (write concern
 * `j: false`). A process crash loses none of them; a power failure can lose the most recent ones.
 */
export const unjournaled = { writeConcern: { w: 'majority', j: false } } as const

/** Time for which counter updates are batched, ms: each row is written at most about 20 times per second. */
export const writeBehindDelayMs = 50
