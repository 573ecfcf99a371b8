import { describe, expect, test } from 'vitest'
import { makeBook } from '../../support/make-book.ts'
import { transports } from '../../support/transports.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const content = `---
title: "The lights of the north"
author: Johanna Winter
subject:
  - lightships
  - 'fog horns'
---
# Chapter one

The tower was built in stone.
`

describe.for(transports)('passages of front matter over %s', ([, transport]) => {
  test.for([
    ['lights north', 'The lights of the north'],
    ['johanna', 'Johanna Winter'],
    ['lightships', 'lightships'],
    ['horns', 'fog horns'],
    ['tower stone', 'The tower was built in stone.'],
  ] as const)('"%s" finds the value of a field, without its markup', async ([query, snippet]) => {
    const person = await server.createPerson()
    const itemId = await makeBook(server, person, { title: 'Notes', content })
    const { body } = await transport.call(server, person, 'search_items', { query })
    const [item] = body.items
    expect(item.id).toBe(itemId)
    expect(item.hits[0].snippet).toBe(snippet)
    const quoted = await transport.call(server, person, 'check_citations', {
      citations: [{ itemId, page: item.hits[0].page, quote: snippet }],
    })
    expect(quoted.body.citations).toMatchObject([{ found: true, match: 'exact' }])
  })

  test('the name of a field is no passage', async () => {
    const person = await server.createPerson()
    await makeBook(server, person, { title: 'Notes', content })
    const { body } = await transport.call(server, person, 'search_items', { query: 'subject' })
    expect(body.items[0].hits[0].snippet).toBe('The lights of the north')
  })
})
