import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGitRepository, type Files, type GitRepository } from '../../source/testing/git-repository.ts'
import { openWorkingTree } from '../../source/working-tree.ts'
import { ParsePool } from '../../parsing/pool.ts'
import { analyze } from '../analyze.ts'
import type { TestBrief } from '../schema.ts'
import { defaultLimits } from '../types.ts'

let pool: ParsePool
beforeAll(() => {
  pool = new ParsePool({ size: 1, timeoutMs: 10_000 })
})
afterAll(() => pool[Symbol.asyncDispose]())

/** The briefs of all candidates, by symbol. */
async function briefsIn(repository: GitRepository): Promise<Record<string, TestBrief>> {
  const { signal } = new AbortController()
  await using snapshot = await openWorkingTree(repository.path, { limits: defaultLimits, signal })
  const { testCandidates = [] } = await analyze(snapshot, { signal, pool })
  return Object.fromEntries(testCandidates.flatMap(({ symbol, brief }) => (brief ? [[symbol, brief]] : [])))
}

async function briefsOf(files: Files): Promise<Record<string, TestBrief>> {
  await using repository = await createGitRepository(files)
  return await briefsIn(repository)
}

const json = (value: object) => JSON.stringify(value)
const branches = '{ if (a) { return 1 } return a ? 2 : 3 }'

test('TypeScript with a default export, whose tests import the compiled file', async () => {
  const briefs = await briefsOf({
    'package.json': json({ name: 'p-queue', type: 'module', scripts: { test: 'ava' }, devDependencies: { ava: '6' } }),
    'source/index.ts': `export default class PQueue {\n  constructor(options?: Options) {}\n  async add(a: Task, opts: Partial<Opts> = {}): Promise<number> ${branches}\n}\n`,
    'source/lower-bound.ts': `export default function lowerBound<T>(a: T[], value: T): number ${branches}\n`,
    'test/basic.ts': [
      "import test from 'ava'",
      "import PQueue from '../source/index.js'",
      "import { delay } from './helpers/delay.js'",
      '',
      "test('adds', async (t) => {",
      '  await new PQueue().add(async () => delay(1))',
      '})',
      '',
    ].join('\n'),
    'test/helpers/delay.ts': 'export const delay = (ms: number) => ms\n',
  })
  expect(briefs['PQueue.add']).toEqual({
    framework: 'ava',
    testFile: { path: 'test/basic.ts', exists: true },
    command: expect.stringMatching(/^npx ava .*test\/basic\.ts$/),
    import: "import PQueue from '../source/index.js'",
    signature: 'async add(a: Task, opts: Partial<Opts> = {}): Promise<number>',
    parameters: [
      { name: 'a', type: 'Task', isOptional: false },
      { name: 'opts', type: 'Partial<Opts>', isOptional: true },
    ],
    construct: 'new PQueue(options)',
    nearestTest: { path: 'test/basic.ts', line: 5, helpers: ['delay'] },
  })
  expect(briefs['lowerBound']?.import).toBe("import lowerBound from '../source/lower-bound.js'")
})

test('a test goes into the file that calls the code: named after it or its file, else with the most calls', async () => {
  const header = "import test from 'node:test'\nimport { Command, Option, total } from '../lib/command.js'\n"
  const calls = (...code: string[]) => header + code.map((one) => `test('t', () => { ${one} })\n`).join('')
  const briefs = await briefsOf({
    'package.json': json({ name: 'shop', type: 'module', scripts: { test: 'node --test test/*.js' } }),
    'lib/list.js': `export const list = (a) => ${branches}\n`,
    'lib/command.js': [
      'export class Command {',
      `  exitOverride(a) { this._exitCallback(a); if (a) { return 1 } return 2 }`,
      `  _exitCallback(a) ${branches}`,
      `  parse(a) ${branches}`,
      `  get isDone() ${branches.replaceAll('a', 'this.a')}`,
      `  never(a) ${branches}`,
      '}',
      `export class Option {\n  constructor(a) ${branches}\n}`,
      `export const total = (a) => ${branches}`,
      '',
    ].join('\n'),
    'test/list.js': "import test from 'node:test'\nimport { list } from '../lib/list.js'\ntest('t', () => list())\n",
    'test/advanced.js': calls('new Command().parse(1)', 'total(1)', 'new Option(1)'),
    'test/basic.js': calls('new Command().parse(1); new Command().parse(2)', 'total(1)', 'new Command().isDone'),
    'test/command.exitOverride.js': calls('new Command().exitOverride(1); new Command().parse(1)'),
    'test/command.other.js': calls('total(1)'),
    'test/deep.js': calls('total(1); total(2); total(3)'),
    'test/option.bad-flags.js': calls('new Option(1)'),
  })
  const places = Object.fromEntries(
    Object.entries(briefs).map(([symbol, { testFile, nearestTest }]) => [symbol, [testFile.path, nearestTest?.path]]),
  )
  expect(places).toMatchObject({
    'Command.exitOverride': ['test/command.exitOverride.js', 'test/command.exitOverride.js'],
    'Command._exitCallback': ['test/command.exitOverride.js', 'test/command.exitOverride.js'],
    'Option.constructor': ['test/option.bad-flags.js', 'test/option.bad-flags.js'],
    'Command.parse': ['test/command.exitOverride.js', 'test/command.exitOverride.js'],
    'Command.isDone': ['test/basic.js', 'test/basic.js'],
    total: ['test/command.other.js', 'test/command.other.js'],
  })
  expect(briefs['Command.never']?.testFile).toEqual({ path: 'test/command.js', exists: false })
})

