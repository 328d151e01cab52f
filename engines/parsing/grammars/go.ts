import type { Node } from 'web-tree-sitter'
import { branches, type Grammar, type Rule, statements } from './grammar.ts'
import type { Walk } from './walk.ts'

export const go: Grammar = {
  wasm: 'go',
  rules: [
    { visit: '(package_clause (package_identifier) @it)', by: packageClause },
    { visit: '(import_spec) @it', by: importSpec },
    { visit: '(function_declaration) @it', by: functionDeclaration },
    { visit: '(method_declaration) @it', by: methodDeclaration },
    // Patterns that start at the root of the file would stay open, and cost, until its end.
    { visit: '(var_spec) @it', by: packageVariable },
    {
      visit: '(keyed_element key: (literal_element (identifier)) value: (literal_element (func_literal))) @it',
      by: fieldFunction,
    },
    {
      visit:
        '(short_var_declaration left: (expression_list . (identifier) .) right: (expression_list . (func_literal) .)) @it',
      by: localFunction,
    },
    { visit: '[(interpreted_string_literal) (raw_string_literal)] @it', by: template },
    { visit: '[(type_spec) (type_alias) (const_spec)] @it', by: exportNames },

    ...branches('if_statement', 'for_statement', 'expression_case', 'type_case', 'communication_case'),
    { branch: '(binary_expression operator: ["&&" "||"] @it)' },

    ...statements('expression_statement', 'send_statement', 'inc_statement', 'dec_statement', 'assignment_statement'),
    ...statements('short_var_declaration', 'var_declaration', 'return_statement', 'go_statement', 'defer_statement'),
    ...statements('if_statement', 'for_statement', 'expression_switch_statement', 'type_switch_statement'),
    ...statements('select_statement', 'break_statement', 'continue_statement', 'goto_statement'),
    ...statements('fallthrough_statement'),

    { reference: '(call_expression function: (identifier) @it)' },
    { reference: '(call_expression function: (selector_expression field: (field_identifier) @it))' },
    { reference: '(call_expression function: (index_expression operand: (identifier) @it))' },
    {
      reference:
        '(call_expression function: (index_expression operand: (selector_expression field: (field_identifier) @it)))',
    },
    // A generic call with one argument looks like a conversion.
    { reference: '(type_conversion_expression type: (generic_type type: (type_identifier) @it))' },
    {
      reference: '(type_conversion_expression type: (generic_type type: (qualified_type name: (type_identifier) @it)))',
    },
    { reference: '(composite_literal type: (type_identifier) @it)' },
    { reference: '(composite_literal type: (qualified_type name: (type_identifier) @it))' },
    { reference: '(composite_literal type: (generic_type type: (type_identifier) @it))' },
    // Functions are handed on by name, also those that other files of the package declare.
    ...locals('(parameter_declaration name: (identifier) @it)', '(var_spec name: (identifier) @it)'),
    ...locals('(short_var_declaration left: (expression_list (identifier) @it))'),
    ...locals('(range_clause left: (expression_list (identifier) @it))'),
    ...values('(argument_list $)', '(short_var_declaration right: (expression_list $))'),
    ...values('(assignment_statement right: (expression_list $))', '(return_statement (expression_list $))'),
    ...values('(var_spec value: (expression_list $))', '(keyed_element value: (literal_element $))'),
    ...values('(literal_value (literal_element $))'),

    // Embedding is Go's inheritance.
    { reference: '(field_declaration !name type: (type_identifier) @it)' },
    { reference: '(field_declaration !name type: (qualified_type name: (type_identifier) @it))' },
  ],
}

function locals(...patterns: string[]): Rule[] {
  return patterns.map((visit) => ({ visit, by: (node, walk) => walk.facts.uses.local(walk.text(node)) }))
}

/** A name, or the field of a package or value, in the place of `$`. */
function values(...patterns: string[]): Rule[] {
  return patterns.flatMap((pattern) => [
    { value: pattern.replace('$', '(identifier) @it') },
    { value: pattern.replace('$', '(selector_expression field: (field_identifier) @it)') },
  ])
}

function template(node: Node, walk: Walk): void {
  walk.facts.uses.template(walk.text(node))
}

function packageClause(node: Node, walk: Walk): void {
  walk.facts.namespace ??= walk.text(node)
}

function importSpec(node: Node, walk: Walk): void {
  const path = walk.fieldText(node, 'path')?.slice(1, -1)
  if (!path) return
  const onlyForEffect = node.childForFieldName('name')?.type === 'blank_identifier'
  walk.facts.import({ specifier: path, names: onlyForEffect ? [] : ['*'] })
}

function functionDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  if (isExported(name)) walk.facts.export({ name })
  if (node.childForFieldName('body')) walk.open(node, { name, kind: 'function', exported: isExported(name) })
}

function methodDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  const receiver = node.childForFieldName('receiver')?.firstNamedChild?.childForFieldName('type')
  const type =
    receiver &&
    walk
      .text(receiver)
      .replace(/^[*(\s]+/, '')
      .match(/^\w+/)?.[0]
  if (!name || !type || !node.childForFieldName('body')) return
  walk.open(node, { name: `${type}.${name}`, kind: 'method', exported: isExported(name) && isExported(type) })
}

/** `var handle = func() {…}`, and the functions in the fields of a value: `var command = Command{Run: func() {…}}`. */
function packageVariable(node: Node, walk: Walk): void {
  if (walk.facts.scope) return
  const names = exportNames(node, walk)
  const [name] = names
  const value = node.childForFieldName('value')?.firstNamedChild
  if (!name || !value || names.length > 1) return
  if (value.type === 'func_literal') walk.open(node, { name, kind: 'function', exported: isExported(name) })
  else walk.openNamespace(node, name, isExported(name))
}

function fieldFunction(node: Node, walk: Walk): void {
  const around = walk.facts.scope
  const name = walk.fieldText(node, 'key')
  if (!name || !around || around.inFunction) return
  walk.open(node, { name, kind: 'method', exported: isExported(name) })
}

function localFunction(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'left')
  if (name) walk.open(node, { name, kind: 'function', exported: false, onlyIfBranching: true })
}

/** The names that a declaration at the top of the file gives, exported or not. */
function exportNames(node: Node, walk: Walk): string[] {
  if (walk.facts.scope) return []
  const names = node.childrenForFieldName('name').map((name) => walk.text(name))
  for (const name of names) if (isExported(name)) walk.facts.export({ name })
  return names
}

function isExported(name: string): boolean {
  return /^\p{Lu}/u.test(name)
}
