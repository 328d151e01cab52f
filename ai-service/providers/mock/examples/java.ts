import { posix } from 'node:path'
import { camelCase, pascalCase } from '../cases.ts'
import { type Syntax, bodyLines } from '../body.ts'
import type { Example } from '../example.ts'
import { doubleQuoted } from '../../../repository/safe-text.ts'
import { isIdentifier } from '../symbols.ts'
import { chooseSubject, commentLines, indent, separate, stillOpen } from '../wording.ts'

interface Dialect {
  imports: readonly string[]
  modifier: string
  open: readonly string[]
}

const jupiter: Dialect = {
  imports: [
    'import static org.junit.jupiter.api.Assertions.fail;',
    '',
    'import org.junit.jupiter.api.Disabled;',
    'import org.junit.jupiter.api.Test;',
  ],
  modifier: '',
  open: ['@Test', `@Disabled(${doubleQuoted(stillOpen)})`],
}

const dialects: Record<string, Dialect> = {
  junit: jupiter,
  junit4: {
    imports: ['import static org.junit.Assert.fail;', '', 'import org.junit.Ignore;', 'import org.junit.Test;'],
    modifier: 'public ',
    open: ['@Test', `@Ignore(${doubleQuoted(stillOpen)})`],
  },
  testng: {
    imports: ['import static org.testng.Assert.fail;', '', 'import org.testng.annotations.Test;'],
    modifier: 'public ',
    open: [`@Test(enabled = false, description = ${doubleQuoted(stillOpen)})`],
  },
}

/** JUnit 5, JUnit 4 and TestNG. */
export function writeJavaTest(example: Example): string {
  const { imports, modifier, open } = dialects[example.framework] ?? jupiter
  const packageName = packageOf(example.sourcePath)
  const [first, ...others] = example.cases
  const methods = separate([
    ['@Test', `${modifier}void ${methodName(example, first)}() {`, ...indent(bodyLines(example, syntax), '    '), '}'],
    ...others.map((sentence) => [
      ...open,
      `${modifier}void ${methodName(example, sentence)}() {`,
      `    fail(${doubleQuoted(stillOpen)});`,
      '}',
    ]),
  ])
  return [
    ...commentLines(example.header, '//'),
    ...(packageName === undefined ? [] : [`package ${packageName};`, '']),
    ...imports,
    '',
    `${modifier}class ${className(example.testPath)} {`,
    ...indent(methods, '    '),
    '}',
    '',
  ].join('\n')
}

const syntax: Syntax = {
  comment: '//',
  input: 'Object input = null;',
  call: (path) => `var result = ${path.join('.')}(input);`,
  create: (path) => `var subject = new ${path.join('.')}();`,
  invoke: (name) => `var result = subject.${name}(input);`,
  construct: (path) => `var subject = new ${path.join('.')}(input);`,
  fail: (message, variable) => `fail(${doubleQuoted(message)} + ${variable});`,
  failWhole: `fail(${doubleQuoted(chooseSubject)});`,
}

function methodName({ subject }: Example, sentence: string): string {
  return subject.form === 'method' ? `${subject.name}${pascalCase(sentence)}` : camelCase(sentence)
}

function className(testPath: string): string {
  const { name } = posix.parse(testPath)
  return isIdentifier(name, 'java') ? name : `${pascalCase(name) || 'File'}Case`
}

/** The folders below the source root, where the path shows one. */
function packageOf(sourcePath: string): string | undefined {
  const folders = /(?:^|\/)(?:src\/(?:main|test)\/java|src|java)\/(.+)\/[^/]+$/.exec(sourcePath)?.[1]?.split('/')
  return folders?.every((folder) => isIdentifier(folder, 'java')) ? folders.join('.') : undefined
}
