/**
 * The options of collections that count and note what happened: their writes are acknowledged without waiting for the disk
 * (write concern `j: false`). A crash of a process costs none of them, a power failure those of the last moment.
 */
export const unjournaled = { writeConcern: { w: 'majority', j: false } } as const

/** How long counts that nobody waits for are collected, ms: a busy server writes each row some twenty times a second. */
export const writeBehindDelayMs = 50
