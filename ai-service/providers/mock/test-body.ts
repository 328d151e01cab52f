import type { Language } from '../../repository/languages.ts'
import type { CallShape } from './call-shape.ts'
import type { Example } from './example.ts'
import { fill } from './fill.ts'
import { frameworks } from './framework-templates.ts'
import type { GivenParameter } from './given-import.ts'
import { type LanguageTemplate, languages } from './language-templates.ts'
import { isFreeName, localName, phpNamespace } from './namespaces.ts'
import type { Smoke } from './smoke.ts'
import { isIdentifier } from './symbols.ts'

/** The texts that ask a developer to complete a test. They contain no text of the analysis. */
const stateCase = 'State the expected result here'
const stateResult = 'State the expected result here. It returned: '
const stateState = 'State here what must be true of it: '
const chooseSubject = 'Call the code to test here, and state the expected result'

const templateOf = ({ language }: Example) => (language === 'other' ? undefined : languages[language])

const failing = (example: Example, message: string) => fill(frameworks[example.framework].fail, { message })

/** The body of a further test: its title says what it is about. */
export function openBody(example: Example): string {
  const template = templateOf(example)
  return template ? failing(example, template.quote(stateCase)) : ''
}

/** Arrange, act and assert, with an assertion that fails until a developer replaces it. */
export function firstBody(example: Example): string {
  const { subject, smoke } = example
  const template = templateOf(example)
  if (!template) return ''
  if (smoke) return smokeBody(example, smoke)
  const note = (text: string) => `${template.comment} ${text}`
  if (subject.form === 'whole') {
    const text = template.quote(chooseSubject + (template.names?.text ?? ''))
    return [
      note(arrange(example)),
      note('Act and assert'),
      failing(example, fill(template.names?.message ?? '{text}', { text })),
    ].join('\n')
  }
  const { inputs, create, act } = statementsOf(example, template)
  const message = messageOf(example, template)
  const arranged = [...inputs, ...create]
  return [
    note(arrange(example)),
    ...arranged,
    ...(arranged.length > 0 ? [''] : []),
    note('Act'),
    act,
    '',
    note('Assert'),
    failing(example, message),
  ].join('\n')
}

/** The failure of the first test says what the code returned, if it returns something. */
function messageOf({ subject, shape }: Example, template: LanguageTemplate): string {
  if (subject.form !== 'construct' && (shape.how === 'set' || shape.results?.length === 0)) {
    return template.quote(stateCase)
  }
  const isObject = subject.form === 'construct'
  const [text, variable] = isObject ? [stateState, 'subject'] : [stateResult, shape.results?.join(', ') ?? 'result']
  return fill(template.message, { text: template.quote(text), plain: text, variable })
}

export function arrange({ testType, subject, hasCases }: Example): string {
  if (testType === 'integration') {
    return 'Arrange: use the real dependencies, and replace this with a request from a client.'
  }
  const input = subject.form === 'construct' ? 'the constructor arguments' : hasCases ? 'input' : 'typical input'
  return `Arrange: replace this with ${input}${hasCases ? ' of this case' : ''}.`
}

interface Statements {
  inputs: string[]
  create: string[]
  act: string
}

function statementsOf(example: Example, template: LanguageTemplate): Statements {
  const { subject, language, construction } = example
  if (subject.form === 'whole') return { inputs: [], create: [], act: '' }
  const path = pathOf(example, subject.form === 'method' ? subject.owner : subject.path)
  const { shape } = example
  // Go makes an object without input, so that arguments of its constructor would be unused.
  const isMade = subject.form === 'method' && !shape.isStatic && !template.constructsWithoutInput
  const made = isMade && construction ? argumentsOf(construction.parameters, language) : []
  const known = argumentsOf(example.parameters?.map(byName(shape, language)), language, made)
  const called = known.length === 0 && shape.how === 'set' ? argumentsOf(undefined, language) : known
  const declare = (names: readonly GivenParameter[]) => names.map((one) => declarationOf(one, language, template))
  const argument = ({ name, type = '', keyword = '' }: GivenParameter) =>
    `${keyword}${variable(name, language)}${language === 'go' && type.startsWith('...') ? '...' : ''}`
  const list = (names: readonly GivenParameter[]) => names.map(argument).join(', ')
  const results = example.shape.results
  const taken = (act: string) => (results ? act.replace(/^result := /, results.length === 0 ? '' : `${results.join(', ')} := `) : act) // prettier-ignore
  if (subject.form === 'construct') {
    if (template.constructsWithoutInput) return { inputs: [], create: [], act: fill(template.construct, { path }) }
    return { inputs: declare(called), create: [], act: fill(template.construct, { path, arguments: list(called) }) }
  }
  if (subject.form === 'call') {
    const act = fill(template.call, { path, arguments: list(called) })
    return { inputs: declare(called), create: [], act: taken(act) }
  }
  const act = useOf(example, template, { path, name: subject.name, arguments: list(called) }, taken)
  if (shape.isStatic) {
    const ofClass = `${path}${language === 'php' ? '::' : '.'}`
    return { inputs: declare(called), create: [], act: act.replace(/\$?subject(?:->|\.)/, () => ofClass) }
  }
  return {
    inputs: declare([...made, ...called]),
    create: [fill(template.create, { path, arguments: list(made) })],
    act,
  }
}

