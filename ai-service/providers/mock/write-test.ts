import type { Example } from './example.ts'
import { posix } from 'node:path'
import type { TestType } from '../../../core/ai/schema.ts'
import { addressOfPage } from '../../../engines/test-names/pages.ts'
import { moduleName } from '../../../engines/test-names/paths.ts'
import { singleQuoted } from '../../repository/safe-text.ts'
import { frameworks } from './framework-templates.ts'
import { camelCase, capitalized, pascalCase, snakeCase, snakeNames } from './identifiers.ts'
import { languages } from './language-templates.ts'
import { goPackage, importLine, javaPackage, csharpUsing, localName, phpNamespace, usesRails } from './namespaces.ts'
import type { Smoke } from './smoke.ts'
import { type Subject, isIdentifier } from './symbols.ts'

/** Writes a test that fails until a developer has stated what is expected, or passes if it is a smoke test. */
export function writeTest(example: Example): string {
  const framework = frameworks[example.framework]
  const { comment, quote } = { comment: outlineComment(example), quote: singleQuoted, ...languageOf(example) }
  const shared = slotsOf(example, quote)
  const tests = example.cases.map((sentence, index) => {
    const names = { snake: snakeCase(sentence), camel: camelCase(sentence), pascal: pascalCase(sentence) }
    return fill(index === 0 ? framework.test : framework.open, {
      ...shared,
      ...names,
      ...methodNames(example, sentence),
      case: quote(sentence),
      titled: quote(`${example.title}: ${sentence}`),
      body: index === 0 ? bodyOf(example) : '',
    })
  })
  const notes = [...example.header, ...namespaceNote(example)]
  const code = fill(framework.file, {
    ...shared,
    header: notes.map((line) => `${comment} ${line}`).join('\n'),
    tests: tests.join('\n\n'),
    outline: outlineOf(example).map((line) => `${comment} ${line}`).join('\n'), // prettier-ignore
  })
  return usesRequire(example) ? code.replace(/^import (?:\* as )?(.+) from ('[^'\n]+')$/gm, toRequire) : code
}

/**
 * Replaces `{slot}` by its value. A slot alone on its line takes the whole value at its indentation, and an empty value
 * removes the line with the empty line before it. Values are not read again, so they may contain braces.
 */
function fill(template: string, slots: Readonly<Record<string, string | undefined>>): string {
  const lines: string[] = []
  for (const line of template.split('\n')) {
    const block = /^(\s*)\{(\w+)\}$/.exec(line)
    const value = block?.[2] === undefined ? undefined : slots[block[2]]
    if (block && value !== undefined) {
      if (value !== '') lines.push(...value.split('\n').map((text) => (text === '' ? '' : `${block[1]}${text}`)))
      else if (lines.at(-1) === '') lines.pop()
    } else lines.push(line.replace(/\{(\w+)\}/g, (slot, name: string) => slots[name] ?? slot))
  }
  return lines.join('\n')
}

const toRequire = (_line: string, names: string, from: string) =>
  `const ${names.replace(' as ', ': ')} = require(${from})`

/** Jest and Mocha run plain JavaScript as CommonJS by default. */
const usesRequire = ({ framework, sourcePath }: Example) =>
  /\.(js|jsx|cjs)$/.test(sourcePath) && (framework === 'jest' || framework === 'mocha')

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
    const base = usesRails(facts) ? 'ActiveSupport::TestCase' : 'Minitest::Test'
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
  const isUnknown = language === 'php' && path.length === 1 && !phpNamespace(example.sourcePath, example.facts)
  return isUnknown ? ['The path does not show the namespace: complete the name.'] : []
}

/** The text of a test that asks a developer to complete it. It contains no text of the analysis. */
const stateResult = 'State the expected result here. It returned: '
const stateState = 'State here what must be true of it: '
const chooseSubject = 'Call the code to test here, and state the expected result'

function arrange({ testType, subject }: Example): string {
  if (testType === 'integration') {
    return 'Arrange: use the real dependencies, and replace this with a request from a client.'
  }
  if (subject.form === 'construct') return 'Arrange: replace this with the constructor arguments.'
  return 'Arrange: replace this with typical input.'
}

