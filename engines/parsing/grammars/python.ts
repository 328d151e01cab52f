import type { Node } from 'web-tree-sitter'
import { branches, type Grammar, type Rule, statements } from './grammar.ts'
import { memberCall, pythonGlobals, receiverRules } from './python-receivers.ts'
import type { Walk } from './walk.ts'

export const python: Grammar = {
  wasm: 'python',
  globals: pythonGlobals,
  rules: [
    { visit: '(import_statement) @it', by: importModules },
    { visit: '(import_from_statement) @it', by: importNames },
    {
      visit: '(call function: [(identifier) (attribute)] arguments: (argument_list . (string) .)) @it',
      by: importCall,
    },
    {
      visit:
        '(call function: (identifier) arguments: (argument_list . (_) . [(string) (binary_operator) (identifier)])) @it',
      by: attributeCall,
    },
    { visit: '(string_content) @it', by: template },
    { visit: '(class_definition) @it', by: classDefinition },
    { visit: '(function_definition) @it', by: functionDefinition },
    { visit: '(assignment left: (identifier) right: (lambda)) @it', by: namedLambda },
    { visit: '(assignment left: (identifier) @it)', by: exportName },

    ...branches('if_statement', 'elif_clause', 'for_statement', 'while_statement', 'except_clause', 'case_clause'),
    ...branches('conditional_expression', 'boolean_operator', 'for_in_clause', 'if_clause'),
    { branch: '(case_clause . (case_pattern . "_" .) @it)', count: -1 },

    ...statements('if_statement', 'for_statement', 'while_statement', 'try_statement', 'with_statement'),
    ...statements('match_statement', 'expression_statement', 'return_statement', 'raise_statement'),
    ...statements('assert_statement', 'delete_statement', 'break_statement', 'continue_statement'),
    { statement: '(lambda body: (_) @it)' },
    // Doc strings and the `...` of stubs do nothing.
    { statement: '(expression_statement . [(string) (ellipsis)] @it .)', count: -1 },

    { reference: '(call function: (identifier) @it)', bare: true },
    { visit: '(call function: (attribute) @it)', by: memberCall },
    { reference: '(call function: (attribute object: (identifier) @it))', capitalized: true, bare: true },
    ...receiverRules,
    { reference: '(class_definition superclasses: (argument_list (identifier) @it))' },
    { reference: '(class_definition superclasses: (argument_list (attribute attribute: (identifier) @it)))' },
    { reference: '(decorator (identifier) @it)' },
    { reference: '(decorator (attribute attribute: (identifier) @it))' },

    ...values('(argument_list $)', '(keyword_argument value: $)', '(assignment right: $)', '(return_statement $)'),
    ...values('(list $)', '(tuple $)', '(set $)', '(pair value: $)', '(default_parameter value: $)', '(yield $)'),
    ...values('(typed_default_parameter value: $)', '(named_expression value: $)', '(lambda body: $)'),
    ...values('(conditional_expression $)', '(boolean_operator $)', '(expression_list $)'),
    // A call may name a method of its own by a text.
    { value: '(argument_list . (string . (string_start) . (string_content) @it . (string_end) .))' },
    // A property is read like a field.
    { value: '(attribute object: (identifier) attribute: (identifier) @it)' },
  ],
}

/** A name, or the last part of a dotted one, in the place of `$`. */
function values(...patterns: string[]): Rule[] {
  return patterns.flatMap((pattern) => [
    { value: pattern.replace('$', '(identifier) @it') },
    { visit: pattern.replace('$', '(attribute) @it'), by: memberValue },
  ])
}

/** A member of an imported module is used wherever it is written: `staticmethod(cache.func.lru_cache)`. */
function memberValue(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'attribute')
  if (name === undefined) return
  let object = node.childForFieldName('object')
  while (object?.type === 'attribute') object = object.childForFieldName('object')
  if (object?.type === 'identifier') walk.facts.uses.valueOf(name, walk.text(object))
  else walk.facts.uses.value(name)
}

function importModules(node: Node, walk: Walk): void {
  const typeOnly = onlyForTypes(node, walk)
  for (const child of node.namedChildren) {
    const name = child.type === 'aliased_import' ? walk.fieldText(child, 'name') : walk.text(child)
    if (!name) continue
    const alias = child.type === 'aliased_import' ? walk.fieldText(child, 'alias') : undefined
    walk.facts.uses.receivers?.import(alias ?? name.split('.', 1)[0] ?? name, name)
    walk.facts.import({ specifier: name, names: ['*'], ...(typeOnly && { typeOnly }) })
  }
}

