import { Double, Long } from 'bson'
import type { Document } from 'bson'
import type { Differs } from './differs.ts'

/** A document, a projection of `find`, and the result (field order included), or the code of the refusal. */
export type ProjectCase = readonly [
  name: string,
  doc: Document,
  projection: Document,
  out: Document | number,
  options?: { differs?: Differs },
]

export const projectCases: ProjectCase[] = [
  ['inclusion takes the _id along', { a: 1, b: 2 }, { a: 1 }, { _id: 1, a: 1 }],
  ['inclusion without the _id', { a: 1, b: 2 }, { a: 1, _id: 0 }, { a: 1 }],
  ['inclusion keeps the order of the document', { a: 1, b: 2, c: 3 }, { c: 1, a: true }, { _id: 1, a: 1, c: 3 }],
  ['inclusion of what is missing', { a: 1 }, { z: 1 }, { _id: 1 }],
  ['only the _id', { a: 1 }, { _id: 1 }, { _id: 1 }],
  ['exclusion', { a: 1, b: 2 }, { a: 0 }, { _id: 1, b: 2 }],
  ['exclusion with the _id', { a: 1, b: 2 }, { a: false, _id: false }, { b: 2 }],
  ['exclusion that keeps the _id', { a: 1, b: 2 }, { a: 0, _id: 1 }, { _id: 1, b: 2 }],
  ['only without the _id', { a: 1 }, { _id: 0 }, { a: 1 }],
  ['the empty projection', { a: 1 }, {}, { _id: 1, a: 1 }],
  ['any number but 0 includes', { a: 1, b: 2 }, { a: new Double(0.5) }, { _id: 1, a: 1 }],
  ['a mix', { a: 1, b: 2 }, { a: 1, b: 0 }, 31254],
  ['a mix the other way', { a: 1, b: 2 }, { a: 0, b: 1 }, 31253],
  ['an embedded field', { a: { b: 1, c: 2 }, d: 1 }, { 'a.b': 1 }, { _id: 1, a: { b: 1 } }],
  ['two embedded fields', { a: { b: 1, c: 2, d: 3 } }, { 'a.d': 1, 'a.b': 1 }, { _id: 1, a: { b: 1, d: 3 } }],
  ['an embedded field excluded', { a: { b: 1, c: 2 }, d: 1 }, { 'a.b': 0 }, { _id: 1, a: { c: 2 }, d: 1 }],
  [
    'inclusion in the elements drops what is no document',
    { a: [{ b: 1, c: 2 }, 5, { c: 3 }, [{ b: 4, c: 5 }]] },
    { 'a.b': 1 },
    { _id: 1, a: [{ b: 1 }, {}, [{ b: 4 }]] },
  ],
  [
    'exclusion in the elements keeps what is no document',
    { a: [{ b: 1, c: 2 }, 5] },
    { 'a.b': 0 },
    { _id: 1, a: [{ c: 2 }, 5] },
  ],
  ['inclusion in a scalar drops it', { a: 5, b: 1 }, { 'a.b': 1 }, { _id: 1 }],
  ['exclusion in a scalar keeps it', { a: 5, b: 1 }, { 'a.b': 0 }, { _id: 1, a: 5, b: 1 }],
  ['a path inside another', { a: { b: 1 } }, { a: 1, 'a.b': 1 }, 31249],
  ['a path around another', { a: { b: 1 } }, { 'a.b': 1, a: 1 }, 31250],
  ['a name with a dollar', {}, { $a: 1 }, 16410],
  [
    'types stay',
    { a: Long.fromNumber(1), b: new Double(1), c: 1 },
    { a: 1, b: 1 },
    { _id: 1, a: Long.fromNumber(1), b: new Double(1) },
  ],
]