/** Arrange, act and assert, with an assertion that fails until a developer replaces it. */
function bodyOf(example: Example): string {
  const { subject, smoke } = example
  const template = languageOf(example)
  if (!template) return ''
  if (smoke) return smokeBody(example, smoke)
  const note = (text: string) => `${template.comment} ${text}`
  const fail = (message: string) => fill(frameworks[example.framework].fail, { message })
  const failWith = (text: string, variable: string) =>
    fail(fill(template.message, { text: template.quote(text), plain: text, variable }))
  if (subject.form === 'whole') {
    const text = template.quote(chooseSubject + (template.names?.text ?? ''))
    return [note(arrange(example)), note('Act and assert'), fail(fill(template.names?.message ?? '{text}', { text }))].join('\n') // prettier-ignore
  }
  const path = pathOf(example, subject.form === 'method' ? subject.owner : subject.path)
  const name = subject.form === 'method' ? subject.name : ''
  const isMade = subject.form === 'construct'
  const act = isMade ? template.construct : subject.form === 'call' ? template.call : template.invoke
  return [
    note(arrange(example)),
    ...(isMade && template.constructsWithoutInput ? [] : [template.input]),
    ...(subject.form === 'method' ? [fill(template.create, { path })] : []),
    ...(isMade && template.constructsWithoutInput ? [] : ['']),
    note('Act'),
    fill(act, { path, name }),
    '',
    note('Assert'),
    isMade ? failWith(stateState, 'subject') : failWith(stateResult, 'result'),
  ].join('\n')
}

/** Returns the expression for the subject. */
function pathOf({ language, sourcePath, facts, subject }: Example, [root = '', ...members]: readonly string[]): string {
  if (language === 'php') {
    const namespace = members.length === 0 ? (phpNamespace(sourcePath, facts) ?? []) : []
    return `\\${[...namespace, root, ...members].join('\\')}`
  }
  if (language === 'ruby' && subject.form === 'call') {
    const owner = [root, ...members].slice(0, -1).join('::')
    return [...(owner === '' ? [] : [owner]), [root, ...members].at(-1)].join('.')
  }
  const separator = language === 'other' ? '.' : languages[language].separator
  return [localName(root, language), ...members].join(separator)
}

/** Checks that the subject exists. */
function smokeBody(example: Example, { isCallable, isGeneric }: Smoke): string {
  const { subject, language } = example
  const equal = (actual: string, expected = '') => fill(frameworks[example.framework].equal ?? '', { actual, expected })
  const isWhole = subject.form === 'whole'
  const path = isWhole ? 'subject' : pathOf(example, subject.form === 'method' ? subject.owner : subject.path)
  if (language === 'go') {
    if (isWhole || isGeneric) return 't.Log("the package compiles")'
    const made = subject.form === 'construct' ? `new(${path})` : path
    const value = subject.form === 'method' ? `(*${path}).${subject.name}` : made
    return `var subject any = ${value}\nif subject == nil {\n\tt.Fatal("it does not exist")\n}`
  }
  if (language === 'python') {
    if (isWhole) return equal('hasattr(subject, "__name__")')
    return equal(subject.form === 'method' ? `hasattr(${path}, "${subject.name}")` : `${path} is not None`)
  }
  if (isWhole) return equal('typeof subject', "'object'")
  const isFunction = isCallable && subject.form !== 'method'
  return isFunction ? equal(`typeof ${path}`, "'function'") : equal(`${path} === undefined`, 'false')
}

const hashed = new Set(['.ex', '.exs', '.sh', '.pl', '.r', '.jl', '.nim', '.cr'])
const outlineComment = ({ sourcePath }: Example) => (hashed.has(posix.extname(sourcePath).toLowerCase()) ? '#' : '//')

/** Writes the steps of the test as comments, for languages without a template. */
const outlineOf = (example: Example) => [
  ...example.cases.map((sentence, index) => `${index + 1}. ${sentence}`),
  arrange(example),
  'Act. Then assert. State the expected result here.',
]

const request = ['answers a valid request', 'rejects an invalid request']

/** Returns more cases for more branches. */
export function casesFor(subject: Subject, testType: TestType, complexity: number | undefined): readonly string[] {
  if (testType === 'e2e') return ['supports the main task of the page', 'shows errors to the visitor']
  if (testType === 'integration') {
    return complexity !== undefined && complexity >= 5 ? [...request, 'rejects a caller without permission'] : request
  }
  if (subject.form === 'whole') return ['does what its callers expect', 'handles boundary values']
  if (subject.form === 'construct') {
    return ['starts in a usable state', 'stays consistent over several calls']
  }
  const count = complexity === undefined || complexity >= 2 ? 2 : 1
  return [
    'returns the expected result for typical input',
    'handles boundary values',
    'rejects invalid input',
    'covers every branch',
  ].slice(0, complexity === undefined || complexity < 5 ? count : complexity < 10 ? 3 : 4)
}
