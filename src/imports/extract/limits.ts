/** The maximum length of a page in UTF-16 units; a longer one fails the book with `TOO_LARGE`. */
export const maxPageCharacters = 1_000_000

/** The maximum number of entries of a table of contents; further ones are dropped. */
export const maxTocEntries = 20_000

/**
 * The maximum size of a message of a reading process, in bytes: the longest page with every character escaped, plus a
 * margin.
 */
export const maxMessageBytes = 8 * 1024 * 1024

/** The maximum size of a drawn picture, in bytes; a message has room for it in base64. */
export const maxPictureBytes = 5 * 1024 * 1024

/** The argument that makes the program of a reading process compile its code and exit. */
export const compileArgument = 'compile'

/**
 * How many calls of a function V8 waits for before it optimises it fully, in place of 3,000. A process reads few books,
 * which take a tenth less processor time with this.
 */
export const engineFlag = '--invocation-count-for-turbofan=40000'
