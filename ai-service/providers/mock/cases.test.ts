import { expect, test } from 'vitest'
import { aBrief, aCandidate, aCase, anAnalysis } from '../../testing/analysis.ts'
import { syntaxErrors } from '../../testing/syntax.ts'
import { createMockProvider } from '../mock.ts'

const { signal } = new AbortController()
const mock = createMockProvider()

async function suggest(...[changes]: Parameters<typeof aCandidate>) {
  const analysis = anAnalysis({ testCandidates: [aCandidate(changes)] })
  const { suggestions } = await mock.suggestTests(analysis, { maxSuggestions: 1, signal })
  const [suggestion] = suggestions
  if (!suggestion) throw new Error('nothing was suggested')
  expect([await syntaxErrors(suggestion.file_path, suggestion.example_code), suggestion.example_code]).toEqual([
    [],
    suggestion.example_code,
  ])
  return suggestion
}

const cases = [
  aCase({
    id: 'interval',
    line: 42,
    condition: '`options.interval` is not a number',
    outcome: 'throws',
    result: 'TypeError: Expected `interval` to be a number',
    covered: false,
  }),
  aCase({ id: 'empty', line: 51, condition: '!queue.size', outcome: 'early_return', covered: false }),
  aCase({ id: 'tested', line: 60, condition: 'isPaused', outcome: 'returns', covered: true }),
]

test('describes a suggestion by the cases that no test runs', async () => {
  const { description, case_ids } = await suggest({ cases })
  expect(description).toBe(
    '[MOCK RESPONSE] Unit test for parseConfig: throws TypeError: Expected `interval` to be a number where ' +
      '`options.interval` is not a number (line 42); returns early where `!queue.size` (line 51).',
  )
  expect(case_ids).toEqual(['interval', 'empty'])
})

test('writes one failing test for each case, with the import and the call of the brief', async () => {
  const { example_code: code } = await suggest({ cases, brief: aBrief() })
  expect(code).toBe(`// [MOCK RESPONSE] A skeleton: it fails until completed.
// Complete each test with its input and the expected result.
// Covers parseConfig in src/config.ts, lines 10-42.
// Save this as test/config.test.ts.
import { describe, expect, test } from 'vitest'

import { parseConfig } from '../src/config.js'

describe('parseConfig', () => {
  test('throws TypeError: Expected interval to be a number where options.interval is not a number', async () => {
    // Arrange: replace this with input of this case.
    const text = undefined as never
    const options = undefined as never

    // Act
    const result = await parseConfig(text, options)

    // Assert
    expect.fail('State the expected result here. It returned: ' + String(result))
  })

  test('returns early where !queue.size', async () => {
    expect.fail('State the expected result here')
  })
})
`)
})

test('calls the public entry that reaches a private symbol', async () => {
  const {
    example_code: code,
    description,
    target,
  } = await suggest({
    path: 'source/index.ts',
    symbol: 'PQueue.#tryToStartAnother',
    kind: 'method',
    exported: false,
    cases,
    through: { path: 'source/index.ts', symbol: 'PQueue.add', startLine: 200, endLine: 230 },
    brief: aBrief({
      import: "import PQueue from '../source/index.js'",
      construct: 'new PQueue(options)',
      parameters: [{ name: 'fn', isOptional: false }],
    }),
  })
  expect(description).toContain('Unit test for PQueue.#tryToStartAnother through PQueue.add: throws TypeError')
  expect(target?.symbol).toBe('PQueue.#tryToStartAnother')
  expect(code).toContain("import PQueue from '../source/index.js'\n")
  expect(code).toContain(`    const options = undefined as never
    const fn = undefined as never
    const subject = new PQueue(options)

    // Act
    const result = await subject.add(fn)
`)
  expect(code).toContain('// Calls PQueue.add, which reaches it.\n')
  expect(code).not.toContain('not exported')
})

