import type { SourceTree } from '../description/source-tree.ts'
import type { SymbolParameter } from '../description/types.ts'
import { around, child, namedChildren, type SyntaxNode } from '../syntax-tree.ts'
import { type Definition, isClass } from './definitions.ts'
import { shortText, parametersIn, parametersOf } from './parameters.ts'

/** Returns the code that constructs the object of a method. */
export interface Construction {
  /** As written: `new Queue(options)`. */
  text: string
  parameters: SymbolParameter[]
}

/** Names of constructors by the type of the class's node. */
const constructorNames: Readonly<Record<string, readonly string[]>> = {
  ClassDeclaration: ['constructor'],
  ClassExpression: ['constructor'],
  class_definition: ['__init__'],
  class: ['initialize'],
}

/**
 * Says how an instance of a class is made; undefined if it cannot be, or the file does not show how. `receiver` is that of
 * the method of Go that the instance is for.
 */
export function constructionOf(
  owner: SyntaxNode,
  definitions: readonly Definition[],
  tree: SourceTree,
  receiver?: SyntaxNode,
): Construction | undefined {
  const name = nameOf(owner, tree)
  if (name === undefined) return undefined
  if (owner.type === 'impl_item' || owner.type === 'struct_item' || owner.type === 'enum_item') {
    return ofRust(name, definitions, tree)
  }
  if (owner.type === 'type_spec') {
    const isPointer = receiver !== undefined && tree.text(receiver).includes('*')
    return ofGo(name, isPointer, definitions, tree)
  }
  if (isAbstract(owner, tree)) return undefined
  const found = constructorOf(owner, name, definitions, tree, maxAncestors)
  if (found === 'hidden') return undefined
  const parameters = found === 'unknown' ? [] : found
  const list = found === 'unknown' ? '...' : argumentsOf(parameters)
  const isRuby = owner.type === 'class'
  const isPython = owner.type === 'class_definition'
  const text = isPython ? `${name}(${list})` : isRuby ? `${rubyName(owner, name, tree)}.new(${list})` : `new ${name}(${list})` // prettier-ignore
  return { text, parameters: parameters.map(({ name, type, isOptional }) => ({ name, ...(type !== undefined && { type }), isOptional })) } // prettier-ignore
}

const maxAncestors = 5

const maxArguments = 80

/** A parameter, and whether callers can pass it only by name. Ruby has a colon in the names of such parameters. */
interface Passed extends SymbolParameter {
  isKeyword?: boolean
}

/**
 * Writes a call that is valid with variables of these names. Without those that take any number of further arguments; of
 * a long list only what must be passed.
 */
