/** A library slot that is being taken or released; the sweep reconciles it after a crash. */
export interface PendingSlotChange {
  itemId: string
  /** For owned books: `take`, `free`, and `discard` on the way into the bin; for marketplace books: see `marketplace/subscription-slot-store.ts`. */
  change: 'take' | 'free' | 'discard' | 'subscribe' | 'leave' | 'unsubscribe'
  /** Owner of the book, if it is another account. */
  ownerId?: string
  at: Date
  /** Unique per call that takes or releases the slot. */
  id: string
}

export interface Account {
  id: string
  /** Lower case. */
  email: string
  /** When the account was shown to belong to whoever has the address; null: not yet. */
  emailProvenAt: Date | null
  name: string
  tier: string
  pricingCohort: string
  admin: boolean
  suspendedAt: Date | null
  /** When the account was closed; it is suspended from then on and erased after the grace period. */
  deletedAt: Date | null
  /** Library slots in use: owned and subscribed books, reservations included. */
  slots: number
  pending: PendingSlotChange[]
  /** Ids of the books selected to stay usable on a smaller plan; null: the oldest. */
  usable: string[] | null
  /** How the person likes to read; see `accounts/reading-preferences.ts`. Absent: nothing chosen. */
  reading?: object
  /** Off: no text of its books is sent to be compared by meaning. Absent: on. */
  embeddings?: 'on' | 'off'
  createdAt: Date
}
