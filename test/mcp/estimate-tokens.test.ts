import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { tokensOf } from '../../bench/measure-tokens.ts'
import { mcpBudget } from '../../src/mcp/budget.ts'
import { estimateTokens } from '../../src/mcp/estimate-tokens.ts'

const bytes = Buffer.concat(Array.from({ length: 200 }, (_, i) => createHash('sha256').update(String(i)).digest()))
const source = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').slice(0, 60_000)
const times = (text: string) => text.repeat(Math.ceil(6000 / text.length))

const rows = Array.from({ length: 500 }, (_, i) => `${((i * 7919) % 1000) / 7}\t${(i * 104_729) % 1_000_003}|\n`).join(
  '',
)

const samples: [string, string][] = [
  ['English', times('Pack my box with liquor jugs: the quick brown fox jumps over the lazy dog, said Ann. ')],
  ['capitals', times('THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG ')],
  ['Latin', times('Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor ')],
  ['French', times('Portez ce vieux whisky au juge blond qui fume à l’été, où çà ')],
  ['German', times('Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich ')],
  ['Finnish', times('Törkylempijävongahdus elämäntapaintiaanien hääyöaieuutinen ')],
  ['Vietnamese', times('Do bạch kim rất quý nên sẽ dùng để lắp vô xương ')],
  ['Greek', times('Η γρήγορη καφέ αλεπού πηδάει πάνω από το τεμπέλικο σκυλί ')],
  ['Russian', times('Съешь же ещё этих мягких французских булок, да выпей чаю ')],
  ['Hebrew', times('דג סקרן שט בים מאוכזב ולפתע מצא חברה ')],
  ['Arabic', times('نص حكيم له سر قاطع وذو شأن عظيم ')],
  ['Hindi', times('निज भाषा उन्नति अहै सब उन्नति को मूल ')],
  ['Thai', times('เป็นมนุษย์สุดประเสริฐเลิศคุณค่า ')],
  ['Georgian', times('ვეპხის ტყაოსანი შოთა რუსთაველი ')],
  ['Amharic', times('ሰማይ አይታረስ ንጉሥ አይከሰስ ')],
  ['Tibetan', times('༈ཀྱེ་མ་ཨེ་མ་ཧོ ')],
  ['Chinese', times('天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏')],
  ['Japanese', times('いろはにほへとちりぬるを、長編小説を読む会議録全集。')],
  ['Korean', times('모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다 ')],
  ['emoji', times('👩‍👩‍👧‍👦🏳️‍🌈😀')],
  ['mathematics', times('∀x∈ℝ ∃y: x²+y²≤∞ ⇒ ∫∂ƒ/∂x ≠ √2 ')],
  ['TeX', times('\\frac{\\partial^2 u}{\\partial x^2} = \\sum_{i=1}^{n} \\alpha_i \\beta^{i+1} ')],
  ['TypeScript', source('src/core/tool.ts')],
  ['JSON with hashes', source('package-lock.json')],
  ['Markdown', source('README.md')],
  ['tables of numbers', rows],
  ['marks', times('0x7f=3.14159265;{}[]()|~^%$#')],
  ['quotation marks', times('""\'"«"»\'')],
  ['hexadecimal', bytes.toString('hex')],
  ['Base64', bytes.toString('base64')],
  ['ids', [...bytes].map((byte, i) => ((byte + i) % 36).toString(36)).join('')],
  ['addresses', times('http://127.0.0.1:41621/books/0mwpw4mbsy3knw4noxch6mbwl5/pages/3?v=1 ')],
]

describe('the estimate of tokens', () => {
  test.for(samples)('the estimate is rarely too low for %s', ([, text]) => {
    expect(tokensOf(text) / estimateTokens(text)).toBeLessThanOrEqual(1.06)
  })

  test.for(samples.filter(([what]) => /^(English|Latin|TypeScript|Markdown|German|French)$/.test(what)))(
    'the estimate is not much too high for %s',
    ([, text]) => expect(mcpBudget.cost(text) / text.length).toBeLessThanOrEqual(1.05),
  )

  test('the estimates of pieces add up to that of the whole, except at cut words', () => {
    for (const [, text] of samples) {
      const whole = estimateTokens(text)
      const pieces = estimateTokens(text.slice(0, 999)) + estimateTokens(text.slice(999))
      expect(Math.abs(whole - pieces)).toBeLessThanOrEqual(1)
    }
  })
})
