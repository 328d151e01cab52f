import { posix } from 'node:path'
import { camelCase, pascalCase } from '../cases.ts'
import { type Syntax, bodyLines } from '../body.ts'
import type { Example } from '../example.ts'
import { singleQuoted } from '../../../repository/safe-text.ts'
import { isIdentifier } from '../symbols.ts'
import { chooseSubject, commentLines, indent, separate, stillOpen } from '../wording.ts'

/** PHPUnit and Pest. */
export function writePhpTest(example: Example): string {
  const [marker = '', ...header] = example.header
  return [
    `<?php // ${marker}`,
    ...commentLines([...header, ...namespaceNote(example)], '//'),
    '',
    ...(example.framework === 'pest' ? pestLines(example) : phpunitLines(example)),
    '',
  ].join('\n')
}

function phpunitLines(example: Example): string[] {
  const [first, ...others] = example.cases
  const methods = separate([
    [
      `public function test${pascalCase(first)}(): void`,
      '{',
      ...indent(bodyLines(example, syntaxOf('self::fail', example)), '    '),
      '}',
    ],
    ...others.map((sentence) => [
      `public function test${pascalCase(sentence)}(): void`,
      '{',
      `    self::markTestIncomplete(${singleQuoted(stillOpen)});`,
      '}',
    ]),
  ])
  return [
    'use PHPUnit\\Framework\\TestCase;',
    '',
    `final class ${className(example.testPath)} extends TestCase`,
    '{',
    ...indent(methods, '    '),
    '}',
  ]
}

function pestLines(example: Example): string[] {
  const [first, ...others] = example.cases
  return separate([
    [
      `test(${singleQuoted(`${example.title} ${first}`)}, function () {`,
      ...indent(bodyLines(example, syntaxOf('$this->fail', example)), '    '),
      '});',
    ],
    ...others.map((sentence) => [`test(${singleQuoted(`${example.title} ${sentence}`)})->todo();`]),
  ])
}

const syntaxOf = (fail: string, example: Example): Syntax => ({
  comment: '//',
  input: '$input = null;',
  call: (path) => `$result = ${classOf(path, example)}($input);`,
  create: (path) => `$subject = new ${classOf(path, example)}();`,
  invoke: (name) => `$result = $subject->${name}($input);`,
  construct: (path) => `$subject = new ${classOf(path, example)}($input);`,
  fail: (message, variable) => `${fail}(${singleQuoted(message)} . var_export($${variable}, true));`,
  failWhole: `${fail}(${singleQuoted(chooseSubject)});`,
})

/** A path of several names is qualified already. */
const classOf = (path: readonly string[], { namespace = [] }: Example) =>
  `\\${[...(path.length === 1 ? namespace : []), ...path].join('\\')}`

function namespaceNote({ subject, namespace }: Example): string[] {
  if (subject.form === 'whole') return []
  const path = subject.form === 'method' ? subject.owner : subject.path
  const isKnown = namespace !== undefined || path.length > 1
  return isKnown ? [] : ['The path does not show the namespace: complete the name.']
}

function className(testPath: string): string {
  const { name } = posix.parse(testPath)
  return isIdentifier(name, 'php') ? name : `${pascalCase(camelCase(name)) || 'File'}Case`
}
