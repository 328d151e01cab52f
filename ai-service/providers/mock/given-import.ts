import type { Language } from '../../repository/languages.ts'
import { inLiteral, singleQuoted } from '../../repository/safe-text.ts'
import { isIdentifier } from './symbols.ts'

/** The import of a brief, and the expression for the imported subject after it. */
export interface GivenImport {
  statement: string
  subject: string
}

const maxLength = 500

interface Wanted {
  /** The first name of the subject; `default` for a default export. */
  root: string
  language: Language
  /** Whether the test itself leaves a name to the import. */
  isFree: (name: string) => boolean
}

/**
 * Reads an import that the brief of the analysis gives, and writes it anew, so that no other code of the text gets into
 * the test. Undefined if it has another form or does not import the subject.
 */
export function readGivenImport(
  given: string | undefined,
  { root, language, isFree }: Wanted,
): GivenImport | undefined {
  const text = given?.trim().replace(/;$/, '') ?? ''
  if (text === '' || inLiteral(text, maxLength) !== text) return undefined
  const isName = (name: string) => isIdentifier(name, language) && isFree(name)
  if (language === 'typescript' || language === 'javascript') return readScript(text, root, isName)
  if (language === 'python') return readPython(text, root, isName)
  if (language === 'ruby') return readRuby(text, root)
  if (language === 'php') return readPhp(text, root)
  return undefined
}

/** One imported name. */
interface Binding {
  name: string
  local: string
}

type IsName = (name: string) => boolean

/** A specifier with a colon may be an address or code. */
function readScript(text: string, root: string, isName: IsName): GivenImport | undefined {
  const isRequire = text.startsWith('const ')
  const from = /^(?:import|const) (.+?) (?:from |= require\()(['"])([^'"\\`:\s]+)\2\)?$/.exec(text)
  const [, clause = '', , specifier = ''] = from ?? []
  if (specifier === '') return undefined
  const source = singleQuoted(specifier)
  const write = (names: string) =>
    isRequire ? `const ${names} = require(${source})` : `import ${names} from ${source}`

  const star = /^\* as (\S+)$/.exec(clause)?.[1]
  if (star !== undefined) {
    return isName(star) && (isName(root) || root === 'default')
      ? { statement: write(`* as ${star}`), subject: `${star}.${root}` }
      : undefined
  }
  const braces = /^(?:([\w$]+), )?\{([^{}]*)\}$/.exec(clause)
  const whole = braces ? braces[1] : clause
  if (whole !== undefined && !isName(whole)) return undefined
  const bindings = bindingsOf(braces?.[2] ?? '', isRequire ? ':' : ' as ')
  if (!bindings.every(({ name, local }) => /^[\w$]+$/.test(name) && isName(local))) return undefined
  const listed = bindings.map(({ name, local }) =>
    name === local ? name : `${name}${isRequire ? ': ' : ' as '}${local}`,
  )
  const names = [whole ?? [], braces ? `{ ${listed.join(', ')} }` : []].flat().join(', ')
  const bound = bindings.find(({ name }) => name === root)?.local
  // CommonJS hands out one value: the subject itself, or an object of which it is a member.
  const ofWhole = whole !== undefined && (root === whole || root === 'default' || !isRequire) ? whole : undefined
  const subject = bound ?? ofWhole ?? (whole !== undefined && isName(root) ? `${whole}.${root}` : undefined)
  return subject === undefined ? undefined : { statement: write(names), subject }
}

function bindingsOf(list: string, joint: string): Binding[] {
  return list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', local = name] = part.split(joint)
      return { name: name.trim(), local: local.trim() }
    })
}

function readPython(text: string, root: string, isName: IsName): GivenImport | undefined {
  const isModule = (name: string) => name.split('.').every((part) => isIdentifier(part, 'python'))
  const [, module = '', list = ''] = /^from (\S+) import ([^()]+)$/.exec(text) ?? []
  if (module !== '') {
    const bindings = bindingsOf(list, ' as ')
    const isPlain = ({ name, local }: Binding) => isIdentifier(name, 'python') && isName(local)
    const subject = bindings.find(({ name }) => name === root)?.local
    if (subject === undefined || !isModule(module) || !bindings.every(isPlain)) return undefined
    const names = bindings.map(({ name, local }) => (name === local ? name : `${name} as ${local}`))
    return { statement: `from ${module} import ${names.join(', ')}`, subject }
  }
  const [, whole = '', alias] = /^import (\S+)(?: as (\S+))?$/.exec(text) ?? []
  if (!isModule(whole) || !isIdentifier(root, 'python')) return undefined
  if (alias === undefined) return { statement: `import ${whole}`, subject: `${whole}.${root}` }
  return isName(alias) ? { statement: `import ${whole} as ${alias}`, subject: `${alias}.${root}` } : undefined
}

function readRuby(text: string, root: string): GivenImport | undefined {
  const [, how = '', path = ''] = /^(require|require_relative) ['"]([\w./-]+)['"]$/.exec(text) ?? []
  return path === '' ? undefined : { statement: `${how} ${singleQuoted(path)}`, subject: root }
}

/** A test names the class with its namespace, and so needs no import. */
function readPhp(text: string, root: string): GivenImport | undefined {
  const path = /^use \\?([\w\\]+)$/.exec(text)?.[1]?.split('\\') ?? []
  const isNamed = path.length > 0 && path.every((part) => isIdentifier(part, 'php')) && path.at(-1) === root
  return isNamed ? { statement: '', subject: `\\${path.join('\\')}` } : undefined
}

export interface GivenParameter {
  name: string
  type?: string | undefined
  /** What stands before the value of an argument that is passed by name: `size=`. */
  keyword?: string | undefined
}

/** A call such as `new Queue(options)` of which the brief says that it makes the object. */
export interface GivenConstruction {
  /** The class, as written. */
  name: string
  parameters: GivenParameter[]
}

/** Undefined if the text is anything but the construction of an object from plain names. */
export function readConstruction(given: string | undefined, language: Language): GivenConstruction | undefined {
  const text = given?.trim().replace(/;$/, '') ?? ''
  if (text.length > maxLength) return undefined
  const [, name = '', list = ''] = /^(?:new )?([\w$.:\\]+)\(([\w$, =:]*)\)$/.exec(text) ?? []
  const parameters = list.split(',').map((part) => part.trim()).filter((part) => part !== '').map(argumentOf) // prettier-ignore
  return name !== '' && parameters.every((one) => isIdentifier(one.name, language)) ? { name, parameters } : undefined
}

/** Reads `size`, `size=size` and `size: size`. */
function argumentOf(text: string): GivenParameter {
  const [, name, joint] = /^(\w+)(=|: )\1$/.exec(text) ?? []
  return name === undefined ? { name: text } : { name, keyword: `${name}${joint}` }
}