test('the public entry in another file brings its signature', async () => {
  const briefs = await briefsOf({
    'go.mod': 'module example.com/mux\n\ngo 1.24\n',
    'regexp.go': [
      'package mux',
      'type routeRegexp struct{ n int }',
      'func (r *routeRegexp) url(values map[string]string) (string, error) {',
      '\tif len(values) == 0 {\n\t\treturn "", nil\n\t}',
      '\tif r.n > 1 {\n\t\treturn "a", nil\n\t}\n\treturn "b", nil\n}\n',
    ].join('\n'),
    'route.go':
      'package mux\n\ntype Route struct{ regexp *routeRegexp }\n\nfunc (r *Route) URL(pairs map[string]string) (string, error) {\n\treturn r.regexp.url(pairs)\n}\n',
    'mux_test.go': 'package mux\nimport "testing"\nfunc TestURL(t *testing.T) {\n\tvar r Route\n\tr.URL(nil)\n}\n',
  })
  expect(briefs['routeRegexp.url']).toMatchObject({
    testFile: { path: 'mux_test.go', exists: true },
    signature: 'func (r *Route) URL(pairs map[string]string) (string, error)',
    parameters: [{ name: 'pairs', type: 'map[string]string' }],
  })
})

test('the test with the most calls of a default export is extended', async () => {
  const test = (...calls: string[]) =>
    `const test = require('tape')\nconst parse = require('../')\n${calls.map((call) => `test('t', () => { ${call} })\n`).join('')}`
  const briefs = await briefsOf({
    'package.json': json({ name: 'args', scripts: { test: "tape 'test/**/*.js'" }, devDependencies: { tape: '5' } }),
    'index.js': `function isKnown(a) ${branches}\nmodule.exports = function (a) { if (isKnown(a)) { return 1 } return a ? 2 : 3 }\n`,
    'test/bool.js': test('parse(1)'),
    'test/default_bool.js': test('parse(1)'),
    'test/parse.js': test('parse(1); parse(2)'),
  })
  expect(briefs['default']?.testFile).toEqual({ path: 'test/parse.js', exists: true })
  expect(briefs['isKnown']?.testFile).toEqual({ path: 'test/parse.js', exists: true })
})

const vitest = { scripts: { test: 'vitest run' }, devDependencies: { vitest: '3' } }

test.each<[string, Files, string]>([
  [
    'without extension',
    { 'src/b.test.ts': "import { b } from './b'\nimport { test } from 'vitest'\n" },
    "import { total } from './cart'",
  ],
  [
    'with it',
    { 'src/b.test.ts': "import { b } from './b.ts'\nimport { test } from 'vitest'\n" },
    "import { total } from './cart.ts'",
  ],
  [
    'by an alias',
    { 'src/b.test.ts': "import { total } from '@/cart'\nimport { test } from 'vitest'\n" },
    "import { total } from '@/cart'",
  ],
  [
    'by the name of the package',
    {
      'src/index.ts': "export { total } from './cart'\n",
      'test/b.test.ts':
        "import { type Cart, total } from 'shop'\nimport { test } from 'vitest'\ntest('t', () => total())\n",
    },
    "import { total } from 'shop'",
  ],
  [
    'through the entry, taken as a whole',
    {
      'index.ts': "export * from './src/cart.ts'\n",
      'test/deep/b.test.ts':
        "import * as shop from '../../index.ts'\nimport { test } from 'vitest'\ntest('t', () => shop.total())\n",
    },
    "import { total } from '../../index.ts'",
  ],
  ['and without any test by the file', {}, "import { total } from './cart'"],
])('follows how tests import: %s', async (_, files, expected) => {
  const briefs = await briefsOf({
    'package.json': json({ name: 'shop', ...vitest }),
    'src/cart.ts': `export const total = (a: number) => ${branches}\n`,
    'src/b.ts': 'export const b = 1\n',
    ...files,
  })
  expect(briefs['total']?.import).toBe(expected)
})

