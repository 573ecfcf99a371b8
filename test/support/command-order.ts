/** A command line for the process that runs them (`command-process.ts`). */
export interface CommandOrder {
  args: readonly string[]
  environment: Record<string, string>
}

/** Ends what one command has written to each of the two streams. */
export const endMark = '\0end\0'
