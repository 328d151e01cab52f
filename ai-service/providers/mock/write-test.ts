import type { Example } from './example.ts'
import { posix } from 'node:path'
import { addressOfPage } from '../../../engines/test-names/pages.ts'
import { moduleName } from '../../../engines/test-names/paths.ts'
import { inCode, singleQuoted } from '../../repository/safe-text.ts'
import { fill } from './fill.ts'
import { frameworks } from './framework-templates.ts'
import { camelCase, capitalized, pascalCase, snakeCase, snakeNames, uniqueNames } from './identifiers.ts'
import { languages } from './language-templates.ts'
import { goPackage, importLine, javaPackage, csharpUsing, phpNamespace, usesRails } from './namespaces.ts'
import { isIdentifier } from './symbols.ts'
import { arrange, firstBody, openBody } from './test-body.ts'

/** Writes tests that fail until a developer has stated what is expected, or one that passes if it is a smoke test. */
export function writeTest(example: Example): string {
  const framework = frameworks[example.framework]
  const { comment, quote } = { comment: outlineComment(example), quote: singleQuoted, ...languageOf(example) }
  const shared = slotsOf(example, quote)
  const names = uniqueNames(example.cases)
  const tests = example.cases.map((sentence, index) => {
    const name = names[index] ?? ''
    return fill(framework.test, {
      ...shared,
      snake: snakeCase(name),
      camel: camelCase(name),
      pascal: pascalCase(name),
      ...methodNames(example, name),
      case: quote(sentence),
      titled: quote(`${example.title}: ${sentence}`),
      body: index === 0 ? firstBody(example) : openBody(example),
    })
  })
  const notes = [...example.header, ...namespaceNote(example)]
  const code = fill(framework.file, {
    ...shared,
    header: notes.map((line) => `${comment} ${line}`).join('\n'),
    // Functions of a Python module have two empty lines between them.
    tests: tests.join(example.framework === 'pytest' ? '\n\n\n' : '\n\n'),
    outline: outlineOf(example).map((line) => `${comment} ${line}`).join('\n'), // prettier-ignore
  })
  return usesRequire(example) ? code.replace(/^import (?:\* as )?(.+) from ('[^'\n]+')$/gm, toRequire) : code
}

const toRequire = (_line: string, names: string, from: string) =>
  `const ${names.replace(' as ', ': ')} = require(${from})`

/** The import that the project's tests use decides. Without one: Jest and Mocha run plain JavaScript as CommonJS. */
function usesRequire({ framework, sourcePath, givenImport }: Example): boolean {
  if (givenImport) return givenImport.statement.startsWith('const ')
  return /\.(js|jsx|cjs)$/.test(sourcePath) && (framework === 'jest' || framework === 'mocha')
}

const languageOf = ({ language }: Example) => (language === 'other' ? undefined : languages[language])

/** The names of the subject; none for a whole file. */
function subjectNames({ subject }: Example): readonly string[] {
  if (subject.form === 'whole') return []
  return subject.form === 'method' ? [...subject.owner, subject.name] : subject.path
}

function slotsOf(example: Example, quote: (text: string) => string): Record<string, string | undefined> {
  const { language, sourcePath, testPath, facts } = example
  const names = subjectNames(example)
  const file = posix.parse(sourcePath).name
  const snake = snakeNames(language === 'python' && names.length === 0 ? [moduleName(sourcePath)] : names)
  const slots = { title: quote(example.title), import: importLine(example) }
  if (example.framework === 'playwright' || example.framework === 'cypress') {
    const visit = 'Replace the parameters in this address, and state here what a visitor must see. The title is: '
    return { ...slots, address: quote(addressOfPage(sourcePath) ?? '/'), visit: quote(visit) }
  }
  if (language === 'python') return { ...slots, group: snake || 'module', Group: pascalCase(snake) || 'Module' }
  if (language === 'go') {
    const Group = names.length > 0 ? capitalized(names) : pascalCase(file) || 'File'
    return { ...slots, Group, namespace: goPackage(example).name }
  }
  if (language === 'rust') {
    return { ...slots, group: names.length > 0 ? `${snake || 'more'}_tests`.replace(/^(?=\d)/, '_') : 'tests' }
  }
  if (language === 'ruby') {
    const name = pascalCase(snakeNames(names.length > 0 ? names : [file]))
    const own = example.framework === 'test-unit' ? 'Test::Unit::TestCase' : 'Minitest::Test'
    const base = usesRails(facts) ? 'ActiveSupport::TestCase' : own
    return { ...slots, base, class: `${/^[A-Z]/.test(name) ? '' : 'File'}${name}Test` }
  }
  const own = posix.parse(testPath).name
  const namespace = language === 'java' ? javaPackage(sourcePath) : csharpUsing(sourcePath)
  return { ...slots, namespace, class: isIdentifier(own, language) ? own : `${pascalCase(own) || 'File'}Case` }
}

/** Tests of several methods can share a class. */
function methodNames({ language, subject }: Example, sentence: string): Record<string, string> {
  if (subject.form !== 'method') return {}
  if (language === 'java') return { camel: subject.name + pascalCase(sentence) }
  return language === 'csharp' ? { pascal: `${subject.name}_${pascalCase(sentence)}` } : {}
}

function namespaceNote(example: Example): string[] {
  const { language, subject } = example
  if (language === 'go' && goPackage(example).isGuess)
    return ['The package name is a guess: use the name of the other files.']
  const path = subject.form === 'method' ? subject.owner : subject.form === 'whole' ? [] : subject.path
  const isUnknown =
    language === 'php' && path.length === 1 && !example.givenImport && !phpNamespace(example.sourcePath, example.facts)
  return isUnknown ? ['The path does not show the namespace: complete the name.'] : []
}

const hashed = new Set(['.ex', '.exs', '.sh', '.pl', '.r', '.jl', '.nim', '.cr'])
const outlineComment = ({ sourcePath }: Example) => (hashed.has(posix.extname(sourcePath).toLowerCase()) ? '#' : '//')

/** Writes the steps of the test as comments, for languages without a template. */
const outlineOf = (example: Example) => [
  ...example.cases.map((sentence, index) => `${index + 1}. ${inCode(sentence, 300)}`),
  arrange(example),
  'Act. Then assert. State the expected result here.',
]
