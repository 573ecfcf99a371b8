import { describe, expect, test } from 'vitest'
import { readDocument } from '../../support/read-document.ts'

const html = async (source: string) => readDocument(Buffer.from(`<html><body>${source}</body></html>`), 'html')
const prose = 'The tide went out and left the boats on the sand for the night. '

describe('notes of a page of HTML', () => {
  test.for<[what: string, source: string, markdown: string]>([
    [
      'Pandoc',
      '<p>As he wrote,<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a> it sank.</p><section id="footnotes" class="footnotes" role="doc-endnotes"><hr><ol><li id="fn1"><p>In 1663.<a href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>',
      'As he wrote,[^1] it sank.\n\n[^1]: In 1663.',
    ],
    [
      'Project Gutenberg',
      '<p>It sank<a id="FNanchor_1"></a><a href="#Footnote_1" class="fnanchor">[1]</a> at 5 &lt; 6 &amp; <br>so on.</p><p>It rose<a id="r2" href="#f2"><sup>2</sup></a>.</p><div class="footnote"><p><a id="Footnote_1"></a><a href="#FNanchor_1"><span class="label">[1]</span></a> The log.</p></div><p><a id="f2" href="#r2">2</a> In <i>1663</i>.</p>',
      'It sank[^1] at 5 < 6 &  \nso on.\n\nIt rose[^2].\n\n[^2]: In *1663*.\n\n[^1]: The log.',
    ],
    [
      'MediaWiki',
      '<p>It sank.<sup id="cite_ref-2" class="reference"><a href="#cite_note-Log-2">[2]</a></sup></p><ol class="references"><li id="cite_note-Log-2"><span class="mw-cite-backlink">^ <a href="#cite_ref-2">a</a></span> <span class="reference-text">The log.</span></li></ol>',
      'It sank.[^2]\n\n[^2]: The log.',
    ],
    [
      'GitHub',
      '<p>It sank.<sup><a href="#user-content-fn-log" id="user-content-fnref-log" data-footnote-ref>1</a></sup></p><section data-footnotes class="footnotes"><ol><li id="user-content-fn-log"><p>The log. <a href="#user-content-fnref-log" data-footnote-backref class="data-footnote-backref">↩</a></p></li></ol></section>',
      'It sank.[^1]\n\n[^1]: The log.',
    ],
    [
      'DocBook',
      '<p>It sank.<a href="#ftn.a" class="footnote" id="a"><sup class="footnote">[1]</sup></a></p><div class="footnotes"><br><hr><div id="ftn.a" class="footnote"><p><a href="#a" class="para"><sup class="para">[1] </sup></a>The log.</p></div></div>',
      'It sank.[^1]\n\n[^1]: The log.',
    ],
    [
      'Sphinx',
      '<p>It sank.<a class="footnote-reference brackets" href="#id2" id="id1" role="doc-noteref">1</a></p><dl class="footnote brackets"><dt class="label" id="id2"><span class="brackets"><a class="fn-backref" href="#id1">1</a></span></dt><dd><p>The log.</p></dd></dl>',
      'It sank.[^1]\n\n[^1]: The log.',
    ],
    [
      'Docutils',
      '<p>It sank.<a class="footnote-reference" href="#id2" id="id1">[1]</a></p><table class="docutils footnote" id="id2"><tbody><tr><td class="label"><a class="fn-backref" href="#id1">[1]</a></td><td>The log.</td></tr></tbody></table>',
      'It sank.[^1]\n\n[^1]: The log.',
    ],
    [
      'Word',
      '<p>It sank.<a href="#_ftn1" name="_ftnref1"><span class=MsoFootnoteReference>[1]</span></a></p><div><hr><div id=ftn1><p class=MsoFootnoteText><a href="#_ftnref1" name="_ftn1"><span>[1]</span></a> The log.</p></div></div>',
      'It sank.[^1]\n\n---\n\n[^1]: The log.',
    ],
    [
      'Texinfo',
      '<p>It sank.<a id="DOCF1" href="#FOOT1"><sup>1</sup></a> So<a href="#FOOT2"><sup>2</sup></a>.</p><div class="footnote"><hr><h4 class="footnotes-heading">Footnotes</h4><h5><a id="FOOT1" href="#DOCF1">(1)</a></h5><p>The log.</p><p>More.</p><h5><a id="FOOT2" href="#DOCF2">(2)</a></h5><p>Ibid.</p></div>',
      'It sank.[^1] So[^2].\n\n[^1]: The log.\n\n    More.\n\n[^2]: Ibid.',
    ],
    [
      'LibreOffice',
      '<p>It sank.<a class="sdfootnoteanc" name="sdfootnote1anc" href="#sdfootnote1sym"><sup>1</sup></a></p><div id="sdfootnote1"><p><a class="sdfootnotesym" name="sdfootnote1sym" href="#sdfootnote1anc">1</a>The log.</p></div>',
      'It sank.[^1]\n\n[^1]: The log.',
    ],
  ])('of %s are connected to their references', async ([, source, markdown]) => {
    expect((await html(source)).text).toBe(markdown)
  })

  test('beside the main text, as those of Asciidoctor, are connected too', async () => {
    const reference = '<sup class="footnote">[<a class="footnote" href="#_footnotedef_1">1</a>]</sup>'
    const note = '<div class="footnote" id="_footnotedef_1"><a href="#_footnoteref_1">1</a>. The log.</div>'
    const page = `<div id="content"><p>${prose}${reference}</p></div><div id="footnotes"><hr>${note}</div>`
    expect((await html(`${page}<div id="side"><p>About us.</p></div>`)).text).toBe(
      `${prose.trim()} [^1]\n\n[^1]: The log.`,
    )
  })

  test('are placed on the page of their first reference; unreferenced ones stay a list', async () => {
    const mark = (id: number) => `<a class="footnote-ref" href="#fn${id}">${id}</a>`
    const long = `<p>${prose.repeat(50)}</p>`
    const { pages } = await html(
      `<p>One${mark(1)}.</p>${long}<p>Two${mark(2)}, again${mark(1)}.</p>${long}<div class="footnotes"><ol><li id="fn1">First.</li><li id="fn2">Second.</li><li id="fn3">Loose.</li></ol></div>`,
    )
    expect(pages.length).toBeGreaterThan(1)
    expect(pages[0]?.content).toMatch(/^One\[\^1\]\.[^]*\n\n\[\^1\]: First\.$/)
    expect(pages.find(({ content }) => content.includes('Two[^2], again[^1]'))?.content).toMatch(/\[\^2\]: Second\.$/)
    expect(pages.at(-1)?.content).toMatch(/3\. Loose\./)
    for (const note of ['[^1]: First.', '[^2]: Second.'])
      expect(pages.filter(({ content }) => content.includes(note))).toHaveLength(1)
  })

  test('are placed on a page up to a limit, and long ones stay in place', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => index + 1)
    const marks = ids.map((id) => `<a class="footnote-ref" href="#fn${id}">${id}</a>`).join(' ')
    const notes = ids.map((id) => `<li id="fn${id}">note ${id} ${prose.repeat(id === 60 ? 40 : 5)}</li>`).join('')
    const { pages, text } = await html(`<p>${marks}</p><ol class="footnotes">${notes}</ol>`)
    for (const { content } of pages) expect(content.length).toBeLessThan(12_000)
    for (const id of ids) expect(text.split(`[^${id}]: note ${id} `)).toHaveLength(2)
  })
})