test('says only what is known of a candidate without cases', async () => {
  const { description, case_ids } = await suggest()
  expect(description).toBe('[MOCK RESPONSE] Unit test for parseConfig.')
  expect(case_ids).toBeUndefined()
  const measured = await suggest({
    uncovered: [
      { startLine: 12, endLine: 14 },
      { startLine: 30, endLine: 30 },
    ],
  })
  expect(measured.description).toBe('[MOCK RESPONSE] Unit test for parseConfig: no test runs lines 12-14, 30.')
  const survivors = [
    { line: 3, original: 'a > 9', replacement: 'a >= 9' },
    { line: 5, original: 'log(a)', replacement: '' },
  ]
  const unnoticed = await suggest({
    cases: [aCase({ covered: true })],
    strength: { tried: 4, noticed: 2, survived: 2, commitSha: '1', survivors },
  })
  expect(unnoticed.description).toBe(
    '[MOCK RESPONSE] Unit test for parseConfig: no test noticed these changes: line 3: `a >= 9` for `a > 9`; line 5: `log(a)` removed.',
  )
  const both = await suggest({
    cases: [aCase({ covered: false })],
    strength: { tried: 4, noticed: 3, survived: 1, commitSha: '1', survivors: survivors.slice(0, 1) },
  })
  expect(both.description).toMatch(/: no test noticed these changes: line 3: `a >= 9` for `a > 9`; \w+ /)
  const covered = await suggest({ cases: [aCase({ covered: true })] })
  expect([covered.description, covered.case_ids]).toEqual([description, undefined])
})

