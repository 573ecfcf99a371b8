/** The largest document that is stored, bytes (`maxBsonObjectSize`). */
export const maxDocumentBytes = 16 * 1024 * 1024

/** The largest message that is taken or sent, bytes (`maxMessageSizeBytes`). */
export const maxMessageBytes = 48_000_000

/** The most statements of one write command (`maxWriteBatchSize`). */
export const maxWriteBatch = 100_000
