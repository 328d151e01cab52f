import type { Node } from 'web-tree-sitter'
import { branches, type Grammar, type Rule, statements } from './grammar.ts'
import { externCrate, moduleDeclaration, useDeclaration } from './rust-imports.ts'
import type { Walk } from './walk.ts'

export const rust: Grammar = {
  wasm: 'rust',
  rules: [
    { visit: '(use_declaration) @it', by: useDeclaration },
    { visit: '(extern_crate_declaration) @it', by: externCrate },
    { visit: '(mod_item !body) @it', by: moduleDeclaration },
    { visit: '(mod_item body: (_)) @it', by: inlineModule },
    { visit: '(impl_item) @it', by: implementation },
    { visit: '(trait_item) @it', by: traitItem },
    { visit: '(function_item) @it', by: functionItem },
    {
      visit: '[(struct_item) (enum_item) (union_item) (const_item) (static_item) (type_item)] @it',
      by: exportItem,
    },

    ...branches('if_expression', 'while_expression', 'for_expression', 'loop_expression', 'match_arm'),
    { branch: '(match_arm pattern: (match_pattern . "_" .) @it)', count: -1 },
    { branch: '(match_pattern condition: (_) @it)' },
    { branch: '(let_declaration alternative: (_) @it)' },
    { branch: '(binary_expression operator: ["&&" "||"] @it)' },
    { branch: '(let_chain "&&" @it)' },

    ...statements('expression_statement', 'let_declaration'),
    { statement: '(block (_expression) @it)' },

    { reference: '(call_expression function: (identifier) @it)' },
    { reference: '(call_expression function: (field_expression field: (field_identifier) @it))' },
    { reference: '(call_expression function: (scoped_identifier name: (identifier) @it))' },
    { reference: '(call_expression function: (scoped_identifier path: (identifier) @it))' },
    { reference: '(generic_function function: (identifier) @it)' },
    { reference: '(generic_function function: (field_expression field: (field_identifier) @it))' },
    { reference: '(generic_function function: (scoped_identifier name: (identifier) @it))' },
    { reference: '(struct_expression name: (type_identifier) @it)' },
    { reference: '(struct_expression name: (scoped_type_identifier name: (type_identifier) @it))' },
    { reference: '(macro_invocation macro: (identifier) @it)' },
    // Arguments of macros are not parsed; a name before a bracket is a call as far as one can see.
    { reference: '(token_tree (identifier) @it . (token_tree))' },
    ...values('(arguments $)', '(field_initializer value: $)', '(let_declaration value: $)', '(array_expression $)'),
    ...values('(tuple_expression $)', '(assignment_expression right: $)', '(return_expression $)'),
    ...values('(block $ .)', '(match_arm value: $)', '(closure_expression body: $)', '(reference_expression value: $)'),
    ...values('(static_item value: $)', '(const_item value: $)'),
    { reference: '(impl_item trait: (type_identifier) @it)' },
    { reference: '(impl_item trait: (scoped_type_identifier name: (type_identifier) @it))' },
  ],
}

/** A function that is handed on by its name or path, in the place of `$`. */
function values(...patterns: string[]): Rule[] {
  return patterns.flatMap((pattern) => [
    { value: pattern.replace('$', '(identifier) @it') },
    { value: pattern.replace('$', '(scoped_identifier name: (identifier) @it)') },
  ])
}

function inlineModule(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  const test = isTest(node, walk)
  if (test) walk.facts.inlineTests = true
  exportItem(node, walk)
  walk.openNamespace(node, name, visibility(node, walk) === 'pub', test)
}

/** The methods of a trait are as visible as the trait, so that their implementations are too. */
function implementation(node: Node, walk: Walk): void {
  const type = node.childForFieldName('type')
  const name = type && typeName(walk.text(type))
  if (name) walk.openNamespace(node, name, true, isTest(node, walk))
}

function traitItem(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  exportItem(node, walk)
  walk.openNamespace(node, name, visibility(node, walk) === 'pub')
}

function functionItem(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  const owner = node.parent?.parent
  const test = isTest(node, walk)
  if (test) walk.facts.inlineTests = true
  const around = walk.facts.scope
  exportItem(node, walk)
  const implementsTrait = owner?.type === 'impl_item' && !!owner.childForFieldName('trait')
  const ofTrait = owner?.type === 'trait_item' || implementsTrait
  walk.open(node, {
    name,
    kind: owner?.type === 'impl_item' || owner?.type === 'trait_item' ? 'method' : 'function',
    exported: ofTrait || visibility(node, walk) === 'pub',
    test,
    onlyIfBranching: around?.inFunction === true,
    // All users of the trait may call it: operators, macros and other crates.
    implicit: implementsTrait,
  })
}

/** What other files can name: items at the top of the file that are visible outside of it. */
function exportItem(node: Node, walk: Walk): void {
  if (walk.facts.scope) return
  const name = walk.fieldText(node, 'name')
  if (name && visibility(node, walk)) walk.facts.export({ name })
}

/** `pub` for what everybody may use, the restricted form for what the crate may, undefined for private items. */
function visibility(node: Node, walk: Walk): string | undefined {
  const modifier = node.firstNamedChild
  return modifier?.type === 'visibility_modifier' ? walk.text(modifier) : undefined
}

/** `Vec` for `&'a mut collections::Vec<T>`. */
function typeName(type: string): string | undefined {
  return type.replace(/<[^]*$/, '').match(/(?<!\w)(\w+)\W*$/)?.[1]
}

const testAttribute = /^#\[\s*(?:[\w:]+::)?(?:test|rstest|test_case|bench|wasm_bindgen_test|quickcheck)\b/
const testConfiguration = /^#\[\s*cfg\((?!\s*not\b)[^]*\btest\b/

/** Attributes are siblings that come before the item. */
function isTest(node: Node, walk: Walk): boolean {
  let sibling = node.previousNamedSibling
  while (sibling && (sibling.type === 'attribute_item' || sibling.type.endsWith('comment'))) {
    const text = walk.text(sibling)
    if (testAttribute.test(text) || testConfiguration.test(text)) return true
    sibling = sibling.previousNamedSibling
  }
  return false
}
