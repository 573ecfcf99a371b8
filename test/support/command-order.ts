/** A command line for the process that runs them (`command-process.ts`). */
export interface CommandOrder {
  args: readonly string[]
  environment: Record<string, string>
}

/** Marks the end of one command's output on each of the two streams. */
export const endMark = '\0end\0'