test('CommonJS', async () => {
  const briefs = await briefsOf({
    'package.json': json({ scripts: { test: 'mocha' }, devDependencies: { mocha: '11' } }),
    'lib/cart.js': `class Cart {\n  add(a) ${branches}\n}\nmodule.exports = Cart\n`,
    'lib/sum.js': `function sum(a) ${branches}\nmodule.exports = { sum }\n`,
    'test/other.js':
      "const { assert } = require('chai')\nconst other = require('../lib/other')\ndescribe('other', () => {})\n",
    'lib/other.js': 'module.exports = 1\n',
  })
  expect(briefs['Cart.add']).toMatchObject({
    framework: 'mocha',
    testFile: { path: 'test/cart.js', exists: false },
    command: 'npx mocha test/cart.js',
    import: "const Cart = require('../lib/cart')",
    construct: 'new Cart()',
  })
  expect(briefs['sum']?.import).toBe("const { sum } = require('../lib/sum')")
})

test('an ES module imports what tests in CommonJS require', async () => {
  const briefs = await briefsOf({
    'package.json': json({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
    'index.js': "export * from './lib/sum.js'\n",
    'lib/sum.js': `export function sum(a) ${branches}\n`,
    'test/old.test.cjs':
      "const { sum } = require('../index')\nconst test = require('node:test')\ntest('a', () => sum(1))\n",
    'test/sum.test.js': "import test from 'node:test'\ntest('a', async () => (await import('../index.js')).sum(1))\n",
  })
  expect(briefs['sum']).toMatchObject({
    testFile: { path: 'test/sum.test.js' },
    import: "import { sum } from '../index.js'",
  })
})

test('the file whose tests call the symbol is extended, first the one that is named after it', async () => {
  const uses = (name: string) =>
    `const test = require('node:test')\nconst { Command, ${name} } = require('../lib/command')\ntest('a', () => { new Command().exitOverride(1); ${name}(1) })\n`
  const briefs = await briefsOf({
    'package.json': json({ scripts: { test: 'node --test' } }),
    'lib/command.js': `class Command {\n  exitOverride(a) ${branches}\n  lost(a) ${branches}\n}\nfunction slug(a) ${branches}\nfunction other(a) ${branches}\nmodule.exports = { Command, slug, other }\n`,
    'test/args.test.js': uses('slug'),
    'test/command.exitOverride.test.js': uses('slug'),
    'test/command.help.test.js': uses('other'),
  })
  const places = Object.entries(briefs).map(([symbol, { testFile }]) => [symbol, testFile])
  expect(Object.fromEntries(places)).toEqual({
    'Command.exitOverride': { path: 'test/command.exitOverride.test.js', exists: true },
    'Command.lost': { path: 'test/command.test.js', exists: false },
    slug: { path: 'test/command.exitOverride.test.js', exists: true },
    other: { path: 'test/command.help.test.js', exists: true },
  })
})

test('Python with a package in src, its fixtures and a name that the package hands on', async () => {
  const body = '    if a:\n        return 1\n    return 2 if a else 3\n'
  const briefs = await briefsOf({
    'pyproject.toml': '[project]\nname = "click"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    'src/click/__init__.py': 'from .core import command\n',
    'src/click/core.py': `def command(a):\n${body}\n\ndef _hidden(a):\n${body}`,
    'src/click/utils/text.py': `def wrap(a, *, width: int = 80) -> str:\n${body}`,
    'src/click/utils/__init__.py': '',
    'tests/conftest.py': 'import pytest\n\n@pytest.fixture\ndef runner():\n    return 1\n',
    'tests/test_core.py':
      'from click import command\n\ndef make():\n    return 1\n\ndef test_command(runner):\n    assert make() == command(1)\n',
  })
  expect(briefs['command']).toMatchObject({
    framework: 'pytest',
    testFile: { path: 'tests/test_core.py', exists: true },
    command: 'python -m pytest tests/test_core.py',
    import: 'from click import command',
    nearestTest: { path: 'tests/test_core.py', line: 6, helpers: ['make', 'runner'] },
  })
  expect(briefs['_hidden']?.import).toBe('from click.core import _hidden')
  expect(briefs['wrap']).toMatchObject({
    testFile: { path: 'tests/test_text.py', exists: false },
    import: 'from click.utils.text import wrap',
    parameters: [
      { name: 'a', isOptional: false },
      { name: 'width', type: 'int', isOptional: true },
    ],
  })
})

const cartTest = '{\n  if a > 0 {\n    return 1\n  }\n  return 2\n}\n'

test('Go, inside and outside of the package', async () => {
  const files = {
    'go.mod': 'module example.com/shop\n',
    'store/cart.go': `package store\n\nfunc Add(a int) int ${cartTest}\nfunc hidden(a int) int ${cartTest}`,
  }
  const inside = await briefsOf({ ...files, 'store/b_test.go': 'package store\nfunc TestB(t *testing.T) {}\n' })
  expect(inside['Add']).toMatchObject({
    framework: 'go test',
    testFile: { path: 'store/cart_test.go', exists: false },
    import: 'package store',
  })
  const outside = await briefsOf({ ...files, 'store/b_test.go': 'package store_test\nfunc TestB(t *testing.T) {}\n' })
  expect(outside['Add']?.import).toBe('package store_test; import "example.com/shop/store"')
  expect(outside['hidden']?.import).toBe('package store')
})

test('Rust tests itself in the file', async () => {
  const briefs = await briefsOf({
    'Cargo.toml': '[package]\nname = "my-shop"\n',
    'src/cart.rs': `pub fn add(a: u32) -> u32 {\n  if a > 0 { return 1 }\n  2\n}\n`,
    'src/lib.rs': 'pub mod cart;\n',
  })
  expect(briefs['add']).toMatchObject({
    framework: 'cargo test',
    testFile: { path: 'src/cart.rs', exists: true },
    import: 'use super::*;',
  })
})

test('Java, C#, PHP and Ruby by namespace, package and helper', async () => {
  const block = '{ if (a > 0) { return 1; } return 2; }'
  const java = await briefsOf({
    'pom.xml':
      '<project><artifactId>shop</artifactId><dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5</version></dependency></dependencies></project>',
    'src/main/java/com/acme/Cart.java': `package com.acme;\npublic class Cart {\n  public Cart(int size) {}\n  int add(int a) ${block}\n}\n`,
    'src/test/java/com/acme/OtherTest.java':
      'package com.acme;\nimport org.junit.jupiter.api.Test;\nclass OtherTest { @Test void a() {} }\n',
  })
  expect(java['Cart.add']).toMatchObject({
    framework: 'junit',
    testFile: { path: 'src/test/java/com/acme/CartTest.java' },
    import: 'package com.acme;',
    construct: 'new Cart(size)',
  })
  const cSharp = await briefsOf({
    'Shop.sln': '',
    'src/Shop/Shop.csproj': '<Project Sdk="Microsoft.NET.Sdk"></Project>',
    'src/Shop/Cart.cs': `namespace Shop.Web { public class Cart { public int Add(int a) ${block} } }\n`,
    'tests/Shop.Tests/Shop.Tests.csproj':
      '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" Version="17" /><PackageReference Include="xunit" Version="2" /></ItemGroup></Project>',
    'tests/Shop.Tests/OtherTests.cs': 'using Xunit;\npublic class OtherTests { [Fact] public void A() {} }\n',
  })
  expect(cSharp['Cart.Add']).toMatchObject({ framework: 'xunit', import: 'using Shop.Web;', construct: 'new Cart()' })
  const php = await briefsOf({
    'composer.json': json({ name: 'acme/shop', 'require-dev': { 'phpunit/phpunit': '^11' } }),
    'phpunit.xml':
      '<phpunit><testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites></phpunit>',
    'src/Cart.php': `<?php\nnamespace Acme\\Shop;\nclass Cart { public function add(int $a): int { if ($a > 0) { return 1; } return 2; } }\n`,
    'tests/OtherTest.php': '<?php\nuse PHPUnit\\Framework\\TestCase;\nclass OtherTest extends TestCase {}\n',
  })
  expect(php['Cart.add']).toMatchObject({
    framework: 'phpunit',
    testFile: { path: 'tests/CartTest.php' },
    import: 'use Acme\\Shop\\Cart',
    construct: 'new Cart()',
  })
  const ruby = await briefsOf({
    Gemfile: "source 'https://rubygems.org'\ngem 'minitest'\n",
    Rakefile: "require 'minitest/test_task'\nMinitest::TestTask.create\n",
    'lib/shop/cart.rb':
      'module Shop\n  class Cart\n    def initialize(size)\n      @size = size\n    end\n\n    def add(a)\n      return 1 if a\n      a ? 2 : 3\n    end\n  end\nend\n',
    'test/test_helper.rb': "require 'minitest/autorun'\nrequire 'shop'\n",
    'test/shop/other_test.rb':
      "require_relative '../test_helper'\nclass OtherTest < Minitest::Test\n  def test_a\n  end\nend\n",
  })
  expect(ruby['Shop.Cart.add']).toMatchObject({
    framework: 'minitest',
    testFile: { path: 'test/shop/cart_test.rb' },
    import: "require_relative '../test_helper'",
    construct: 'Shop::Cart.new(size)',
  })
})

const run = promisify(execFile)

/** Writes a file with the import at the place of the test and runs it. */
async function runImport(repository: GitRepository, brief: TestBrief, program: string, check: string): Promise<string> {
  const file = join(repository.path, brief.testFile.path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${brief.import}\n${check}\n`)
  try {
    const { stdout } = await run(program, [file], {
      env: { PATH: process.env['PATH'], PYTHONPATH: join(repository.path, 'src') },
    })
    return stdout.trim()
  } finally {
    await rm(file)
  }
}

test('the imports of JavaScript, TypeScript and Python work where the test goes', async () => {
  await using script = await createGitRepository({
    'package.json': json({ name: 'shop', type: 'module', exports: './index.js', scripts: { test: 'node --test' } }),
    'index.js':
      "export { total } from './lib/deep/total.js'\nexport default class Cart {\n  add(a) { if (a) { return 1 } return a ? 2 : 3 }\n}\n",
    'lib/deep/total.js': `export const total = (a) => ${branches}\nexport function other(a) ${branches}\n`,
    'lib/rate.ts': `export const rate = (a: number): number => ${branches}\n`,
    'lib/old.cjs': `function old(a) ${branches}\nmodule.exports = { old }\n`,
    'test/cart.test.js':
      "import test from 'node:test'\nimport Cart, { total } from 'shop'\ntest('cart', () => new Cart().add(total(1)))\n",
  })
  const briefs = await briefsIn(script)
  const functions = { 'Cart.add': 'Cart', total: 'total', other: 'other', rate: 'rate', old: 'old' }
  for (const [symbol, name] of Object.entries(functions)) {
    const brief = briefs[symbol]
    if (!brief || brief.testFile.exists) continue
    expect(await runImport(script, brief, process.execPath, `console.log(typeof ${name})`), brief.import).toBe(
      'function',
    )
  }
  expect(Object.keys(briefs).toSorted()).toEqual(Object.keys(functions).toSorted())
  expect(briefs['total']?.import).toBe("import { total } from 'shop'")

  await using python = await createGitRepository({
    'pyproject.toml': '[project]\nname = "shop"\n',
    'src/shop/__init__.py': '',
    'src/shop/cart.py': 'def add(a):\n    if a:\n        return 1\n    return 2 if a else 3\n',
    'src/shop/deep/rates.py':
      'class Rate:\n    def of(self, a):\n        if a:\n            return 1\n        return 2 if a else 3\n',
    'src/shop/deep/__init__.py': '',
  })
  const ofPython = await briefsIn(python)
  for (const [symbol, name] of [
    ['add', 'add'],
    ['Rate.of', 'Rate'],
  ] as const) {
    const brief = ofPython[symbol]
    if (!brief) throw new Error(`no brief of ${symbol}`)
    expect(await runImport(python, brief, 'python3', `print(callable(${name}))`), brief.import).toBe('True')
  }
})

test('a brief stays short, whatever the code is like', async () => {
  const parameters = Array.from({ length: 60 }, (_, n) => `parameter${n}: Record<string, ${'Type'.repeat(30)}>`).join(
    ', ',
  )
  const briefs = await briefsOf({
    'package.json': json({ name: 'shop', ...vitest }),
    'src/cart.ts': `export class Cart {\n  constructor(${parameters}) {}\n  add(a: number, ${parameters}): number ${branches}\n}\n`,
    'src/b.test.ts': "import { b } from './cart'\nimport { test } from 'vitest'\n",
  })
  expect(JSON.stringify(briefs['Cart.add']).length).toBeLessThan(4_000)
})
