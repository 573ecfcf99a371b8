import { expect, test } from 'vitest'
import { markdownToc } from '../../../src/text/markdown/markdown-toc.ts'
import { programName } from '../../../src/web/format/program-name.ts'
import { convertBody } from '../../support/read-epub.ts'
import { readDocument } from '../../support/read-document.ts'

/** Names that every object of JavaScript inherits. A table that is an object contains them. */
const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty'] as const

test.for(inherited)('%s is a name like any other in files, headings and names of programs', async (name) => {
  const math = `<mi>${name}</mi><mi mathvariant="${name}">x</mi><${name}>y</${name}><menclose notation="${name}">z</menclose>`
  expect(await convertBody(`<p>so <math>${math}</math></p>`)).not.toMatch(/function|object/i)
  const html = `<html><body><div role="table"><div role="row"><div role="${name}">Tide</div></div></div></body></html>`
  expect((await readDocument(Buffer.from(html), 'html')).text).toBe('Tide')
  const fb2 = `<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body><section><p>so <${name}>high</${name}></p></section></body></FictionBook>`
  expect((await readDocument(Buffer.from(fb2), 'fb2')).text).toBe('so high')
  expect(markdownToc([`# Tide &${name}; ebb\n`])).toEqual([{ title: `Tide &${name}; ebb`, page: 1, level: 1 }])
  expect(programName(name)).toBe(name)
})
