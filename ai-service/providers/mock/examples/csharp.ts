import { posix } from 'node:path'
import { pascalCase } from '../cases.ts'
import { type Syntax, bodyLines } from '../body.ts'
import type { Example } from '../example.ts'
import { doubleQuoted } from '../../../repository/safe-text.ts'
import { isIdentifier } from '../symbols.ts'
import { chooseSubject, commentLines, indent, separate, stillOpen } from '../wording.ts'

interface Dialect {
  using: string
  group: readonly string[]
  test: readonly string[]
  open: readonly string[]
}

const xunit: Dialect = {
  using: 'Xunit',
  group: [],
  test: ['[Fact]'],
  open: [`[Fact(Skip = ${doubleQuoted(stillOpen)})]`],
}

const dialects: Record<string, Dialect> = {
  xunit,
  nunit: {
    using: 'NUnit.Framework',
    group: ['[TestFixture]'],
    test: ['[Test]'],
    open: ['[Test]', `[Ignore(${doubleQuoted(stillOpen)})]`],
  },
  mstest: {
    using: 'Microsoft.VisualStudio.TestTools.UnitTesting',
    group: ['[TestClass]'],
    test: ['[TestMethod]'],
    open: ['[TestMethod]', `[Ignore(${doubleQuoted(stillOpen)})]`],
  },
}

/** xUnit, NUnit and MSTest. */
export function writeCSharpTest(example: Example): string {
  const { using, group, test, open } = dialects[example.framework] ?? xunit
  const namespace = namespaceOf(example.sourcePath)
  const [first, ...others] = example.cases
  const methods = separate([
    [...test, `public void ${methodName(example, first)}()`, '{', ...indent(bodyLines(example, syntax), '    '), '}'],
    ...others.map((sentence) => [
      ...open,
      `public void ${methodName(example, sentence)}()`,
      '{',
      `    Assert.Fail(${doubleQuoted(stillOpen)});`,
      '}',
    ]),
  ])
  return [
    ...commentLines(example.header, '//'),
    ...(namespace === undefined ? [] : [`using ${namespace};`]),
    `using ${using};`,
    '',
    ...group,
    `public class ${className(example.testPath)}`,
    '{',
    ...indent(methods, '    '),
    '}',
    '',
  ].join('\n')
}

const syntax: Syntax = {
  comment: '//',
  input: 'object input = null;',
  call: (path) => `var result = ${path.join('.')}(input);`,
  create: (path) => `var subject = new ${path.join('.')}();`,
  invoke: (name) => `var result = subject.${name}(input);`,
  construct: (path) => `var subject = new ${path.join('.')}(input);`,
  fail: (message, variable) => `Assert.Fail(${doubleQuoted(message)} + ${variable});`,
  failWhole: `Assert.Fail(${doubleQuoted(chooseSubject)});`,
}

function methodName({ subject }: Example, sentence: string): string {
  return subject.form === 'method' ? `${subject.name}_${pascalCase(sentence)}` : pascalCase(sentence)
}

function className(testPath: string): string {
  const { name } = posix.parse(testPath)
  return isIdentifier(name, 'csharp') ? name : `${pascalCase(name) || 'File'}Case`
}

/** By convention the folders below `src`. */
function namespaceOf(sourcePath: string): string | undefined {
  const folders = posix.dirname(sourcePath).split('/')
  const names = folders.slice(folders.indexOf('src') + 1).flatMap((folder) => folder.split('.'))
  return names.length > 0 && names.every((name) => isIdentifier(name, 'csharp')) ? names.join('.') : undefined
}
