/** A connection ends when its program has not used it for this number of days. */
export const unusedConnectionDays = 90
