import { calledName } from '../../mutation/python/calls.ts'
import { around, child, namedChildren, nodesOf, type SyntaxNode } from '../../parsing/syntax-tree.ts'
import type { Dependences, DependenceKind, Found } from './schema.ts'

const words = (text: string) => new Set(text.split(' '))

/** Modules whose functions depend only on their arguments. */
const pureModules = words(
  '__future__ abc array ast base64 binascii bisect calendar cmath collections colorsys contextlib copy csv dataclasses datetime decimal difflib enum fractions functools graphlib hashlib heapq hmac html itertools json keyword math numbers operator pprint pytest re statistics string struct textwrap types typing typing_extensions unicodedata unittest zlib',
)

const names: readonly (readonly [DependenceKind, ReadonlySet<string>])[] = [
  ['time', words('now today utcnow fromtimestamp sleep')],
  // The order of a set of texts differs between processes.
  ['chance', words('set frozenset hash id shuffle')],
  ['outside', words('open input tmp_path tmp_path_factory tmpdir requests')],
  [
    'shared_state',
    words('monkeypatch mocker patch cache lru_cache cached_property globals vars setattr delattr getattr'),
  ],
  ['shared_state', words('setUpClass setUpModule setup_module setup_class capsys caplog Mock MagicMock')],
  ['unknown', words('eval exec compile __import__ __dict__ __subclasses__ __getattr__ __builtins__ importlib')],
]
const kindOfName = new Map(names.flatMap(([kind, own]) => [...own].map((name) => [name, kind] as const)))

const mutating = words('append extend insert remove pop popitem clear sort reverse update add discard setdefault')
const pureCalls = words(
  'compile namedtuple NamedTuple TypeVar NewType Decimal Fraction tuple int str float bool bytes range date datetime time timedelta object',
)

/** Finds what the result of the code can depend on beside its arguments. Says too much rather than too little. */
export function pythonDependences(root: SyntaxNode, text: (node: SyntaxNode) => string): Dependences {
  const found: Found[] = []
  const imports: string[] = []
  const add = (kind: DependenceKind, what: string, { start }: SyntaxNode) => void found.push({ kind, what, at: start })
  const shared = sharedNames(root, text)
  const fresh = freshNames(root, text)
  /** All objects that the function has not just made: a caller may pass a shared one. */
  const isShared = (name: string) => name !== 'self' && (shared.has(name) || !fresh.has(name))
  const changed = (target: SyntaxNode | undefined, at: SyntaxNode) => {
    if (!target || (target.type !== 'attribute' && target.type !== 'subscript')) return
    const name = rootName(target, text)
    if (name !== undefined && isShared(name)) {
      add('shared_state', `assignment to ${name}`, at)
    }
  }
  for (const node of nodesOf(root)) {
    switch (node.type) {
      case 'import_statement':
      case 'import_from_statement':
        for (const module of importedModules(node, text)) {
          if (!pureModules.has(module.split('.', 1)[0] ?? '')) imports.push(module)
        }
        break
      case 'global_statement':
      case 'nonlocal_statement':
        if (node.type === 'global_statement') add('shared_state', text(node), node)
        break
      case 'set':
      case 'set_comprehension':
        if (!isSearched(node)) add('chance', 'the order of a set', node)
        break
      case 'identifier': {
        const kind = kindOfName.get(text(node))
        const isKeyword = node.field === 'name' && node.parent?.type === 'keyword_argument'
        if (kind !== undefined && !isKeyword && !isOfRe(node, text)) add(kind, text(node), node)
        if (isKeyword && text(node) === 'scope') add('shared_state', 'a fixture that tests share', node)
        break
      }
      case 'assignment':
      case 'augmented_assignment':
        changed(child(node, 'left'), node)
        if (isOfModule(node) && !isLasting(child(node, 'right'), text)) {
          add('shared_state', `\`${text(child(node, 'left') ?? node)}\`, which tests share`, node)
        }
        break
      case 'delete_statement':
        for (const target of namedChildren(node)) changed(target, node)
        break
      case 'default_parameter':
      case 'typed_default_parameter': {
        const value = child(node, 'value')
        if (value && !isLasting(value, text)) add('shared_state', 'a default value that calls share', node)
        break
      }
      case 'call': {
        const path = calledName(node, text)
        const [name = ''] = path
        if (path.length > 1 && mutating.has(path.at(-1) ?? '') && isShared(name)) {
          add('shared_state', `${path.join('.')}()`, node)
        }
        break
      }
      default:
    }
  }
  return { found, imports }
}

