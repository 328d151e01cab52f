import { posix } from 'node:path'
import { pascalCase } from '../cases.ts'
import { type Syntax, bodyLines, subjectNames } from '../body.ts'
import type { Example } from '../example.ts'
import { doubleQuoted } from '../safe-text.ts'
import { isIdentifier } from '../symbols.ts'
import { chooseSubject, commentLines, indent, stillOpen } from '../wording.ts'

/** Go's own testing package: a test in the same package, so that unexported names are in reach. */
export function writeGoTest(example: Example): string {
  const [first, ...others] = example.cases
  const runs = [
    `t.Run(${doubleQuoted(first)}, func(t *testing.T) {`,
    ...indent(bodyLines(example, syntax), '\t'),
    '})',
    ...others.flatMap((sentence) => [
      '',
      `t.Run(${doubleQuoted(sentence)}, func(t *testing.T) {`,
      `\tt.Skip(${doubleQuoted(stillOpen)})`,
      '})',
    ]),
  ]
  return [
    ...commentLines(example.header, '//'),
    '',
    `package ${packageName(example.sourcePath)}`,
    '',
    'import "testing"',
    '',
    `func Test${testName(example)}(t *testing.T) {`,
    ...indent(runs, '\t'),
    '}',
    '',
  ].join('\n')
}

const syntax: Syntax = {
  comment: '//',
  input: 'var input any',
  constructsWithoutInput: true,
  call: (path) => `result := ${path.join('.')}(input)`,
  create: (path) => `var subject ${path.join('.')}`,
  invoke: (name) => `result := subject.${name}(input)`,
  construct: (path) => `var subject ${path.join('.')}`,
  fail: (message, variable) => `t.Fatal(${doubleQuoted(message.trimEnd())}, ${variable})`,
  failWhole: `t.Fatal(${doubleQuoted(chooseSubject)})`,
}

function testName(example: Example): string {
  const names = subjectNames(example)
  if (names.length === 0) return pascalCase(posix.parse(example.sourcePath).name) || 'File'
  return names.map((name) => name.replace(/^_+/, '')).map((name) => name.charAt(0).toUpperCase() + name.slice(1)).join('_') // prettier-ignore
}

/** A package is named after its folder; the path does not tell more. */
function packageName(sourcePath: string): string {
  const folders = posix.dirname(sourcePath).split('/')
  const folder = folders.findLast((name) => !/^v\d+$/.test(name)) ?? ''
  const name = folder
    .toLowerCase()
    .replace(/^go-|-go$|\.go$/g, '')
    .replace(/[^a-z0-9_]/g, '')
  const isCommand = folders.at(-2) === 'cmd' || folder === '.' || !isIdentifier(name, 'go')
  return isCommand ? 'main' : name
}
