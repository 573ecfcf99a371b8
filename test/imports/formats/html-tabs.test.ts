import { expect, test } from 'vitest'
import { readDocument } from '../../support/read-document.ts'

const read = async (body: string) => (await readDocument(Buffer.from(`<html><body>${body}</body></html>`), 'html')).text
const labelled = '**Ebb**\n\nLow water.\n\n**Flood**\n\nHigh water.'

test.for([
  [
    'that name their panels',
    '<div role="tablist"><button role="tab" aria-controls="a">Ebb</button><button role="tab" aria-controls="b">Flood</button></div><div role="tabpanel" id="a"><p>Low water.</p></div><div role="tabpanel" id="b" hidden><p>High water.</p></div>',
  ],
  [
    'whose panels follow in one element',
    '<ul class="tabs" role="tablist"><li role="tab">Ebb</li><li role="tab">Flood</li></ul>\n<div><div role="tabpanel"><p>Low water.</p></div><div role="tabpanel" aria-hidden="true" style="display:none"><p>High water.</p></div></div>',
  ],
  [
    'that are labels of radio buttons',
    '<input type="radio" id="a"><input type="radio" id="b"><div class="tabbed-labels"><label for="a">Ebb</label><label for="b">Flood</label></div><div><div><p>Low water.</p></div><div><p>High water.</p></div></div>',
  ],
  [
    'that are labels beside radio buttons',
    '<div class="tabs"><input type="radio" id="a"><label for="a">Ebb</label><input type="radio" id="b"><label for="b">Flood</label></div><div><div><p>Low water.</p></div><div><p>High water.</p></div></div>',
  ],
] as const)('panels of tabs %s have their labels, also if they are hidden', async ([, body]) => {
  expect(await read(body)).toBe(labelled)
})

test('tabs that filter one panel are not its labels', async () => {
  const tabs = '<button role="tab" aria-controls="a">Ebb</button><button role="tab" aria-controls="a">Flood</button>'
  const body = `<div role="tablist">${tabs}</div><div role="tabpanel" id="a"><p>Low water.</p></div>`
  expect(await read(body)).toBe('Low water.')
})

test('tabs without as many panels and labels of other buttons stay in place', async () => {
  expect(await read('<ul role="tablist"><li role="tab">Ebb</li></ul><p>Low water.</p>')).toBe('- Ebb\n\nLow water.')
  const choice = '<p><label for="a">Ebb</label></p><ol><li>Low</li><li>High</li></ol>'
  expect(await read(choice)).toBe('Ebb\n\n1. Low\n2. High')
})
