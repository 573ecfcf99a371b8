/** The task of a process, and its account. */
export interface WriteTask {
  kind: 'append' | 'stamp' | 'read appended' | 'read stamped'
  accountId: string
  itemId: string
  /** Distinguishes it from the other processes. */
  name: string
  /** Number of writes; readers continue until they are told to stop. */
  count: number
}

/** A text in which every page contains the same number. */
export function stampedText(number: number): string {
  return Array.from({ length: 20 }, (_, index) => `# Page ${index + 1}\n\nstamp ${number}\n`).join('')
}
