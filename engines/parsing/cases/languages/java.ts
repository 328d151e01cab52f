import type { SourceTree } from '../../description/source-tree.ts'
import { child, namedChildren, type SyntaxNode } from '../../syntax-tree.ts'
import { type CaseLanguage, climb, type Construct, type Ending } from '../construct.ts'
import { resultText, thrown } from '../text.ts'
import { headerOf, inside, messageOf, ofType, operatorOf, shortCircuit, testLoop } from './shared.ts'

export const java: CaseLanguage = {
  blocks: new Set(['block', 'constructor_body', 'switch_block_statement_group']),
  wrappers: new Set([]),
  functions: new Set(['method_declaration', 'constructor_declaration', 'lambda_expression']),
  not: '!',
  countsValues: true,
  constructs,
  ending,
  isReturned,
}

function isReturned(node: SyntaxNode): boolean {
  return climb(node, (inner, parent) => {
    switch (parent.type) {
      case 'return_statement':
        return true
      case 'lambda_expression':
        return inner.field === 'body' && inner.type !== 'block'
      case 'parenthesized_expression':
      case 'switch_rule':
      case 'switch_block':
      case 'cast_expression':
        return undefined
      case 'ternary_expression':
      case 'switch_expression':
        return inner.field === 'condition' ? false : undefined
      default:
        return false
    }
  })
}

function constructs(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  switch (node.type) {
    case 'if_statement':
    case 'ternary_expression': {
      const test = child(node, 'condition')
      const otherwise = child(node, 'alternative')
      if (!test) return []
      return [
        {
          kind: 'choice',
          test: inside(test),
          onTrue: child(node, 'consequence') ?? null,
          onFalse: otherwise?.type === 'if_statement' ? 'chained' : (otherwise ?? null),
          isValue: node.type === 'ternary_expression',
        },
      ]
    }
    case 'binary_expression':
      return isReturned(node) ? shortCircuit(child(node, 'left'), operatorOf(node, tree)) : []
    case 'enhanced_for_statement': {
      const over = child(node, 'value')
      return over ? [{ kind: 'loop', over, body: child(node, 'body') }] : []
    }
    case 'for_statement':
    case 'while_statement':
      return testLoop(node, child(node, 'condition'), tree)
    case 'switch_expression':
    case 'switch_statement': {
      const body = child(node, 'body')
      if (!body) return []
      const arms = ofType(body, 'switch_rule', 'switch_block_statement_group').map((arm) => {
        const labels = ofType(arm, 'switch_label')
        const rest = namedChildren(arm).filter(({ type }) => type !== 'switch_label')
        const last = labels.at(-1)
        const header = { start: arm.start, end: last?.end ?? arm.end }
        const isDefault = labels.some((label) => /\bdefault$/.test(tree.text(label)))
        const falls = arm.type === 'switch_block_statement_group'
        return { node: arm, header, body: rest, isDefault, falls }
      })
      const isExpression = !/^(?:expression_statement|block|switch_block_statement_group)$/.test(
        node.parent?.type ?? '',
      )
      const without = isExpression ? 'impossible' : 'nothing'
      return [{ kind: 'switch', head: headerOf(node, body, tree), arms, without }]
    }
    case 'try_statement':
    case 'try_with_resources_statement': {
      const tried = child(node, 'body')
      if (!tried) return []
      const handlers = ofType(node, 'catch_clause').flatMap((clause) => {
        const [body] = ofType(clause, 'block')
        return body ? [{ header: headerOf(clause, body, tree), body }] : []
      })
      return [{ kind: 'handlers', tried, handlers }]
    }
    case 'assert_statement': {
      const [test, message] = namedChildren(node)
      const text = message?.type === 'string_literal' ? tree.text(message) : undefined
      return test ? [{ kind: 'guard', test, result: thrown('AssertionError', text) }] : []
    }
    case 'method_invocation':
      return guards(node, tree)
    default:
      return []
  }
}

/** What `java.util.Objects` and Guava's `Preconditions` throw. */
const preconditions: Readonly<Record<string, string>> = {
  checkArgument: 'IllegalArgumentException',
  checkState: 'IllegalStateException',
}

function guards(node: SyntaxNode, tree: SourceTree): Construct[] {
  const name = child(node, 'name')
  const args = child(node, 'arguments')
  const [test] = args ? namedChildren(args) : []
  if (!name || !test) return []
  const called = tree.text(name)
  const message = messageOf(args, tree)
  if (called === 'requireNonNull' || called === 'checkNotNull') {
    return [{ kind: 'guard', test, state: 'is null', result: thrown('NullPointerException', message) }]
  }
  const type = Object.hasOwn(preconditions, called) ? preconditions[called] : undefined
  return type ? [{ kind: 'guard', test, result: thrown(type, message) }] : []
}

function ending(node: SyntaxNode, tree: SourceTree): Ending | undefined {
  switch (node.type) {
    case 'return_statement':
    case 'yield_statement': {
      const [value] = namedChildren(node)
      return value ? { outcome: 'returns', result: resultText(tree.text(value)) } : { outcome: 'early_return' }
    }
    case 'throw_statement': {
      const [value] = namedChildren(node)
      if (!value) return undefined
      const type = child(value, 'type')
      if (value.type !== 'object_creation_expression' || !type) {
        return { outcome: 'throws', result: resultText(tree.text(value)) }
      }
      return { outcome: 'throws', result: thrown(tree.text(type), messageOf(child(value, 'arguments'), tree)) }
    }
    case 'continue_statement':
    case 'break_statement':
      return { outcome: 'early_return', result: resultText(tree.text(node).replace(/;$/, '')) }
    default:
      return undefined
  }
}
