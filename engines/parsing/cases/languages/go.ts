import type { SourceTree } from '../../description/source-tree.ts'
import { child, namedChildren, type SyntaxNode } from '../../syntax-tree.ts'
import { type CaseLanguage, climb, type Construct, type Ending, type Span } from '../construct.ts'
import { resultText, thrown } from '../text.ts'
import { headerOf, messageOf, ofType, operatorOf, shortCircuit } from './shared.ts'

export const go: CaseLanguage = {
  blocks: new Set(['statement_list', 'block']),
  wrappers: new Set(['block']),
  functions: new Set(['function_declaration', 'method_declaration', 'func_literal']),
  not: '!',
  countsValues: false,
  constructs,
  ending,
  isReturned,
}

function isReturned(node: SyntaxNode): boolean {
  return climb(node, (_, parent) => {
    if (parent.type === 'return_statement') return true
    if (parent.type === 'parenthesized_expression') return undefined
    return parent.type === 'expression_list' && namedChildren(parent).length === 1 ? undefined : false
  })
}

function constructs(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  switch (node.type) {
    case 'if_statement': {
      const test = child(node, 'condition')
      const otherwise = child(node, 'alternative')
      const first = child(node, 'initializer')
      if (!test) return []
      const after = first ? undefined : assignedBefore(node, test, tree)
      return [
        {
          kind: 'choice',
          test,
          onTrue: child(node, 'consequence') ?? null,
          onFalse: otherwise?.type === 'if_statement' ? 'chained' : (otherwise ?? null),
          isValue: false,
          ...(first && { from: first.start }),
          ...(after && { after }),
        },
      ]
    }
    case 'binary_expression':
      return isReturned(node) ? shortCircuit(child(node, 'left'), operatorOf(node, tree)) : []
    case 'for_statement': {
      const body = child(node, 'body')
      const [range] = ofType(node, 'range_clause')
      const over = range && child(range, 'right')
      const left = range && child(range, 'left')
      // With one variable it may be a number or a channel, too.
      const isCollection = left !== undefined && namedChildren(left).length > 1
      if (over) return [{ kind: 'loop', over, ...(!isCollection && { state: 'is 0, empty or closed' }), body }]
      const [clause] = ofType(node, 'for_clause')
      const test = clause ? child(clause, 'condition') : namedChildren(node).find((one) => one !== body)
      return test && tree.text({ start: test.start, end: Math.min(test.end, test.start + 5) }) !== 'true'
        ? [{ kind: 'loop', test, body }]
        : []
    }
    case 'expression_switch_statement':
    case 'type_switch_statement':
    case 'select_statement':
      return choices(node, tree)
    default:
      return []
  }
}

const armTypes = ['expression_case', 'type_case', 'communication_case', 'default_case']

function choices(node: SyntaxNode, tree: SourceTree): Construct[] {
  const opening = node.children.find(({ type }) => type === '{')
  const arms = ofType(node, ...armTypes).map((arm) => {
    const body = ofType(arm, 'statement_list')
    return { node: arm, header: headerOf(arm, body[0], tree), body, isDefault: arm.type === 'default_case' }
  })
  // A case without statements does nothing here; it does not go on with the next one.
  const ownArms = arms.filter(({ body }) => body.length > 0)
  const without = node.type === 'select_statement' ? 'impossible' : 'nothing'
  const hasEmptyDefault = arms.some(({ isDefault, body }) => isDefault && body.length === 0)
  const head = headerOf(node, opening, tree)
  return [{ kind: 'switch', head, arms: ownArms, without: hasEmptyDefault ? 'impossible' : without }]
}

/** The statement before `if err != nil` that assigns what it asks for. */
function assignedBefore(node: SyntaxNode, test: SyntaxNode, tree: SourceTree): Span | undefined {
  const text = tree.text({ start: test.start, end: Math.min(test.end, test.start + 100) })
  const name = /^!?(\w+)(?: [!=]= nil)?$/.exec(text)?.[1]
  const siblings = node.parent?.children
  if (!name || !siblings) return undefined
  let low = 0
  let high = siblings.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((siblings[middle]?.start ?? 0) < node.start) low = middle + 1
    else high = middle
  }
  const before = siblings[low - 1]
  if (!before || !/^(?:short_var_declaration|assignment_statement)$/.test(before.type)) return undefined
  const left = child(before, 'left')
  return left && namedChildren(left).some((one) => tree.text(one) === name) ? before : undefined
}

const errorText = /^(?:err$|errors\.|fmt\.Errorf\(|&?\w*Err(?:or)?(?:$|[({]))/

function ending(node: SyntaxNode, tree: SourceTree): Ending | undefined {
  switch (node.type) {
    case 'return_statement': {
      const [values] = namedChildren(node)
      if (!values) return { outcome: 'early_return' }
      const last = namedChildren(values).at(-1)
      const text = last ? tree.text({ start: last.start, end: Math.min(last.end, last.start + 200) }) : ''
      return { outcome: 'returns', result: resultText(tree.text(values)), isError: errorText.test(text) }
    }
    case 'continue_statement':
    case 'break_statement':
    case 'goto_statement':
      return { outcome: 'early_return', result: resultText(tree.text(node)) }
    case 'expression_statement': {
      const [call] = namedChildren(node)
      const name = call?.type === 'call_expression' ? child(call, 'function') : undefined
      const text = name && name.end - name.start < 40 ? tree.text(name) : ''
      if (text === 'panic') {
        const args = call && child(call, 'arguments')
        const message = messageOf(args, tree)
        const [value] = args ? namedChildren(args) : []
        return { outcome: 'throws', result: thrown('panic', message ?? (value && tree.text(value))) }
      }
      return undefined
    }
    default:
      return undefined
  }
}
