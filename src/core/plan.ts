/** The limits and permissions of an account. */
export interface Plan {
  /** Identifier of the plan in the API. */
  tier: string
  tierDisplay: string
  /** Library slots: owned and subscribed books. */
  itemLimit: number
  /** null: unlimited. */
  monthlyReadLimit: number | null
  /** Number of readable pages of a Pro book; null: all. */
  previewPages: number | null
  /** Maximum size of an uploaded file, MB. */
  uploadMb: number
  /** Maximum of stored bytes, MB: original files, all versions and tables of contents. null: unlimited. */
  storageMb: number | null
  /** Maximum size of the text of one imported file, MB. */
  textMb: number
  shelfLimit: number
  manuscriptSlots: number
  canPublish: boolean
}
