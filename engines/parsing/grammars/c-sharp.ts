import type { Node } from 'web-tree-sitter'
import { branches, type Grammar, type Rule, statements } from './grammar.ts'
import { declaredAfter } from './modifiers.ts'
import type { Walk } from './walk.ts'

export const cSharp: Grammar = {
  wasm: 'c-sharp',
  rules: [
    { visit: '[(namespace_declaration) (file_scoped_namespace_declaration)] @it', by: namespaceDeclaration },
    { visit: '(using_directive) @it', by: usingDirective },
    { visit: '[(class_declaration) (struct_declaration) (record_declaration)] @it', by: classDeclaration },
    { visit: '(interface_declaration) @it', by: interfaceDeclaration },
    { visit: '[(enum_declaration) (delegate_declaration)] @it', by: typeWithoutCode },
    { visit: '(method_declaration) @it', by: methodDeclaration },
    { visit: '[(constructor_declaration) (destructor_declaration)] @it', by: constructorDeclaration },
    { visit: '[(operator_declaration) (conversion_operator_declaration)] @it', by: operatorDeclaration },
    { visit: '[(property_declaration) (indexer_declaration)] @it', by: propertyDeclaration },
    { visit: '(local_function_statement) @it', by: localFunction },

    ...branches('if_statement', 'for_statement', 'foreach_statement', 'while_statement', 'do_statement'),
    ...branches('catch_clause', 'catch_filter_clause', 'when_clause', 'conditional_expression'),
    ...branches('switch_expression_arm'),
    { branch: '(switch_expression_arm . (discard) @it)', count: -1 },
    { branch: '(switch_section "case" @it)' },
    { branch: '(binary_expression operator: ["&&" "||" "??"] @it)' },
    { branch: '(assignment_expression operator: "??=" @it)' },

    ...statements('expression_statement', 'local_declaration_statement', 'return_statement', 'if_statement'),
    ...statements('for_statement', 'foreach_statement', 'while_statement', 'do_statement', 'switch_statement'),
    ...statements('break_statement', 'continue_statement', 'throw_statement', 'try_statement', 'using_statement'),
    ...statements('lock_statement', 'yield_statement', 'goto_statement', 'arrow_expression_clause'),
    { statement: '(field_declaration (variable_declaration (variable_declarator "=" @it)))' },

    { reference: '(invocation_expression function: (identifier) @it)' },
    { reference: '(invocation_expression function: (generic_name (identifier) @it))' },
    { reference: '(invocation_expression function: (member_access_expression name: (identifier) @it))' },
    { reference: '(invocation_expression function: (member_access_expression name: (generic_name (identifier) @it)))' },
    {
      reference:
        '(invocation_expression function: (conditional_access_expression (member_binding_expression name: (identifier) @it)))',
    },
    { reference: '(member_access_expression expression: (identifier) @it)', capitalized: true },
    { value: '(argument (member_access_expression name: (identifier) @it))' },
    { value: '(assignment_expression right: (member_access_expression name: (identifier) @it))' },
    ...values('(argument $)', '(assignment_expression right: $)', '(variable_declarator (identifier) $)'),
    ...values('(property_declaration value: $)', '(return_statement $)', '(arrow_expression_clause $)'),
    ...values('(lambda_expression body: $)', '(initializer_expression $)', '(switch_expression_arm (_) $ .)'),
    ...values('(conditional_expression consequence: $)', '(conditional_expression alternative: $)'),
    ...values('(binary_expression left: $ operator: "??")', '(binary_expression operator: "??" right: $)'),
    // Types of the same or an outer namespace need no using: those that a file names are what it depends on.
    { reference: '(object_creation_expression type: (identifier) @it)' },
    { reference: '(object_creation_expression type: (qualified_name name: (identifier) @it))' },
    { reference: '(generic_name (identifier) @it)' },
    { reference: '(type_argument_list (identifier) @it)' },
    { reference: '(base_list (identifier) @it)' },
    { reference: '(base_list (qualified_name name: (identifier) @it))' },
    { reference: '(parameter type: (identifier) @it)' },
    { reference: '(variable_declaration type: (identifier) @it)' },
    { reference: '(property_declaration type: (identifier) @it)' },
    { reference: '(method_declaration returns: (identifier) @it)' },
    { reference: '(nullable_type (identifier) @it)' },
    { reference: '(array_type type: (identifier) @it)' },
    { reference: '(cast_expression type: (identifier) @it)' },
    { reference: '(typeof_expression type: (identifier) @it)' },
  ],
}

