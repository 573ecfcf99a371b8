import type { Check, Findings } from './check.ts'

export const contents: Check = {
  name: 'contents',
  invariant: 'every stored version belongs to a book, or to one that is just coming or going',
  async run({ db }) {
    const findings: Findings = []
    const orphans = db
      .collection('contents')
      .aggregate<{ _id: string }>([
        { $group: { _id: '$itemId' } },
        { $lookup: { from: 'books', localField: '_id', foreignField: '_id', as: 'book' } },
        { $match: { book: { $size: 0 } } },
      ])
    for await (const { _id } of orphans) {
      if (await db.collection('accounts').findOne({ 'pending.itemId': _id })) continue
      findings.push(`the text of book ${_id} is there and the book is not`)
    }
    return findings
  },
}