const makesNew = words('list dict set sorted copy deepcopy split tuple Counter defaultdict deque OrderedDict')
const literals = words('list dictionary set list_comprehension dictionary_comprehension set_comprehension')

/** Names that only ever stand for an object that the function has just made. */
function freshNames(root: SyntaxNode, text: (node: SyntaxNode) => string): Set<string> {
  const fresh = new Map<string, boolean>()
  const note = (name: string, isNew: boolean) => void fresh.set(name, isNew && (fresh.get(name) ?? true))
  for (const node of nodesOf(root)) {
    if (node.type === 'assignment' || node.type === 'augmented_assignment') {
      const [left, right] = [child(node, 'left'), child(node, 'right')]
      if (left?.type === 'identifier') note(text(left), node.type === 'assignment' && isNewObject(right, text))
      else if (left && /list$|pattern/.test(left.type)) noteAll(left, text, note)
    } else if (node.type === 'for_statement' || node.type === 'for_in_clause' || node.type === 'as_pattern_target') {
      noteAll(child(node, 'left') ?? node, text, note)
    } else if (node.type === 'parameters' || node.type === 'lambda_parameters') noteAll(node, text, note)
  }
  return new Set([...fresh].flatMap(([name, isFresh]) => (isFresh ? name : [])))
}

function noteAll(
  pattern: SyntaxNode,
  text: (node: SyntaxNode) => string,
  note: (name: string, isNew: boolean) => void,
): void {
  for (const node of nodesOf(pattern)) if (node.type === 'identifier') note(text(node), false)
}

function isNewObject(value: SyntaxNode | undefined, text: (node: SyntaxNode) => string): boolean {
  if (value?.type !== 'call') return literals.has(value?.type ?? '')
  const name = calledName(value, text).at(-1) ?? ''
  return makesNew.has(name) || /^[A-Z]/.test(name)
}

/** `re.compile` is not the built-in function. */
const isOfRe = (node: SyntaxNode, text: (node: SyntaxNode) => string) =>
  node.parent?.type === 'attribute' && node.field === 'attribute' && text(node) === 'compile'

/** `value in {1, 2}` does not depend on the order. */
const isSearched = ({ parent }: SyntaxNode) =>
  parent?.type === 'comparison_operator' && parent.children.some(({ type }) => type === 'in' || type === 'not in')

function importedModules(node: SyntaxNode, text: (node: SyntaxNode) => string): string[] {
  const module = child(node, 'module_name')
  if (module) return [text(module)]
  return namedChildren(node).map((name) => text(name.type === 'aliased_import' ? (child(name, 'name') ?? name) : name))
}

const rootName = (node: SyntaxNode, text: (node: SyntaxNode) => string): string | undefined => {
  let inner: SyntaxNode | undefined = node
  while (inner && (inner.type === 'attribute' || inner.type === 'subscript')) {
    inner = child(inner, inner.type === 'attribute' ? 'object' : 'value')
  }
  return inner?.type === 'identifier' ? text(inner) : undefined
}

const isOfModule = (node: SyntaxNode) => around(node, 'function_definition', 'lambda') === undefined

/** Names of imports and of variables, functions and classes outside of functions. */
function sharedNames(root: SyntaxNode, text: (node: SyntaxNode) => string): Set<string> {
  const shared = new Set<string>()
  for (const node of nodesOf(root)) {
    if (node.type === 'assignment' && isOfModule(node)) {
      const left = child(node, 'left')
      if (left) for (const one of nodesOf(left)) if (one.type === 'identifier') shared.add(text(one))
    }
    if ((node.type === 'function_definition' || node.type === 'class_definition') && isOfModule(node)) {
      const name = child(node, 'name')
      if (name) shared.add(text(name))
    }
    if (node.type === 'import_statement' || node.type === 'import_from_statement') {
      for (const one of nodesOf(node)) if (one.type === 'identifier') shared.add(text(one))
    }
  }
  return shared
}

/** Whether nothing changes the value, unless code assigns to a part of it, which is found where it does. */
function isLasting(value: SyntaxNode | undefined, text: (node: SyntaxNode) => string): boolean {
  switch (value?.type) {
    case undefined:
      return true
    case 'list':
    case 'dictionary':
      return namedChildren(value).length > 0 && value.parent?.type === 'assignment'
    case 'call':
      return pureCalls.has(calledName(value, text).at(-1) ?? '')
    case 'list_comprehension':
    case 'dictionary_comprehension':
    case 'generator_expression':
    case 'await':
      return false
    default:
      return true
  }
}
