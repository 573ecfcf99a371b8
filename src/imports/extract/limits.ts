/** Characters (UTF-16 code units) one page may have; a longer one refuses the book as too large. */
export const maxPageCharacters = 1_000_000

/** Entries kept of a table of contents. */
export const maxTocEntries = 20_000

/** Bytes of one message of a reading process: the longest page with every character escaped, and some. */
export const maxMessageBytes = 8 * 1024 * 1024
