import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { smallBooks } from '../../support/small-books.ts'
import { callOverRest, importFile, sha256 } from '../../support/uploads.ts'

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

interface Candidate {
  id: string
  title: string
  score: number
}

async function candidates(body: Record<string, unknown>, who = person): Promise<Candidate[]> {
  const answer = await callOverRest(server, who, 'check_upload', body)
  expect(answer.status).toBe(200)
  return answer.body.candidates
}

describe('check_upload', () => {
  test("finds one of the caller's books by title, with the fields to recognize it", async () => {
    const id = await makeBook(server, person, { title: 'The Réal World Handbook' })
    const [best] = await candidates({ filename: 'the-real_world handbook.pdf' })
    expect(best).toEqual({
      id,
      title: 'The Réal World Handbook',
      author: null,
      status: 'READY',
      sourceType: 'markdown',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      score: 1,
    })
  })

  test('finds a book by the name of its file, whatever its title', async () => {
    const owner = await server.createPerson()
    const { itemId } = await importFile(server, owner, {
      filename: 'secret_plans.epub',
      bytes: await smallBooks.epub(),
    })
    const [best] = await candidates({ filename: 'Secret Plans (2).epub' }, owner)
    expect(best?.id).toBe(itemId)
    expect(best?.score).toBeGreaterThan(0.7)
  })

  test('a file of the same SHA-256 scores 1 under any name', async () => {
    const owner = await server.createPerson()
    const bytes = await smallBooks.pdf()
    const { itemId } = await importFile(server, owner, { filename: 'one.pdf', bytes })
    const found = await candidates({ filename: 'zzz.pdf', sha256: sha256(bytes).toUpperCase() }, owner)
    expect(found).toMatchObject([{ id: itemId, score: 1 }])
    expect(await candidates({ filename: 'zzz.pdf', sha256: sha256(Buffer.from('other')) }, owner)).toEqual([])
  })

  test('returns the best five, best first, without distant matches', async () => {
    const owner = await server.createPerson()
    await seedBooks(server, owner, { count: 9, book: (index) => ({ title: `Deep Sea Fishing ${'x'.repeat(index)}` }) })
    await seedBooks(server, owner, { count: 1, book: () => ({ title: 'Quantum Gravity' }) })
    const found = await candidates({ filename: 'Deep Sea Fishing.pdf' }, owner)
    expect(found).toHaveLength(5)
    expect(found[0]).toMatchObject({ title: 'Deep Sea Fishing ', score: 1 })
    const scores = found.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(found.map(({ title }) => title)).not.toContain('Quantum Gravity')
  })

  test('never shows the books of others', async () => {
    await makeBook(server, await server.createPerson(), { title: 'A Private Diary' })
    expect(await candidates({ filename: 'A Private Diary.md' }, await server.createPerson())).toEqual([])
  })

  test.for<[string, unknown, RegExp]>([
    ['no filename', {}, /^filename is required$/],
    ['an empty filename', { filename: '' }, /^filename is required$/],
    ['a filename of blanks', { filename: ' \t ' }, /^filename is required$/],
    ['a filename that is null', { filename: null }, /^filename is required$/],
    ['a filename that is not a string', { filename: { $gt: '' } }, /^filename is required$/],
    ['an invalid SHA-256', { filename: 'a.pdf', sha256: 'abc' }, /sha256 must be 64 hexadecimal digits/],
    ['a body that is an array', '[]', /Invalid JSON body/],
    ['a body that is not JSON', '{', /Invalid JSON body/],
  ])('refuses %s without a code', async ([, body, says]) => {
    const answer = await send(server, person.key, { method: 'POST', path: '/api/v1/upload/check', body })
    expectRefusal(answer, 'rest', { status: 400, message: says })
  })

  test('needs a key, and one that may write', async () => {
    const request = { method: 'POST', path: '/api/v1/upload/check', body: { filename: 'a.pdf' } }
    expectRefusal(await send(server, null, request), 'rest', { status: 401, message: /Missing Authorization header/ })
    const reader = await server.createPerson({ scopes: ['library:read'] })
    const refusal = { status: 403, code: 'INSUFFICIENT_SCOPE', message: /library:write/ }
    expectRefusal(await send(server, reader.key, request), 'rest', refusal)
  })

  test('sixty calls pass in a minute; the next one is refused without a code', async () => {
    const hasty = await server.createPerson()
    for (let n = 0; n < 60; n += 1) await candidates({ filename: 'a.pdf' }, hasty)
    const answer = await callOverRest(server, hasty, 'check_upload', { filename: 'a.pdf' })
    expectRefusal(answer, 'rest', { status: 429, message: /^Too many requests/ })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })
})