test('says how many cases are left out', async () => {
  const many = Array.from({ length: 9 }, (_, at) => aCase({ condition: `a === ${at}` }))
  const { description, case_ids, example_code } = await suggest({ cases: many, moreCases: 3 })
  expect(description).toMatch(/where `a === 4` \(line 12\); 7 more\.$/)
  expect(case_ids).toEqual(many.slice(0, 5).map(({ id }) => id))
  expect(example_code.match(/ {2}test\('/g)).toHaveLength(5)
})

test('words each outcome in the terms of its language', async () => {
  const worded = async (path: string, given: Parameters<typeof aCase>[0]) =>
    (await suggest({ path, cases: [aCase({ condition: 'a', result: 'b', ...given })] })).description
  expect(await worded('a.ts', { outcome: 'throws' })).toContain('throws `b` where `a` (line 12)')
  expect(await worded('a.py', { outcome: 'throws' })).toContain('raises `b` where `a`')
  expect(await worded('a.go', { outcome: 'throws' })).toContain('panics `b` where `a`')
  expect(await worded('a.ts', { outcome: 'catch', condition: 'catch (error) around f()' })).toContain(
    'reaches `catch (error) around f()`: `b` (line 12)',
  )
  expect(await worded('a.ts', { outcome: 'early_return' })).toContain('returns `b` early where `a`')
  expect(await worded('a.ts', { outcome: 'early_return', result: 'continue' })).toContain(
    'goes on with the next round where `a`',
  )
  expect(await worded('a.ts', { outcome: 'default' })).toContain('runs `b` where `a`')
  expect(await worded('a.ts', { outcome: 'default', condition: 'a is undefined' })).toContain('uses `b` where')
  expect(await worded('a.ts', { outcome: 'default', result: undefined })).toContain('goes on where `a`')
  expect(await worded('a.ts', { outcome: 'loop_not_entered' })).toContain('skips the loop where `a`')
  expect(await worded('a.ts', { outcome: 'throws', result: 'Error: no \\`x\\`, got \\`${y…' })).toContain(
    "throws `Error: no 'x', got '${y…` where",
  )
})

test.each([
  [
    'src/shop.py',
    'from shop.cart import total as add',
    'total',
    'import pytest\n\nfrom shop.cart import total as add\n',
    'add(',
  ],
  ['src/shop.py', 'import shop.cart', 'total', 'import shop.cart\n', 'shop.cart.total('],
  [
    'src/shop.js',
    "const { total: add } = require('..')",
    'total',
    "const { total: add } = require('..')\n",
    'await add(',
  ],
  [
    'src/shop.js',
    "const shop = require('../src/shop')",
    'total',
    "const shop = require('../src/shop')\n",
    'shop.total(',
  ],
  [
    'src/shop.ts',
    'import * as shop from "../src/shop.js";',
    'total',
    "import * as shop from '../src/shop.js'\n",
    'shop.total(',
  ],
  [
    'src/shop.ts',
    "import Shop, { total } from '@acme/shop'",
    'total',
    "import Shop, { total } from '@acme/shop'\n",
    'await total(',
  ],
  ['lib/shop.rb', "require 'acme/shop'", 'total', "require 'acme/shop'\n", 'total('],
  ['lib/Shop.php', 'use Acme\\Web\\Shop;', 'Shop.total', 'TestCase', 'new \\Acme\\Web\\Shop('],
])('%s: imports as the brief does, %s', async (path, given, symbol, line, call) => {
  const kind = symbol.includes('.') ? 'method' : 'function'
  const framework = { ts: 'vitest', js: 'mocha', py: 'pytest', rb: 'minitest', php: 'phpunit' }[
    path.split('.')[1] ?? ''
  ]
  const brief = aBrief({ framework: framework ?? '', import: given, parameters: [] })
  const { example_code: code } = await suggest({ path, symbol, kind, brief })
  expect(code).toContain(line)
  expect(code).toContain(call)
})

test.each([
  "import { parseConfig } from 'data:text/javascript,process.exit()'",
  "import { parseConfig } from 'https://evil.example/x.js'",
  "import { parseConfig } from './x.js'; process.exit()",
  "import { parseConfig } from './x.js'\nprocess.exit()",
  "import { parseConfig, [process.exit()]: a } from './x.js'",
  "import { test as parseConfig } from 'x' //",
  "import { parseConfig, x as expect } from './x.js'",
  "import { other } from './x.js'",
  "const { parseConfig = process.exit() } = require('./x.js')",
  "const { parseConfig } = require(process.exit('./x.js'))",
  'process.exit()',
])('writes its own import where the brief has another than a plain one: %s', async (given) => {
  const { example_code: code } = await suggest({ brief: aBrief({ import: given }) })
  expect(code).toContain("import { parseConfig } from '../src/config'\n")
  expect(code).not.toMatch(/process|evil|other|x\.js/)
})

test.each([
  ['src/url.ts', ['input', 'defaultProto'], 'await parse(input, defaultProto)\n'],
  ['src/url.ts', ['result', 'test', 'a'], 'await parse(resultValue, testValue, a)\n'],
  ['src/url.ts', ['result', 'resultValue', '{ a, b }', 'c'], 'await parse(resultValue2, resultValue, argument3, c)\n'],
  ['src/url.ts', ['this', 'class'], 'await parse(classValue)\n'],
  ['shop/url.py', ['self', 'value', 'str', 'mode'], 'result = parse(value, str_value, mode)\n'],
  ['shop/url.go', ['t', 'result', 'mode'], 'result := parse(tValue, resultValue, mode)\n'],
])('keeps the number and order of arguments in %s: %j', async (path, names, expected) => {
  const parameters = names.map((name) => ({ name, isOptional: false }))
  const { example_code: code } = await suggest({ path, symbol: 'parse', brief: aBrief({ parameters }) })
  expect(code).toContain(expected)
})

test('constructs nothing and names no parameter that is more than plain names', async () => {
  const { example_code: code } = await suggest({
    symbol: 'Queue.add',
    kind: 'method',
    brief: aBrief({
      import: "import { Queue } from './queue.js'",
      construct: 'new Queue(process.exit())',
      parameters: [
        { name: 'process.exit()', isOptional: false },
        { name: '{ a, b }', isOptional: false },
        { name: 'result', isOptional: false },
        { name: 'item', isOptional: false },
      ],
    }),
  })
  expect(code).toContain('const subject = new Queue()')
  expect(code).toContain('await subject.add(argument1, argument2, resultValue, item)')
  expect(code).not.toContain('process')
})

test('puts the test where the brief says, unless the caller wants another framework or the path is unusable', async () => {
  const place = async (path: string) =>
    /(?:Save this as|Add this to) .*/.exec(
      (await suggest({ brief: aBrief({ testFile: { path, exists: true } }) })).example_code,
    )?.[0]
  expect(await place('test.ts')).toBe('Add this to test.ts.')
  expect(await place('../../etc/x.test.ts')).toBe('Add this to src/config.test.ts.')
  const { tests } = await mock.generateTests(
    { ...anAnalysis({ testCandidates: [aCandidate({ brief: aBrief() })] }) },
    { testType: 'unit', framework: 'jest', signal },
  )
  expect(tests.unit_tests?.[0]?.file).toBe('src/config.test.ts')
})

test('gives the types of the brief to Go', async () => {
  const { example_code: code } = await suggest({
    path: 'shop/cart.go',
    symbol: 'Total',
    brief: aBrief({
      framework: 'go test',
      parameters: [
        { name: 'prices', type: '[]int', isOptional: false },
        { name: 'sum', type: 'func() { panic(1) }', isOptional: false },
        { name: 'rates', type: 'map[string]*money.Rate', isOptional: false },
        { name: 'odd', type: ']', isOptional: false },
        { name: 'other', type: 'chan', isOptional: false },
      ],
    }),
  })
  expect(code).toContain(
    ['var prices []int', 'var sum any', 'var rates map[string]*money.Rate', 'var odd any', 'var other any\n'].join(
      '\n\t\t',
    ),
  )
})

test('takes all that a function of Go returns, and hands lists to variadic ones', async () => {
  const bodyOf = async (signature: string, parameters: { name: string; type: string; isOptional: boolean }[] = []) => {
    const brief = aBrief({ framework: 'go test', construct: 'NewRoute(name)', signature, parameters })
    const candidate = { path: 'mux/route.go', symbol: 'Route.URLHost', kind: 'method' as const, brief }
    const { example_code: code } = await suggest(candidate)
    return code.split('\n').map((line) => line.trim()).filter((line) => /subject|result :|fatal|var /i.test(line)) // prettier-ignore
  }
  const pairs = [{ name: 'pairs', type: '...string', isOptional: true }]
  const stated = '"State the expected result here. It returned:"'
  expect(await bodyOf('func (r *Route) URLHost(pairs ...string) (*url.URL, error)', pairs)).toEqual([
    'var pairs []string',
    'var subject Route',
    'result, err := subject.URLHost(pairs...)',
    `t.Fatal(${stated}, result, err)`,
  ])
  expect(await bodyOf('func (r *Route) URLHost(f func(a, b int) error)')).toEqual([
    'var subject Route',
    'subject.URLHost()',
    't.Fatal("State the expected result here")',
  ])
  expect((await bodyOf('func (r *Route) URLHost() (a, b func(x, y int), ok bool)'))[1]).toBe(
    'result, result2, result3 := subject.URLHost()',
  )
  expect((await bodyOf('func (r *Route) URLHost() map[string]int'))[1]).toBe('result := subject.URLHost()')
})

test.each([
  ['src/cart.ts', 'get total(): number', 'const result = subject.total\n'],
  ['src/cart.ts', 'static set total(amount)', 'Cart.total = amount\n'],
  ['src/cart.ts', 'get(): number', 'const result = await subject.total(amount)\n'],
  ['src/cart.ts', 'async get total(', 'const result = await subject.total(amount)\n'],
  ['shop/cart.py', '@property def total(self)', 'result = subject.total\n'],
  ['shop/cart.py', '@total.setter def total(self, amount)', 'subject.total = amount\n'],
  ['shop/cart.py', 'def total(self, amount)', 'result = subject.total(amount)\n'],
  ['Shop/Cart.cs', 'public int total', 'var result = subject.total;\n'],
  ['Shop/Cart.cs', 'public int total(int amount)', 'var result = subject.total(amount);\n'],
])('reads, sets or calls in %s what has the signature %s', async (path, signature, expected) => {
  const brief = aBrief({ construct: 'Cart()', signature, parameters: [{ name: 'amount', isOptional: false }] })
  const { example_code: code } = await suggest({ path, symbol: 'Cart.total', kind: 'method', brief })
  expect(code).toContain(expected)
})

test('sets a property to some value if the name of its parameter cannot be used', async () => {
  const brief = aBrief({ construct: 'Cart()', signature: 'set total(value)', parameters: [] })
  const { example_code: code } = await suggest({ symbol: 'Cart.total', kind: 'method', brief })
  expect(code).toContain('subject.total = input\n')
})

test('a smoke test lists the cases that it does not have', async () => {
  const { tests } = await mock.generateTests(
    { ...anAnalysis({ testCandidates: [aCandidate({ cases, brief: aBrief() })] }) },
    { testType: 'unit', framework: undefined, target: { path: 'src/config.ts', symbol: 'parseConfig' }, signal },
  )
  const [{ code, file, name } = { code: '', file: '', name: '' }] = tests.unit_tests ?? []
  expect([file, name]).toEqual(['test/config.test.ts', '[MOCK RESPONSE] parseConfig can be loaded'])
  expect(code).toContain("import { parseConfig } from '../src/config.js'\n")
  expect(code).toContain('// To do: returns early where !queue.size.\n')
})

test.each([
  ['src/cart.ts', 'static from(items: Item[])', ['items'], 'const result = await Cart.total(items)\n'],
  ['src/cart.ts', 'static async from(items)', ['items'], 'const result = await Cart.total(items)\n'],
  ['src/cart.ts', 'static get total()', [], 'const result = Cart.total\n'],
  ['Shop/Cart.cs', 'public static Cart total(string name)', ['name'], 'var result = Cart.total(name);\n'],
  ['src/Cart.php', 'public static function total($items)', ['$items'], 'Cart::total($items);\n'],
])('needs no object in %s for %s', async (path, signature, names, expected) => {
  const parameters = names.map((name) => ({ name, isOptional: false }))
  const brief = aBrief({ signature, parameters })
  const { example_code: code } = await suggest({ path, symbol: 'Cart.total', kind: 'method', brief })
  expect(code).toContain(expected)
  expect(code).not.toContain('subject')
})

test.each([
  [
    'shop/shelf.py',
    'Shelf(name, size=size)',
    'def take(self, index, /, default=None, *, strict=False, **options)',
    ['index', 'default', 'strict', '**options'],
    ['subject = Shelf(name, size=size)\n', 'result = subject.take(index, default, strict=strict)\n'],
  ],
  [
    'shop/shelf.py',
    'Shelf(size)',
    'def take(self, *names: str, size=(1, 2))',
    ['*names', 'size'],
    ['subject = Shelf(size)\n', 'result = subject.take(argument1, size=size_value)\n'],
  ],
  [
    'lib/shelf.rb',
    'Shelf.new(name, size: size)',
    'def take(index, strict: false, &block)',
    ['index', 'strict:', '&block'],
    ['result = subject.take(index, strict: strict)\n'],
  ],
  [
    'src/shelf.ts',
    'new Shelf(options)',
    'take(function_, options)',
    ['function_', 'options'],
    ['const subject = new Shelf(options)\n', 'await subject.take(function_, optionsValue)\n'],
  ],
])(
  'passes to %s what %s and %s take by name, and no value twice',
  async (path, construct, signature, names, expected) => {
    const parameters = names.map((name) => ({ name, isOptional: false }))
    const brief = aBrief({ construct, signature, parameters })
    const { example_code: code } = await suggest({ path, symbol: 'Shelf.take', kind: 'method', brief })
    for (const line of expected) expect(code).toContain(line)
  },
)
