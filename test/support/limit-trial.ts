/** The attempts of a process, all at once. */
export interface LimitTrial {
  kind: 'reads' | 'slots' | 'rate' | 'naive'
  accountId: string
  limit: number
  attempts: number
}
