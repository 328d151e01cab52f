import { child, namedChildren, nodesOf, type SyntaxNode } from '../../parsing/syntax-tree.ts'

/** Another text for a part of a source. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** A function whose body can be exchanged while the program runs. */
export interface Host {
  body: SyntaxNode
  /** Names for the parameters that have none, so that they can be passed on. */
  edits: readonly Edit[]
  /** The text from the function's start to its body, with another name. */
  signature: (name: string) => string
  /** Calls the copy of that name with the same arguments, and returns its results. Null for a copy inside of the body. */
  call: ((name: string) => string) | null
  hasResult: boolean
}

/**
 * Returns the outermost function around a node; undefined for code outside of functions, and for functions whose meaning
 * a copy would change.
 */
export function hostOf(node: SyntaxNode, source: string): Host | undefined {
  let found: SyntaxNode | undefined
  for (let outer: SyntaxNode | null = node; outer; outer = outer.parent) if (functions.has(outer.type)) found = outer
  const body = found && child(found, 'body')
  if (!found || !body || body.start > node.start || body.end < node.end || recovers(body, source)) return undefined
  return found.type === 'func_literal' ? literalHost(found, body, source) : declaredHost(found, body, source)
}

const functions = new Set(['function_declaration', 'method_declaration', 'func_literal'])

/** Only a function that is deferred itself can recover, so that a copy that it calls could not. */
function recovers(body: SyntaxNode, source: string): boolean {
  return [...nodesOf(body)].some((node) => {
    const called = node.type === 'call_expression' ? child(node, 'function') : undefined
    if (!called || source.slice(called.start, called.end) !== 'recover') return false
    let outer: SyntaxNode | null = node
    while (outer && outer !== body && outer.type !== 'func_literal') outer = outer.parent
    return outer === body
  })
}

/** A function that is a value of the package, such as a field of a variable. */
function literalHost(node: SyntaxNode, body: SyntaxNode, source: string): Host {
  const result = child(node, 'result')
  const results = result ? ` ${source.slice(result.start, result.end)}` : ''
  return { body, edits: [], signature: () => `func()${results}`, call: null, hasResult: result !== undefined }
}

function declaredHost(node: SyntaxNode, body: SyntaxNode, source: string): Host | undefined {
  const name = child(node, 'name')
  const parameters = child(node, 'parameters')
  const text = ({ start, end }: SyntaxNode) => source.slice(start, end)
  if (!name || !parameters || text(name) === '_' || hasDirective(node, text)) return undefined
  const edits: Edit[] = []
  const receiver = child(node, 'receiver')
  const [self] = receiver ? argumentsIn(receiver, { text, edits, prefix: 'assaySelf' }) : []
  const given = argumentsIn(parameters, { text, edits, prefix: 'assayGiven' })
  const types = child(node, 'type_parameters')
  const typeNames = (types ? namedChildren(types) : []).flatMap((one) =>
    one.children.filter(({ field }) => field === 'name').map(text),
  )
  const chosen = typeNames.length > 0 ? `[${typeNames.join(', ')}]` : ''
  return {
    body,
    edits,
    signature: (other) =>
      edited(source, node.start, body.start, [...edits, { ...rangeOf(name), text: other }]).trimEnd(),
    call: (other) => `${self === undefined ? '' : `${self}.`}${other}${chosen}(${given.join(', ')})`,
    hasResult: child(node, 'result') !== undefined,
  }
}

interface Naming {
  text: (node: SyntaxNode) => string
  edits: Edit[]
  prefix: string
}

/** Returns the parameters as arguments of a call, and names those that have no name. */
function argumentsIn(list: SyntaxNode, { text, edits, prefix }: Naming): string[] {
  let count = 0
  return namedChildren(list).flatMap((parameter) => {
    const rest = parameter.type === 'variadic_parameter_declaration' ? '...' : ''
    const names = parameter.children.filter(({ field }) => field === 'name')
    if (names.length === 0) {
      const name = `${prefix}${(count += 1)}`
      edits.push({ start: parameter.start, end: parameter.start, text: `${name} ` })
      return [name + rest]
    }
    return names.map((node) => {
      if (text(node) !== '_') return text(node) + rest
      const name = `${prefix}${(count += 1)}`
      edits.push({ ...rangeOf(node), text: name })
      return name + rest
    })
  })
}

/** Whether a comment right above says how to compile the function, such as `//go:nosplit`. */
function hasDirective(node: SyntaxNode, text: (node: SyntaxNode) => string): boolean {
  const around = node.parent?.children ?? []
  for (let at = around.indexOf(node) - 1; around[at]?.type === 'comment'; at -= 1) {
    const comment = around[at]
    if (comment && /^\/\/go:(?!noinline\b)/.test(text(comment))) return true
  }
  return false
}

const rangeOf = ({ start, end }: SyntaxNode) => ({ start, end })

/** Returns a part of the source with the edits that are in it. Of two at one place, the first comes first. */
export function edited(source: string, from: number, to: number, edits: readonly Edit[]): string {
  let at = from
  let text = ''
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    if (edit.start < from || edit.end > to) continue
    text += source.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return text + source.slice(at, to)
}

/** The nearest statement of a list around a node, within the body of the host; undefined if there is none. */
export function statementAround(node: SyntaxNode, { body }: Host): SyntaxNode | undefined {
  for (let one: SyntaxNode | null = node; one && one !== body; one = one.parent) {
    if (one.parent?.type === 'statement_list') return one
  }
  return undefined
}
