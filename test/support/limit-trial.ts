/** What a process is to try, all attempts at once. */
export interface Trial {
  what: 'reads' | 'slots' | 'rate' | 'naive'
  accountId: string
  limit: number
  times: number
}