/** Calls a method; reads or sets a property. */
function useOf(
  { shape }: Example,
  template: LanguageTemplate,
  slots: { path: string; name: string; arguments: string },
  taken: (act: string) => string,
): string {
  if (shape.how === 'call' || !template.read || !template.set) return taken(fill(template.invoke, slots))
  return fill(shape.how === 'read' ? template.read : template.set, slots)
}

/** Names what can only be passed by name. In signatures of Ruby, such names end with a colon. */
const byName =
  ({ keywords }: CallShape, language: Language) =>
  (parameter: GivenParameter): GivenParameter => {
    const { name } = parameter
    if (keywords.has(name)) return { ...parameter, keyword: `${name}=` }
    return language === 'ruby' && /^\w+:$/.test(name)
      ? { ...parameter, name: name.slice(0, -1), keyword: `${name} ` }
      : parameter
  }

const maxArguments = 10
const ownNames = new Set(['subject', 'result', 't'])
/** Names of the object itself, which calls do not hand over. */
const receivers: Partial<Record<Language, ReadonlySet<string>>> = {
  python: new Set(['self', 'cls']),
  rust: new Set(['self']),
  typescript: new Set(['this']),
  csharp: new Set(['this']),
}
const inSnakeCase = new Set<Language>(['python', 'ruby', 'rust', 'php'])

/** What a call is given in place of an argument that is not known. */
const placeholder = (language: Language) => (language === 'python' ? 'value' : 'input')

/**
 * The arguments of a call: as many as there are parameters, in their order. One if the parameters are not known.
 *
 * @param others - other arguments, whose names are taken
 */
function argumentsOf(
  given: readonly GivenParameter[] | undefined,
  language: Language,
  others: readonly GivenParameter[] = [],
): GivenParameter[] {
  if (!given) return [{ name: placeholder(language) }]
  const known = given
    .map((parameter) => ({ ...parameter, name: parameter.name.replace(/^\$/, '') }))
    .filter(({ name }) => receivers[language]?.has(name) !== true && !/^(?:\*\*|&)/.test(name))
    .slice(0, maxArguments)
  const taken = new Set(others.map(({ name }) => name))
  const used = new Set([...taken, ...known.map(({ name }) => name)])
  return known.map((parameter, index) => {
    const { name } = parameter
    if (isUsable(name, language) && !taken.has(name)) return parameter
    const own = renamed(name, index, language)
    let free = own
    for (let count = 2; used.has(free) || !isUsable(free, language); count += 1) free = `${own}${count}`
    used.add(free)
    return { ...parameter, name: free }
  })
}

/** Whether a variable of the test may have the name. */
const isUsable = (name: string, language: Language) =>
  isIdentifier(name, language) && !ownNames.has(name) && (name === placeholder(language) || isFreeName(name, language))

/** Another name for what the test or the language uses itself, and for what is no name at all. */
function renamed(name: string, index: number, language: Language): string {
  if (!/^[A-Za-z]\w{0,40}$/.test(name)) return `argument${index + 1}`
  return inSnakeCase.has(language) ? `${name}_value` : `${name}Value`
}

const variable = (name: string, language: Language) => (language === 'php' ? `$${name}` : name)

/** Names, pointers, lists and maps: the types that need no more than their text. */
function isGoType(type: string): boolean {
  const isShaped = /^(?:\.\.\.)?(?:\*|\[\d{0,9}\]|map\[\w+\])*[A-Za-z_]\w*(?:\.\w+)?$/.test(type.slice(0, 100))
  return isShaped && type.length <= 100 && (type.match(/[A-Za-z_]\w*/g) ?? []).every((word) => word === 'map' || isIdentifier(word, 'go')) // prettier-ignore
}

function declarationOf({ name, type }: GivenParameter, language: Language, template: LanguageTemplate): string {
  // Go compiles only calls with values of the right types.
  if (language === 'go' && type !== undefined && isGoType(type)) {
    return `var ${name} ${type.replace(/^\.\.\./, '[]')}`
  }
  return fill(template.input, { name: variable(name, language) })
}

/** Returns the expression for the subject. */
export function pathOf(example: Example, [root = '', ...members]: readonly string[]): string {
  const { language, sourcePath, facts, subject, givenImport } = example
  if (language === 'php') {
    const namespace = members.length === 0 ? (phpNamespace(sourcePath, facts) ?? []) : []
    return givenImport
      ? [givenImport.subject, ...members].join('\\')
      : `\\${[...namespace, root, ...members].join('\\')}`
  }
  if (language === 'ruby' && subject.form === 'call') {
    const owner = [root, ...members].slice(0, -1).join('::')
    return [...(owner === '' ? [] : [owner]), [root, ...members].at(-1)].join('.')
  }
  const separator = language === 'other' ? '.' : languages[language].separator
  return [givenImport?.subject ?? localName(root, language), ...members].join(separator)
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
