/** A library slot that is being taken or released. After a crash, the sweep reconciles it. */
export interface PendingSlotChange {
  itemId: string
  /**
   * For owned books: `take`, `free`, or `discard` while the book moves to the bin. For marketplace books: see
   * `marketplace/subscription-slot-store.ts`.
   */
  change: 'take' | 'free' | 'discard' | 'subscribe' | 'leave' | 'unsubscribe'
  /** Owner of the book, if it is another account. */
  ownerId?: string
  at: Date
  /** Unique for each call that takes or releases the slot. */
  id: string
}

export interface Account {
  id: string
  /** Lower case. */
  email: string
  /** When the email address was proven to belong to the account's owner; null until then. */
  emailProvenAt: Date | null
  name: string
  tier: string
  pricingCohort: string
  admin: boolean
  suspendedAt: Date | null
  /** When the account was closed. It is suspended from then on and is erased after the grace period. */
  deletedAt: Date | null
  /** Library slots in use: owned and subscribed books, including reservations. */
  slots: number
  pending: PendingSlotChange[]
  /** Ids of the books that were picked to stay usable on a smaller plan; null: the oldest books. */
  usable: string[] | null
  /** The person's reading preferences; see `accounts/reading-preferences.ts`. Absent: the defaults. */
  reading?: object
  /** `off`: text of its books is never sent to the embedding service. Absent: on. */
  embeddings?: 'on' | 'off'
  createdAt: Date
}
