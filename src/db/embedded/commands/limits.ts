/** Maximum size of a stored document, bytes (`maxBsonObjectSize`). */
export const maxDocumentBytes = 16 * 1024 * 1024

/** Maximum size of a message in either direction, bytes (`maxMessageSizeBytes`). */
export const maxMessageBytes = 48_000_000

/** Maximum number of statements in one write command (`maxWriteBatchSize`). */
export const maxWriteBatch = 100_000
