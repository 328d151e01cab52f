import type { Node } from 'web-tree-sitter'
import { branches, type Grammar, statements } from './grammar.ts'
import { declaredAfter } from './modifiers.ts'
import type { Walk } from './walk.ts'

export const java: Grammar = {
  wasm: 'java',
  rules: [
    { visit: '(package_declaration [(scoped_identifier) (identifier)] @it)', by: packageDeclaration },
    { visit: '(import_declaration) @it', by: importDeclaration },
    { visit: '[(class_declaration) (record_declaration) (enum_declaration)] @it', by: classDeclaration },
    { visit: '[(interface_declaration) (annotation_type_declaration)] @it', by: interfaceDeclaration },
    { visit: '[(method_declaration) (constructor_declaration) (compact_constructor_declaration)] @it', by: method },

    ...branches('if_statement', 'for_statement', 'enhanced_for_statement', 'while_statement', 'do_statement'),
    ...branches('catch_clause', 'ternary_expression', 'guard'),
    { branch: '(switch_label "case" @it)' },
    { branch: '(binary_expression operator: ["&&" "||"] @it)' },

    ...statements('expression_statement', 'local_variable_declaration', 'return_statement', 'if_statement'),
    ...statements('while_statement', 'for_statement', 'enhanced_for_statement', 'do_statement', 'break_statement'),
    ...statements('continue_statement', 'throw_statement', 'try_statement', 'try_with_resources_statement'),
    ...statements('synchronized_statement', 'assert_statement', 'yield_statement', 'explicit_constructor_invocation'),
    { statement: '(block (switch_expression) @it)' },
    { statement: '(field_declaration declarator: (variable_declarator value: (_) @it))' },

    { reference: '(method_invocation name: (identifier) @it)' },
    { reference: '(method_invocation object: (identifier) @it)', capitalized: true },
    { reference: '(field_access object: (identifier) @it)', capitalized: true },
    { reference: '(method_reference (identifier) @it)' },
    // Classes of the same package need no import: the types that a file names are what it depends on.
    { reference: '(type_identifier) @it' },
  ],
}

const annotations = new Set(['annotation', 'marker_annotation', 'line_comment', 'block_comment'])

function packageDeclaration(node: Node, walk: Walk): void {
  walk.facts.namespace ??= walk.text(node)
}

function importDeclaration(node: Node, walk: Walk): void {
  const path = node.namedChildren.find((child) => child.type === 'scoped_identifier' || child.type === 'identifier')
  if (!path) return
  const specifier = walk.text(path)
  const [isStatic, wildcard] = ['static', 'asterisk'].map((type) => node.children.some((child) => child.type === type))
  const last = specifier.slice(specifier.lastIndexOf('.') + 1)
  if (wildcard) walk.facts.import({ specifier, names: ['*'] })
  else if (isStatic) walk.facts.import({ specifier: specifier.slice(0, -last.length - 1), names: [last] })
  else walk.facts.import({ specifier, names: [last] })
}

function classDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  if (!walk.facts.scope) walk.facts.export({ name })
  walk.open(node, {
    name,
    kind: 'class',
    exported: hasModifier(node, 'public', walk) || inInterface(node),
    from: declaredAfter(node, annotations),
    bases: basesOf(node, walk),
  })
}

function interfaceDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  if (!walk.facts.scope) walk.facts.export({ name })
  walk.openNamespace(node, name, hasModifier(node, 'public', walk) || inInterface(node))
}

function method(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name || !node.childForFieldName('body') || inAnonymousClass(node)) return
  const exported = hasModifier(node, 'public', walk) || (inInterface(node) && !hasModifier(node, 'private', walk))
  walk.open(node, {
    name,
    kind: 'method',
    exported,
    from: declaredAfter(node, annotations),
    onlyIfBranching: walk.facts.scope?.inFunction === true,
    implicit: isAnnotated(node, walk),
  })
}

/** Annotations that say nothing about who calls a method. */
const remarks =
  /^@(?:\w+\.)*(?:Deprecated|SuppressWarnings|SafeVarargs|\w*Null\w*|CheckReturnValue|VisibleForTesting)\b/

/** Callers of the base call methods that override it; frameworks call methods with other annotations. */
function isAnnotated(node: Node, walk: Walk): boolean {
  const modifiers = node.firstNamedChild
  if (modifiers?.type !== 'modifiers') return false
  return modifiers.namedChildren.some((child) => child.type.endsWith('annotation') && !remarks.test(walk.text(child)))
}

function basesOf(node: Node, walk: Walk): string[] {
  const lists = [node.childForFieldName('superclass'), node.childForFieldName('interfaces')]
  return lists.flatMap((list) =>
    list ? list.descendantsOfType('type_identifier').flatMap((base) => (base ? [walk.text(base)] : [])) : [],
  )
}

function hasModifier(node: Node, modifier: string, walk: Walk): boolean {
  const modifiers = node.firstNamedChild
  if (modifiers?.type !== 'modifiers') return false
  return modifiers.children.some((child) => child.type === modifier && walk.text(child) === modifier)
}

function inInterface(node: Node): boolean {
  return node.parent?.type === 'interface_body'
}

/** Methods of `new Runnable() {…}` and of enum constants count to whatever they are written in. */
function inAnonymousClass(node: Node): boolean {
  const body = node.parent
  return body?.type === 'class_body' && body.parent?.type.endsWith('_declaration') === false
}