function argumentsOf(parameters: readonly Passed[]): string {
  const isRest = ({ name, type = '' }: SymbolParameter) => /^(?:\.\.\.|[*&])/.test(name) || type.startsWith('...') || type.endsWith('...') // prettier-ignore
  const passed = parameters.filter((parameter) => !isRest(parameter))
  const isPattern = ({ name }: Passed) => /^[{[]/.test(name)
  const patterns = passed.filter(isPattern)
  const written = (list: readonly Passed[]) =>
    list
      .map((parameter) => {
        const { name, isKeyword = false } = parameter
        if (isPattern(parameter)) return ['options', 'options2'][patterns.indexOf(parameter)] ?? 'others'
        return isKeyword ? `${name}=${name}` : name.endsWith(':') ? `${name} ${name.slice(0, -1)}` : name
      })
      .join(', ')
  const all = written(passed)
  return shortText(all.length > maxArguments ? written(passed.filter(({ isOptional }) => !isOptional)) : all)
}

function nameOf(owner: SyntaxNode, tree: SourceTree): string | undefined {
  if (owner.type === 'impl_item') {
    const type = child(owner, 'type')
    return type && tree.text(type).replace(/<.*$/s, '')
  }
  const name = child(owner, 'name') ?? child(owner, 'id')
  if (name) return tree.text(name)
  const { parent } = owner
  const given = parent?.type === 'VariableDeclarator' ? child(parent, 'id') : undefined
  return given && tree.text(given)
}

/** `Shop::Cart` for a class inside of a module. */
function rubyName(owner: SyntaxNode, name: string, tree: SourceTree): string {
  const names = [name]
  for (let outer = owner.parent; outer; outer = outer.parent) {
    const around = outer.named && isClass(outer) ? child(outer, 'name') : undefined
    if (around) names.unshift(tree.text(around))
  }
  return names.join('::')
}

function isAbstract(owner: SyntaxNode, tree: SourceTree): boolean {
  if (/^(?:interface|trait|enum)_declaration$|^trait_item$|^module$/.test(owner.type)) return true
  const header = tree.text({ start: owner.start, end: child(owner, 'body')?.start ?? owner.end }).slice(0, 500)
  return /(?:^|\s)abstract\s/.test(header) || (owner.parent?.type === 'export' && /abstract/.test(header))
}

/** The parameters of the constructor, also of one that is inherited from a class of the same file. */
function constructorOf(
  owner: SyntaxNode,
  name: string,
  definitions: readonly Definition[],
  tree: SourceTree,
  left: number,
): Passed[] | 'hidden' | 'unknown' {
  const names = constructorNames[owner.type] ?? ['__construct']
  const own = definitions.find(
    ({ kind, whole, name: called }) =>
      kind === 'function' &&
      ownerOf(whole) === owner &&
      (names.includes(called) || (whole.type === 'constructor_declaration' && called === name)),
  )
  if (own) {
    const modifiers = tree.text({ start: own.whole.start, end: child(own.code, 'parameters')?.start ?? own.whole.end })
    return /^\s*(?:private|protected)\s/.test(modifiers)
      ? 'hidden'
      : withKeywords(parametersOf(own.code, tree).filter(isPassed(owner)), own.code, tree)
  }
  // Records, and classes of C# with a primary constructor.
  const primary = child(owner, 'parameters') ?? owner.children.find(({ type }) => type === 'parameter_list')
  if (primary) return parametersIn(primary, tree)
  const fields = dataFields(owner, tree)
  if (fields) return fields
  const base = baseOf(owner, tree)
  if (base === undefined) return []
  const parent = definitions.find(({ kind, name: called }) => kind === 'class' && called === base)
  return parent && left > 0 ? constructorOf(parent.whole, base, definitions, tree, left - 1) : 'unknown'
}

/** Marks the parameters of Python after `*` or `*items`. */
function withKeywords(parameters: SymbolParameter[], code: SyntaxNode, tree: SourceTree): Passed[] {
  const list = child(code, 'parameters')
  const separator = list?.children.find(
    (node) => node.type === 'keyword_separator' || /^\*(?!\*)\w/.test(tree.text(node)),
  )
  if (list?.type !== 'parameters' || !separator) return parameters
  const named = parametersIn({ ...list, children: list.children.filter(({ start }) => start > separator.start) }, tree)
  const names = new Set(named.map(({ name }) => name))
  return parameters.map((parameter) => (names.has(parameter.name) ? { ...parameter, isKeyword: true } : parameter))
}

/** Python passes the object as the first parameter. */
const isPassed = (owner: SyntaxNode) => (_: SymbolParameter, index: number) =>
  owner.type !== 'class_definition' || index > 0

/** The first class that a class inherits from; `object` and interfaces are none. */
function baseOf(owner: SyntaxNode, tree: SourceTree): string | undefined {
  const heritage = ['superClass', 'superclass', 'superclasses'].map((field) => child(owner, field)).find(Boolean)
  const clause = heritage ?? owner.children.find(({ type }) => type === 'base_clause' || type === 'superclass')
  // In C# the list of bases may hold interfaces only, whose names begin with an I.
  const bases = owner.children.find(({ type }) => type === 'base_list')
  const [first] = clause ? namedChildren(clause) : bases ? namedChildren(bases) : []
  const text = clause && clause.children.length === 0 ? tree.text(clause) : first && tree.text(first)
  if (text === undefined || text === 'object' || (bases && /^I[A-Z]/.test(text))) return undefined
  return text
}

/** The fields of a Python data class. */
function dataFields(owner: SyntaxNode, tree: SourceTree): SymbolParameter[] | undefined {
  const { parent } = owner
  if (owner.type !== 'class_definition' || parent?.type !== 'decorated_definition') return undefined
  const isData = parent.children.some(({ type, start, end }) => type === 'decorator' && /dataclass|attrs?\b|define/.test(tree.text({ start, end }).slice(0, 100))) // prettier-ignore
  const body = child(owner, 'body')
  if (!isData || !body) return undefined
  return namedChildren(body).flatMap((statement) => {
    const field = namedChildren(statement).find(({ type }) => type === 'assignment')
    const [name, type] = field ? [child(field, 'left'), child(field, 'type')] : []
    if (!field || !name || !type) return []
    return [
      { name: tree.text(name), type: shortText(tree.text(type)), isOptional: child(field, 'right') !== undefined },
    ]
  })
}

/** `Cart::new(size)`, or another function of the type that returns one. */
function ofRust(name: string, definitions: readonly Definition[], tree: SourceTree): Construction | undefined {
  const makers = definitions.filter(({ whole, code }) => {
    const impl = around(whole, 'impl_item')
    const returned = child(code, 'return_type')
    const takesSelf = child(code, 'parameters')?.children.some(({ type }) => type === 'self_parameter')
    return (
      whole.type === 'function_item' && impl && nameOf(impl, tree) === name && returned && !takesSelf &&
      new Set(['Self', name]).has(tree.text(returned).replace(/^(?:Result|Option)<([\w]+).*$/s, '$1').replace(/<.*$/s, ''))
    ) // prettier-ignore
  })
  const maker = makers.find((one) => one.name === 'new') ?? makers[0]
  if (!maker) return undefined
  const parameters = parametersOf(maker.code, tree)
  return { text: `${name}::${maker.name}(${argumentsOf(parameters)})`, parameters }
}

/** `NewCache(size)`, or the empty value of the type. */
function ofGo(name: string, isPointer: boolean, definitions: readonly Definition[], tree: SourceTree): Construction {
  const makers = definitions.filter(({ whole, code }) => {
    const result = child(code, 'result')
    return (
      whole.type === 'function_declaration' &&
      result !== undefined &&
      tree.text(result).split(/[^\w.]+/).includes(name)
    ) // prettier-ignore
  })
  const maker = makers.find((one) => /^[Nn]ew/.test(one.name))
  if (!maker) return { text: `${isPointer ? '&' : ''}${name}{}`, parameters: [] }
  const parameters = parametersOf(maker.code, tree)
  return { text: `${maker.name}(${argumentsOf(parameters)})`, parameters }
}

/** The class or `impl` that a function is a member of. */
export function ownerOf(whole: SyntaxNode): SyntaxNode | undefined {
  for (let outer = whole.parent; outer; outer = outer.parent) {
    if (isClass(outer) || outer.type === 'impl_item') return outer
    if (/[Ff]unction/.test(outer.type) && outer.type !== 'FunctionExpression') return undefined
  }
  return undefined
}
