/** What a process is told to do, and by whom. */
export interface WriteTask {
  kind: 'append' | 'stamp' | 'read appended' | 'read stamped'
  accountId: string
  itemId: string
  /** Told apart from the other processes. */
  name: string
  /** Writes to make; readers go on until they are told to stop. */
  count: number
}

/** A text of which every page names the same number. */
export function stampedText(number: number): string {
  return Array.from({ length: 20 }, (_, index) => `# Page ${index + 1}\n\nstamp ${number}\n`).join('')
}
