import { posix } from 'node:path'
import { pascalCase } from '../cases.ts'
import { type Syntax, bodyLines, subjectNames } from '../body.ts'
import type { Example } from '../example.ts'
import { doubleQuoted } from '../../../repository/safe-text.ts'
import { type Subject, isIdentifier } from '../symbols.ts'
import { chooseSubject, commentLines, indent, stillOpen } from '../wording.ts'

/** Go's own testing package: a test in the same package, so that unexported names are in reach. */
export function writeGoTest(example: Example): string {
  const [first, ...others] = example.cases
  const { name, isGuess } = packageOf(example)
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
    ...commentLines(
      [...example.header, ...(isGuess ? ['The package is a guess: name it as its other files do.'] : [])],
      '//',
    ),
    '',
    `package ${name}`,
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
  exists: (subject, { isGeneric }) =>
    subject.form === 'whole' || isGeneric
      ? ['t.Log("the package compiles")']
      : [`var subject any = ${valueOf(subject)}`, 'if subject == nil {', '\tt.Fatal("it is not there")', '}'],
}

function valueOf(subject: Exclude<Subject, { form: 'whole' }>): string {
  if (subject.form === 'method') return `(*${subject.owner.join('.')}).${subject.name}`
  return subject.form === 'construct' ? `new(${subject.path.join('.')})` : subject.path.join('.')
}

function packageOf(example: Example): { name: string; isGuess: boolean } {
  const known = example.smoke?.packageName
  return known === undefined ? packageName(example) : { name: known, isGuess: false }
}

function testName(example: Example): string {
  const names = subjectNames(example)
  if (names.length === 0) return pascalCase(posix.parse(example.sourcePath).name) || 'File'
  return names.map((name) => name.replace(/^_+/, '')).map((name) => name.charAt(0).toUpperCase() + name.slice(1)).join('_') // prettier-ignore
}

/** A package is usually named after its folder, and at the root of a module after that. */
function packageName({ sourcePath, goModule }: Example): { name: string; isGuess: boolean } {
  const folders = posix.dirname(sourcePath).split('/')
  if (posix.basename(sourcePath) === 'main.go' || folders.at(-2) === 'cmd') return { name: 'main', isGuess: false }
  const isRoot = goModule !== undefined && goModule.folder === posix.dirname(sourcePath)
  const parts = isRoot ? goModule.name.split('/') : folders
  const last = parts.findLast((part) => part !== '.' && !/^v\d+$/.test(part)) ?? ''
  const own = last.replace(/\.v\d+$/, '')
  const plain = own
    .toLowerCase()
    .replace(/^go-|[-.]go$/g, '')
    .replace(/[^a-z0-9_]/g, '')
  const name = plain === 'main' || !isIdentifier(plain, 'go') ? 'subject' : plain
  return { name, isGuess: name !== own || (!isRoot && parts.at(-1) !== last) }
}
