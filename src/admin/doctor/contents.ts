import type { Check, Findings } from './check.ts'

export const contents: Check = {
  name: 'contents',
  invariant: 'every stored version belongs to a book, a deleted one that can be brought back, or a pending one',
  async run({ db, services }) {
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
      if ((await services.bin.listKnown([_id])).has(_id)) continue
      findings.push(`book ${_id} has stored text but does not exist`)
    }
    return findings
  },
}

export const drafts: Check = {
  name: 'drafts',
  invariant: 'every draft belongs to a book, or a deleted one that can be brought back',
  async run({ db, services }) {
    const orphans = await db
      .collection('drafts')
      .aggregate<{ _id: string }>([
        { $group: { _id: '$itemId' } },
        { $lookup: { from: 'books', localField: '_id', foreignField: '_id', as: 'book' } },
        { $match: { book: { $size: 0 } } },
      ])
      .toArray()
    const binned = await services.bin.listKnown(orphans.map(({ _id }) => _id))
    return orphans.flatMap(({ _id }) => (binned.has(_id) ? [] : [`book ${_id} has drafts but does not exist`]))
  },
}
