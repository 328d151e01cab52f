import { posix } from 'node:path'
import { type Syntax, bodyLines, importedName } from '../body.ts'
import type { Example } from '../example.ts'
import { singleQuoted } from '../../../repository/safe-text.ts'
import type { Smoke } from '../smoke.ts'
import type { Subject } from '../symbols.ts'
import { chooseSubject, commentLines, indent, separate } from '../wording.ts'

interface Dialect {
  /** Module and what is taken from it; a single name is a default import. */
  imports: readonly { from: string; names: string | readonly string[] }[]
  /** Undefined where the framework has no groups. */
  group?: string
  test: string
  /** Parameter of the test's function. */
  parameter?: string
  /** A call that fails the test with a message, given as an expression. */
  fail: (message: string) => string
  /** A call that compares two expressions. */
  equal: (actual: string, expected: string) => string
  /** A test that is only named. */
  open: string
}

const throws = (message: string) => `throw new Error(${message})`
const expectBe = (actual: string, expected: string) => `expect(${actual}).toBe(${expected})`
const assertEqual = (actual: string, expected: string) => `assert.equal(${actual}, ${expected})`
const strictAssert = { from: 'node:assert/strict', names: 'assert' }

const dialects: Record<string, Dialect> = {
  vitest: {
    imports: [{ from: 'vitest', names: ['describe', 'expect', 'test'] }],
    group: 'describe',
    test: 'test',
    fail: (message) => `expect.fail(${message})`,
    equal: expectBe,
    open: 'test.todo',
  },
  jest: { imports: [], group: 'describe', test: 'test', fail: throws, equal: expectBe, open: 'test.todo' },
  mocha: {
    imports: [strictAssert],
    group: 'describe',
    test: 'it',
    fail: (message) => `assert.fail(${message})`,
    equal: assertEqual,
    open: 'it',
  },
  'node:test': {
    imports: [strictAssert, { from: 'node:test', names: ['describe', 'test'] }],
    group: 'describe',
    test: 'test',
    fail: (message) => `assert.fail(${message})`,
    equal: assertEqual,
    open: 'test.todo',
  },
  ava: {
    imports: [{ from: 'ava', names: 'test' }],
    test: 'test',
    parameter: 't',
    fail: (message) => `t.fail(${message})`,
    equal: (actual, expected) => `t.is(${actual}, ${expected})`,
    open: 'test.todo',
  },
  jasmine: {
    imports: [],
    group: 'describe',
    test: 'it',
    fail: (message) => `fail(${message})`,
    equal: expectBe,
    open: 'it',
  },
  'bun:test': {
    imports: [{ from: 'bun:test', names: ['describe', 'expect', 'test'] }],
    group: 'describe',
    test: 'test',
    fail: throws,
    equal: expectBe,
    open: 'test.todo',
  },
}

/** Names that the examples use themselves; a subject of the same name is imported under another. */
const taken = new Set(
  'default describe test it expect assert fail input result subject t jest require String Object Error'.split(' '),
)
const alias = 'underTest'

/** JavaScript and TypeScript. */
export function writeScriptTest(example: Example): string {
  const dialect = dialects[example.framework]
  if (!dialect) throw new Error(`no way to write ${example.framework} in ${example.language}`)
  const required = usesRequire(example)
  const imports = dialect.imports.map(({ from, names }) => importLine(names, from, required))
  return [
    ...commentLines(example.header, '//'),
    ...imports,
    ...(imports.length > 0 ? [''] : []),
    importSubject(example, required),
    '',
    ...testLines(example, dialect),
    '',
  ].join('\n')
}

function testLines(example: Example, dialect: Dialect): string[] {
  const title = (sentence: string) => singleQuoted(dialect.group ? sentence : `${example.title}: ${sentence}`)
  const [first, ...others] = example.cases
  const written = [
    `${dialect.test}(${title(first)}, async (${dialect.parameter ?? ''}) => {`,
    ...indent(bodyLines(example, syntaxOf(example, dialect)), '  '),
    '})',
  ]
  const tests = separate([written, ...others.map((sentence) => [`${dialect.open}(${title(sentence)})`])])
  return dialect.group
    ? [`${dialect.group}(${singleQuoted(example.title)}, () => {`, ...indent(tests, '  '), '})']
    : tests
}

const syntaxOf = ({ language }: Example, { fail, equal }: Dialect): Syntax => ({
  comment: '//',
  input: `const input = undefined${language === 'typescript' ? ' as never' : ''}`,
  call: (path) => `const result = await ${nameOf(path)}(input)`,
  create: (path) => `const subject = new ${nameOf(path)}()`,
  invoke: (name) => `const result = await subject.${name}(input)`,
  construct: (path) => `const subject = new ${nameOf(path)}(input)`,
  fail: (message, variable) => fail(`${singleQuoted(message)} + String(${variable})`),
  failWhole: fail(`${singleQuoted(`${chooseSubject}. Exported are: `)} + Object.keys(subject).join(', ')`),
  exists: (subject, smoke) => [equal(...existence(subject, smoke))],
})

function existence(subject: Subject, smoke: Smoke): [actual: string, expected: string] {
  if (subject.form === 'whole') return ['typeof subject', "'object'"]
  const name = nameOf(subject.form === 'method' ? subject.owner : subject.path)
  const isFunction = smoke.isCallable && subject.form !== 'method'
  return isFunction ? [`typeof ${name}`, "'function'"] : [`${name} === undefined`, 'false']
}

/** The subject's name in the test: its module's own, unless that is taken. */
function nameOf(path: readonly string[]): string {
  const [root = '', ...members] = path
  return [taken.has(root) ? alias : root, ...members].join('.')
}

function importSubject(example: Example, required: boolean): string {
  const from = specifierOf(example)
  const root = importedName(example)
  if (root === undefined) {
    return required
      ? `const subject = require(${singleQuoted(from)})`
      : `import * as subject from ${singleQuoted(from)}`
  }
  if (root === 'default') return importLine(alias, from, required)
  if (taken.has(root)) {
    return required
      ? `const { ${root}: ${alias} } = require(${singleQuoted(from)})`
      : `import { ${root} as ${alias} } from ${singleQuoted(from)}`
  }
  return importLine([root], from, required)
}

function importLine(names: string | readonly string[], from: string, required: boolean): string {
  const binding = typeof names === 'string' ? names : `{ ${names.join(', ')} }`
  return required ? `const ${binding} = require(${singleQuoted(from)})` : `import ${binding} from ${singleQuoted(from)}`
}

/** Jest and Mocha run plain JavaScript as CommonJS unless they are told otherwise. */
function usesRequire({ framework, sourcePath }: Example): boolean {
  return /\.(js|jsx|cjs)$/.test(sourcePath) && (framework === 'jest' || framework === 'mocha')
}

/** With the extension that the framework's module resolution wants: none for TypeScript, save for Node itself. */
function specifierOf({ framework, sourcePath, testPath }: Example): string {
  const path = posix.relative(posix.dirname(testPath), sourcePath)
  const relative = path.startsWith('../') ? path : `./${path}`
  if (framework === 'node:test' || framework === 'bun:test') return relative
  return relative.replace(/\.tsx?$/, '').replace(/\.([mc])ts$/, '.$1js')
}
