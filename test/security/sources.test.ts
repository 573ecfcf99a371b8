import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../docs/read-documents.ts'

const sources = globSync('{src,tools,oauth}/**/*.ts', { cwd: root }).map((path) => ({
  path: path.replaceAll('\\', '/'),
  // Comments may name constructs that the code must not use.
  text: readFileSync(join(root, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''),
}))

/** A dangerous construct, the pattern that finds it in the sources, and the only files that may use it. */
const dangers: [what: string, pattern: RegExp, allowed: string[]][] = [
  ['evaluates text as code', /\beval\(|\bnew Function\(/, []],
  // The server that starts the reading process passes the name of the module. It never comes from a file.
  ['loads a module by a computed name', /\bimport\((?!['"])/, ['src/imports/extract/read-book.ts']],
  // It gets the garbage collector of the engine, with a constant as code.
  ['runs code in another context', /from 'node:vm'/, ['src/app/run.ts']],
  [
    'starts a program',
    /import (?!type).* from 'node:child_process'/,
    [
      'src/cli/login.ts',
      'src/imports/extract/code-cache.ts',
      'src/imports/extract/confinement.ts',
      'src/imports/extract/reader-process.ts',
      'src/imports/ocr/run-tesseract.ts',
    ],
  ],
  [
    'outputs unescaped HTML',
    /\braw\b.*from 'hono\/(html|utils\/html)'|innerHTML|document\.write/,
    // The first has constant icons, the second the output of the sanitiser.
    ['src/web/components/icon.ts', 'src/web/markdown/sanitised-html.ts'],
  ],
  // S3 services compare it with the received bytes. It detects accidental damage only.
  ['uses MD5 or SHA-1', /['"](md5|sha1)['"]/i, ['src/files/spool.ts']],
  [
    'encrypts or decrypts',
    /\b(createCipheriv|createDecipheriv|publicEncrypt|privateDecrypt)\b/,
    ['src/accounts/answer-cipher.ts'],
  ],
  // It reads the certificate to report on it, and sends no data.
  [
    'accepts any certificate',
    /rejectUnauthorized: false|tlsAllowInvalid|tlsInsecure|NODE_TLS_REJECT_UNAUTHORIZED/,
    ['src/admin/doctor/deployment/check-reachability.ts'],
  ],
  // These use randomness to spread retries over time.
  [
    'uses predictable random numbers',
    /Math\.random\(/,
    [
      'src/files/s3-errors.ts',
      'src/search/index/index-book.ts',
      'src/search/index/update-library-index.ts',
      'src/shelves/store.ts',
      'src/writing/write-version.ts',
    ],
  ],
  // The patterns are constants; the command inserts the name of an option, and the embedded store uses patterns from
  // the application’s own queries.
  [
    'builds a regular expression',
    /new RegExp\(/,
    [
      'src/admin/commands/read-options.ts',
      'src/citations/characters.ts',
      'src/citations/fold-letters.ts',
      'src/citations/fold-spaces.ts',
      'src/citations/markup.ts',
      'src/citations/nearest-passage.ts',
      'src/citations/normalize-text.ts',
      'src/db/embedded/query/regex.ts',
      'src/gaps/personal-rules.ts',
      'src/gaps/secret-rules.ts',
      'src/imports/formats/pdf/characters/compose-accents.ts',
      'src/imports/formats/pdf/page/paragraphs.ts',
      'src/reading/escape-markers.ts',
      'src/text/markdown/line-rules.ts',
      'src/text/markdown/markdown-toc.ts',
      'src/text/slugify.ts',
      'src/text/words/fold.ts',
    ],
  ],
  ['runs code in a query', /\$where|\$function|\$accumulator|mapReduce/, []],
  ['writes to the console', /\bconsole\.\w+\(/, []],
]

describe('no file of the server uses dangerous functions, except the listed ones', () => {
  test('the sources are found', () => {
    expect(sources.length).toBeGreaterThan(500)
  })

  test.for(dangers)('%s', ([, pattern, allowed]) => {
    const found = sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
    expect(found.toSorted()).toEqual(allowed.filter((path) => existsSync(join(root, path))))
  })
})
