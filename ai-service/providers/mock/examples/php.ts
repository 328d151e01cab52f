import { posix } from 'node:path'
import { camelCase, pascalCase } from '../cases.ts'
import { type Syntax, bodyLines } from '../body.ts'
import type { Example } from '../example.ts'
import { singleQuoted } from '../safe-text.ts'
import { isIdentifier } from '../symbols.ts'
import { chooseSubject, commentLines, indent, separate, stillOpen } from '../wording.ts'

/** PHPUnit and Pest. */
export function writePhpTest(example: Example): string {
  const [marker = '', ...header] = example.header
  return [
    `<?php // ${marker}`,
    ...commentLines(header, '//'),
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
      ...indent(bodyLines(example, syntaxOf('self::fail', example.sourcePath)), '    '),
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
      ...indent(bodyLines(example, syntaxOf('$this->fail', example.sourcePath)), '    '),
      '});',
    ],
    ...others.map((sentence) => [`test(${singleQuoted(`${example.title} ${sentence}`)})->todo();`]),
  ])
}

const syntaxOf = (fail: string, sourcePath: string): Syntax => ({
  comment: '//',
  input: '$input = null;',
  call: (path) => `$result = \\${path.join('\\')}($input);`,
  create: (path) => `$subject = new ${classOf(path, sourcePath)}();`,
  invoke: (name) => `$result = $subject->${name}($input);`,
  construct: (path) => `$subject = new ${classOf(path, sourcePath)}($input);`,
  fail: (message, variable) => `${fail}(${singleQuoted(message)} . var_export($${variable}, true));`,
  failWhole: `${fail}(${singleQuoted(chooseSubject)});`,
})

/** Laravel's `app/Models/User.php` holds `App\Models\User`; other roots are known to Composer alone. */
function classOf(path: readonly string[], sourcePath: string): string {
  const folders = posix.dirname(sourcePath).split('/')
  const isLaravel = path.length === 1 && folders[0] === 'app' && folders.every((name) => isIdentifier(name, 'php'))
  return `\\${[...(isLaravel ? ['App', ...folders.slice(1)] : []), ...path].join('\\')}`
}

function className(testPath: string): string {
  const { name } = posix.parse(testPath)
  return isIdentifier(name, 'php') ? name : `${pascalCase(camelCase(name)) || 'File'}Case`
}