/** A method of the own class in the place of `$`. */
function values(...patterns: string[]): Rule[] {
  return patterns.flatMap((pattern) => [
    { value: pattern.replace('$', '(identifier) @it') },
    { value: pattern.replace('$', '(member_access_expression expression: "this" name: (identifier) @it)') },
  ])
}

const attributes = new Set(['attribute_list', 'comment'])

function namespaceDeclaration(node: Node, walk: Walk): void {
  walk.facts.namespace ??= walk.fieldText(node, 'name')
}

function usingDirective(node: Node, walk: Walk): void {
  const alias = node.childForFieldName('name')
  const target = node.namedChildren.find((child) => child.id !== alias?.id)
  if (!target) return
  const specifier = walk.text(target).replace(/<[^]*$/, '')
  const names = alias ? [specifier.slice(specifier.lastIndexOf('.') + 1)] : ['*']
  walk.facts.import({ specifier, names })
}

function classDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  if (!walk.facts.scope) walk.facts.export({ name })
  const list = node.namedChildren.find(({ type }) => type === 'base_list')
  const bases = list?.namedChildren.map((base) => walk.text(base).replace(/<.*$/s, '').replace(/^.*\./s, ''))
  const exported = typeIsVisible(node, walk)
  walk.open(node, { name, kind: 'class', exported, from: declaredAfter(node, attributes), bases: bases ?? [] })
}

function interfaceDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  if (!walk.facts.scope) walk.facts.export({ name })
  walk.openNamespace(node, name, typeIsVisible(node, walk))
}

function typeWithoutCode(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (name && !walk.facts.scope) walk.facts.export({ name })
}

function methodDeclaration(node: Node, walk: Walk): void {
  member(node, walk, walk.fieldText(node, 'name'))
}

function constructorDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  member(node, walk, name && node.type === 'destructor_declaration' ? `~${name}` : name)
}

function operatorDeclaration(node: Node, walk: Walk): void {
  const operator = walk.fieldText(node, 'operator') ?? walk.fieldText(node, 'type')
  member(node, walk, operator && `operator ${operator}`, true)
}

/** Most properties only hand out a value; those that decide something are worth a symbol. */
function propertyDeclaration(node: Node, walk: Walk): void {
  const name = node.type === 'indexer_declaration' ? 'this[]' : walk.fieldText(node, 'name')
  if (!name) return
  walk.open(node, {
    name,
    kind: 'method',
    exported: memberIsVisible(node, walk),
    from: declaredAfter(node, attributes),
    onlyIfBranching: true,
    implicit: true,
  })
}

function localFunction(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (name) walk.open(node, { name, kind: 'function', exported: false, onlyIfBranching: true })
}

function member(node: Node, walk: Walk, name: string | undefined, runsBySyntax = false): void {
  if (!name || !node.childForFieldName('body')) return
  const exported = memberIsVisible(node, walk)
  // Callers of the base call methods that override it; frameworks call methods with attributes.
  const implicit =
    runsBySyntax ||
    modifiersOf(node, walk).includes('override') ||
    node.namedChildren.some(({ type }) => type === 'attribute_list')
  walk.open(node, { name, kind: 'method', exported, from: declaredAfter(node, attributes), implicit })
}

function modifiersOf(node: Node, walk: Walk): string[] {
  return node.children.filter((child) => child.type === 'modifier').map((child) => walk.text(child))
}

/** Types are internal when nothing else is said, unless another type encloses them. */
function typeIsVisible(node: Node, walk: Walk): boolean {
  const modifiers = modifiersOf(node, walk)
  if (modifiers.includes('private') || modifiers.includes('file')) return false
  if (modifiers.includes('public') || modifiers.includes('internal')) return true
  return !modifiers.includes('protected') && walk.facts.scope === undefined
}

function memberIsVisible(node: Node, walk: Walk): boolean {
  const modifiers = modifiersOf(node, walk)
  if (modifiers.includes('public') || modifiers.includes('internal')) return true
  return walk.facts.scope?.symbol === null && !modifiers.includes('private')
}
