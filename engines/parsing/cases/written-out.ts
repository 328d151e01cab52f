import type { SourceTree } from '../description/source-tree.ts'
import { child, namedChildren, type SyntaxNode } from '../syntax-tree.ts'

/** Literals of collections, and the nodes that hold the elements of such literals. */
const types = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/))
const collections = types(
  `ArrayExpression ObjectExpression list tuple set dictionary expression_list literal_value array_expression
  array_initializer initializer_expression collection_expression array string_array symbol_array hash`,
)
/** Elements of these types may stand for none. */
const spreads = types(
  `SpreadElement list_splat dictionary_splat spread_element variadic_unpacking splat_argument hash_splat_argument`,
)
const texts = types('string encapsed_string string_literal interpreted_string_literal Literal')
const numbers = types('integer int_literal integer_literal decimal_integer_literal Literal')
const calls = types('call call_expression CallExpression NewExpression method_invocation invocation_expression')
/** Functions whose results are as long as what they are given. */
const keeping =
  /^(?:new (?:Set|Map)|Array\.(?:from|of)|Object\.(?:entries|keys|values)|enumerate|sorted|reversed|list|tuple|set|iter|zip|(?:List|Set|Stream)\.of|Arrays\.asList)$/
/** The same for methods of the collection. */
const keepingMethods = types(
  'iter iter_mut into_iter enumerate rev cloned copied entries keys values items stream each',
)
const maxDepth = 10

/** Whether an expression is a collection whose elements are in the source, so that a loop over it is entered. */
export function isWrittenOut(node: SyntaxNode, tree: SourceTree, depth = 0): boolean {
  if (depth > maxDepth) return false
  const { type } = node
  const size = node.end - node.start
  const isInside = (inner: SyntaxNode | undefined) => inner !== undefined && isWrittenOut(inner, tree, depth + 1)
  const elements = namedChildren(node)
  if (collections.has(type)) return elements.some((element) => !spreads.has(element.type))
  // PHP's literals and the creations of Java and C# have one name in their grammars.
  if (elements.some((element) => element.type === 'array_element_initializer')) {
    return elements.some((element) => !namedChildren(element).every((part) => spreads.has(part.type)))
  }
  if (texts.has(type) && size > 2 && /^["'`]/.test(tree.text({ start: node.start, end: node.start + 1 }))) return true
  if (numbers.has(type)) return size < 20 && Number(tree.text(node)) > 0
  switch (type) {
    case 'parenthesized_expression':
    case 'reference_expression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return isInside(elements[0])
    case 'composite_literal':
      return isInside(child(node, 'body'))
    case 'array_creation_expression':
    case 'implicit_array_creation_expression':
    case 'object_creation_expression':
      return elements.some((part) => part.type.includes('initializer') && isInside(part))
    case 'range':
    case 'range_expression':
      return isRange(elements.map((part) => (numbers.has(part.type) ? Number(tree.text(part)) : Number.NaN)))
    case 'macro_invocation': {
      const tokens = elements.find((part) => part.type === 'token_tree')
      return tokens !== undefined && tree.source.startsWith('vec!', node.start) && tokens.end - tokens.start > 2
    }
    default:
      return calls.has(type) && isCallOfWrittenOut(node, tree, isInside)
  }
}

const isRange = ([first = Number.NaN, last = Number.NaN]: number[]): boolean => first < last

function isCallOfWrittenOut(
  node: SyntaxNode,
  tree: SourceTree,
  isInside: (inner: SyntaxNode | undefined) => boolean,
): boolean {
  const list = child(node, 'arguments')
  const args =
    list && list.type.startsWith('argument')
      ? namedChildren(list)
      : node.children.filter(({ field }) => field === 'arguments')
  const end = args[0]?.start ?? list?.start ?? node.end
  const name = tree.source
    .slice(node.start, Math.min(end, node.start + 40))
    .replace(/\(\s*$/, '')
    .replace(/<[^<>]*>$/, '')
  if (name === 'itertools.count') return true
  if (name === 'range') return args.length === 1 && isInside(args[0])
  // With two arguments these are given the elements themselves.
  if (/^(?:(?:List|Set|Stream)\.of|Arrays\.asList|Array\.of)$/.test(name) && args.length > 1) return true
  if (keeping.test(name)) return args.length > 0 && args.every((arg) => isInside(arg))
  const callee = child(node, 'function') ?? child(node, 'callee')
  const receiver =
    child(node, 'receiver') ?? child(node, 'object') ?? (callee && (child(callee, 'object') ?? child(callee, 'value')))
  const member =
    child(node, 'method') ??
    child(node, 'name') ??
    (callee && (child(callee, 'attribute') ?? child(callee, 'property') ?? child(callee, 'field')))
  if (!receiver || !member || args.length > 0 || !keepingMethods.has(tree.text(member))) return false
  return isInside(receiver)
}
