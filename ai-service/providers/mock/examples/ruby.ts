import { posix } from 'node:path'
import { pascalCase, snakeCase } from '../cases.ts'
import { splitCamelCase } from '../../../../engines/test-names/test-name.ts'
import { type Syntax, bodyLines, subjectNames } from '../body.ts'
import type { Example } from '../example.ts'
import { singleQuoted } from '../../../repository/safe-text.ts'
import { chooseSubject, commentLines, indent, separate, stillOpen } from '../wording.ts'

/** RSpec and Minitest. */
export function writeRubyTest(example: Example): string {
  const rspec = example.framework === 'rspec'
  return [
    ...commentLines(example.header, '#'),
    ...requireLines(example, rspec),
    '',
    ...(rspec ? rspecLines(example) : minitestLines(example)),
    '',
  ].join('\n')
}

/** Rails loads the application's classes itself. */
function requireLines({ sourcePath, testPath, usesRails }: Example, rspec: boolean): string[] {
  if (usesRails) return [`require ${rspec ? "'rails_helper'" : "'test_helper'"}`]
  const path = posix.relative(posix.dirname(testPath), sourcePath).replace(/\.rb$/, '')
  const load = `require_relative ${singleQuoted(path)}`
  return rspec ? [load] : ["require 'minitest/autorun'", load]
}

function rspecLines(example: Example): string[] {
  const [first, ...others] = example.cases
  const tests = separate([
    [`it ${singleQuoted(first)} do`, ...indent(bodyLines(example, rspecSyntax), '  '), 'end'],
    ...others.map((sentence) => [`it ${singleQuoted(sentence)}`]),
  ])
  return [`RSpec.describe ${singleQuoted(example.title)} do`, ...indent(tests, '  '), 'end']
}

function minitestLines(example: Example): string[] {
  const [first, ...others] = example.cases
  const tests = separate([
    [`def test_${snakeCase(first)}`, ...indent(bodyLines(example, minitestSyntax), '  '), 'end'],
    ...others.map((sentence) => [`def test_${snakeCase(sentence)}`, `  skip ${singleQuoted(stillOpen)}`, 'end']),
  ])
  const base = example.usesRails ? 'ActiveSupport::TestCase' : 'Minitest::Test'
  return [`class ${className(example)} < ${base}`, ...indent(tests, '  '), 'end']
}

const syntaxOf = (fail: (message: string) => string): Syntax => ({
  comment: '#',
  input: 'input = nil',
  call: (path) => `result = ${callOf(path)}(input)`,
  // It may be a module, which has no objects of its own.
  create: (path) => `subject = ${path.join('::')} # If it is a class: its object`,
  invoke: (name) => `result = subject.${name}(input)`,
  construct: (path) => `subject = ${path.join('::')}.new(input) # If it is a class: a module has no objects`,
  fail: (message, variable) => fail(`${singleQuoted(message)} + ${variable}.inspect`),
  failWhole: fail(singleQuoted(chooseSubject)),
})

const rspecSyntax = syntaxOf((message) => `raise NotImplementedError, ${message}`)
const minitestSyntax = syntaxOf((message) => `flunk ${message}`)

function callOf(path: readonly string[]): string {
  const owner = path.slice(0, -1)
  return [...(owner.length > 0 ? [owner.join('::')] : []), path.at(-1)].join('.')
}

function className(example: Example): string {
  const names = subjectNames(example)
  const parts = names.length === 0 ? [posix.parse(example.sourcePath).name] : names
  const name = pascalCase(splitCamelCase(parts.join(' ')))
  return /^[A-Z]/.test(name) ? `${name}Test` : `File${name}Test`
}
