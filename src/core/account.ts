/** A slot that is being taken or given back; settled by the sweeper when a crash left it. */
export interface PendingSlotChange {
  itemId: string
  /** Of an own book: `take` and `free`; of a marketplace book: see `marketplace/slot-store.ts`. */
  change: 'take' | 'free' | 'subscribe' | 'leave' | 'unsubscribe'
  /** Whose book it is, where that is somebody else's. */
  ownerId?: string
  at: Date
  /** One for each call that takes or frees. */
  id: string
}

export interface Account {
  id: string
  /** Lower case. */
  email: string
  name: string
  tier: string
  pricingCohort: string
  admin: boolean
  suspendedAt: Date | null
  /** When it was closed, to be erased after the grace; it is suspended too, then. */
  deletedAt: Date | null
  /** Library slots in use: owned and subscribed books, reservations included. */
  slots: number
  pending: PendingSlotChange[]
  /** The books that the owner has picked to stay usable on a smaller plan; null: the oldest. */
  usable: string[] | null
  createdAt: Date
}