function importNames(node: Node, walk: Walk): void {
  const module = node.childForFieldName('module_name')
  if (!module) return
  const specifier = walk.text(module).replace(/\s+/g, '')
  const names: string[] = []
  const locals: string[] = []
  // Other modules can import from a module the names that it imports at its top level.
  const passedOn = !walk.facts.scope
  for (const child of node.namedChildren) {
    if (child.id === module.id) continue
    if (child.type === 'wildcard_import') {
      names.push('*')
      locals.push('*')
      if (passedOn) walk.facts.export({ name: '*', from: specifier })
      continue
    }
    const aliased = child.type === 'aliased_import'
    if (!aliased && child.type !== 'dotted_name') continue
    const name = aliased ? walk.fieldText(child, 'name') : walk.text(child)
    if (!name) continue
    names.push(name)
    const local = aliased ? walk.fieldText(child, 'alias') : name
    locals.push(local ?? name)
    walk.facts.uses.receivers?.import(local ?? name, specifier)
    if (!passedOn || !local) continue
    walk.facts.export(local === name ? { name, from: specifier } : { name: local, local: name, from: specifier })
  }
  const typeOnly = onlyForTypes(node, walk)
  const renamed = locals.some((local, index) => local !== names[index])
  const fact = { specifier, names, ...(renamed && { locals }), ...(typeOnly && { typeOnly }) }
  if (isGlobal(node)) walk.facts.import(fact)
  else walk.facts.localImport(fact)
}

/** A function that declares a name as global imports it for the whole module. */
function isGlobal(node: Node): boolean {
  let around = node.parent
  while (around && around.type !== 'function_definition') around = around.parent
  return around?.childForFieldName('body')?.namedChildren.some(({ type }) => type === 'global_statement') === true
}

/** Imports below `if TYPE_CHECKING:` never run. */
function onlyForTypes(node: Node, walk: Walk): boolean {
  const statement = node.parent?.parent
  if (statement?.type !== 'if_statement') return false
  return /\bTYPE_CHECKING$/.test(walk.fieldText(statement, 'condition') ?? '')
}

/** `importlib.import_module('a.b')` and `__import__('a.b')`. */
function importCall(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'function')
  if (name !== '__import__' && name !== 'import_module' && name !== 'importlib.import_module') return
  const specifier = node
    .childForFieldName('arguments')
    ?.firstNamedChild?.namedChildren.find((part) => part.type === 'string_content')
  if (specifier) walk.facts.import({ specifier: walk.text(specifier), names: ['*'] })
}

function template(node: Node, walk: Walk): void {
  walk.facts.uses.template(walk.text(node))
}

/** `getattr(self, "visit_" + name)` may call any member of that name's beginning. */
function attributeCall(node: Node, walk: Walk): void {
  if (walk.fieldText(node, 'function') !== 'getattr') return
  const [object, name] = node.childForFieldName('arguments')?.namedChildren ?? []
  if (!object || !name) return
  const prefix = beginning(name, walk)
  const [whole] = name.type === 'string' && name.namedChildren.every(isPlain) ? [prefix] : []
  if (whole) return walk.facts.uses.reference(whole)
  if (!['self', 'cls'].includes(walk.text(object))) return
  // The value of an attribute that only the caller knows is no call by itself.
  const { parent } = node
  const variable = parent?.type === 'assignment' ? walk.fieldText(parent, 'left') : undefined
  if (prefix !== '' || parent?.type === 'call') walk.facts.uses.dispatch(prefix)
  else if (variable !== undefined) walk.facts.uses.dispatch(prefix, variable)
}

const isPlain = ({ type }: Node) => type === 'string_start' || type === 'string_content' || type === 'string_end'

/** The known beginning of a composed text: of `f"on_{x}"`, `"on_" + x`, `"on_%s" % x` and `"on_{}".format(x)`. */
function beginning(node: Node, walk: Walk): string {
  if (node.type === 'binary_operator') {
    const left = node.childForFieldName('left')
    return left ? beginning(left, walk) : ''
  }
  if (node.type !== 'string') return ''
  const [first] = node.namedChildren.filter(({ type }) => type !== 'string_start')
  return first?.type === 'string_content' ? walk.text(first).replace(/%.*$/s, '') : ''
}

function classDefinition(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  if (!walk.facts.scope) walk.facts.export({ name })
  const bases = node.childForFieldName('superclasses')?.namedChildren.flatMap((base) => lastName(base, walk) ?? [])
  walk.open(node, { name, kind: 'class', exported: isPublic(name), bases: bases ?? [] })
}

/** `Base` of `lib.Base` and of `Base[int]`. */
function lastName(node: Node, walk: Walk): string | undefined {
  if (node.type === 'identifier') return walk.text(node)
  if (node.type === 'attribute') return walk.fieldText(node, 'attribute')
  const value = node.type === 'subscript' ? node.childForFieldName('value') : null
  return value ? lastName(value, walk) : undefined
}

function functionDefinition(node: Node, walk: Walk): void {
  openFunction(node, walk, walk.fieldText(node, 'name'))
}

function namedLambda(node: Node, walk: Walk): void {
  openFunction(node, walk, walk.fieldText(node, 'left'))
}

function openFunction(node: Node, walk: Walk, name: string | undefined): void {
  if (!name) return
  const around = walk.facts.scope
  if (!around) walk.facts.export({ name })
  walk.open(node, {
    name,
    kind: around?.symbol?.kind === 'class' ? 'method' : 'function',
    exported: isPublic(name),
    onlyIfBranching: around?.inFunction === true,
    implicit: node.parent?.type === 'decorated_definition',
  })
}

function exportName(node: Node, walk: Walk): void {
  if (walk.facts.scope === undefined) walk.facts.export({ name: walk.text(node) })
}

function isPublic(name: string): boolean {
  return !name.startsWith('_') || (name.startsWith('__') && name.endsWith('__'))
}
