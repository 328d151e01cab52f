import { posix } from 'node:path'
import { pascalCase, snakeCase } from '../cases.ts'
import { splitCamelCase } from '../../../../engines/test-names/test-name.ts'
import { type Syntax, bodyLines, importedName, subjectNames } from '../body.ts'
import type { Example } from '../example.ts'
import { doubleQuoted } from '../../../repository/safe-text.ts'
import { type Subject, isIdentifier } from '../symbols.ts'
import { moduleName } from '../../../../engines/test-names/paths.ts'
import { chooseSubject, commentLines, indent, separate, stillOpen } from '../wording.ts'

/** Names that the examples use themselves. */
const taken = new Set([
  'pytest',
  'unittest',
  'importlib',
  'subject',
  'result',
  'value',
  'self',
  'repr',
  'dir',
  'str',
  'hasattr',
])
const alias = 'under_test'

/** pytest and unittest. */
export function writePythonTest(example: Example): string {
  const pytest = example.framework === 'pytest'
  return [
    ...commentLines(example.header, '#'),
    ...importLines(example, pytest ? 'pytest' : 'unittest'),
    '',
    '',
    ...(pytest ? pytestLines(example) : unittestLines(example)),
    '',
  ].join('\n')
}

function pytestLines(example: Example): string[] {
  const [first, ...others] = example.cases
  const prefix = `test_${snakeName(example)}`
  return [
    `def ${prefix}_${snakeCase(first)}():`,
    ...indent(bodyLines(example, pytestSyntax), '    '),
    ...others.flatMap((sentence) => [
      '',
      '',
      `@pytest.mark.skip(reason=${doubleQuoted(stillOpen)})`,
      `def ${prefix}_${snakeCase(sentence)}():`,
      `    pytest.fail(${doubleQuoted(stillOpen)})`,
    ]),
  ]
}

function unittestLines(example: Example): string[] {
  const [first, ...others] = example.cases
  const methods = separate([
    [`def test_${snakeCase(first)}(self):`, ...indent(bodyLines(example, unittestSyntax), '    ')],
    ...others.map((sentence) => [
      `@unittest.skip(${doubleQuoted(stillOpen)})`,
      `def test_${snakeCase(sentence)}(self):`,
      `    self.fail(${doubleQuoted(stillOpen)})`,
    ]),
  ])
  return [
    `class ${pascalCase(snakeName(example)) || 'Module'}Test(unittest.TestCase):`,
    ...indent(methods, '    '),
    '',
    '',
    'if __name__ == "__main__":',
    '    unittest.main()',
  ]
}

const syntaxOf = (fail: string, holds: (condition: string) => string): Syntax => ({
  comment: '#',
  input: 'value = None',
  call: (path) => `result = ${nameOf(path)}(value)`,
  create: (path) => `subject = ${nameOf(path)}()`,
  invoke: (name) => `result = subject.${name}(value)`,
  construct: (path) => `subject = ${nameOf(path)}(value)`,
  fail: (message, variable) => `${fail}(${doubleQuoted(message)} + repr(${variable}))`,
  failWhole: `${fail}(${doubleQuoted(`${chooseSubject}. It holds: `)} + ", ".join(dir(subject)))`,
  exists: (subject) => [holds(existence(subject))],
})

function existence(subject: Subject): string {
  if (subject.form === 'whole') return 'hasattr(subject, "__name__")'
  return subject.form === 'method'
    ? `hasattr(${nameOf(subject.owner)}, ${doubleQuoted(subject.name)})`
    : `${nameOf(subject.path)} is not None`
}

const pytestSyntax = syntaxOf('pytest.fail', (condition) => `assert ${condition}`)
const unittestSyntax = syntaxOf('self.fail', (condition) => `self.assertTrue(${condition})`)

function nameOf(path: readonly string[]): string {
  const [root = '', ...members] = path
  return [taken.has(root) ? alias : root, ...members].join('.')
}

/** A module whose name is no identifier, such as `my-tool.py`, can only be imported by a call. */
function importLines(example: Example, framework: string): string[] {
  const segments = modulePath(example.sourcePath)
  const root = importedName(example)
  if (segments.length > 0 && segments.every((segment) => isIdentifier(segment, 'python'))) {
    const module = segments.join('.')
    if (root === undefined) return [`import ${framework}`, '', `import ${module} as subject`]
    return [`import ${framework}`, '', `from ${module} import ${root}${taken.has(root) ? ` as ${alias}` : ''}`]
  }
  const load = `importlib.import_module(${doubleQuoted(segments.join('.'))})`
  const bound = root === undefined ? `subject = ${load}` : `${nameOf([root])} = ${load}.${root}`
  return ['import importlib', `import ${framework}`, '', bound]
}

/** As Python sees it from the root of the project: below `src`, and a package for its `__init__.py`. */
function modulePath(sourcePath: string): string[] {
  const { dir, name } = posix.parse(sourcePath)
  const folders = dir === '' ? [] : dir.split('/')
  const below = folders.slice(folders.indexOf('src') + 1)
  return name === '__init__' ? below : [...below, name]
}

function snakeName(example: Example): string {
  const names = subjectNames(example)
  const name = names.length === 0 ? moduleName(example.sourcePath) : names.join(' ')
  return snakeCase(splitCamelCase(name)) || 'module'
}
