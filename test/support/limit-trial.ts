/** What a process is to try, all attempts at once. */
export interface LimitTrial {
  kind: 'reads' | 'slots' | 'rate' | 'naive'
  accountId: string
  limit: number
  attempts: number
}
