/** What an account may do and how much it may hold. */
export interface Plan {
  /** Names the plan in the API. */
  tier: string
  tierDisplay: string
  /** Library slots: owned and subscribed books. */
  itemLimit: number
  /** null: unlimited. */
  monthlyReadLimit: number | null
  /** Pages of a Pro book that may be read; null: all. */
  previewPages: number | null
  /** The largest file, MB. */
  uploadMb: number
  shelfLimit: number
  manuscriptSlots: number
  canPublish: boolean
}
