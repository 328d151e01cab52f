import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Expression as Node, parseSync, Visitor } from 'oxc-parser'
import { isTest } from './find-violations.ts'

/** A regular expression in the product's code. */
export interface Expression {
  file: string
  line: number
  /** The pattern; null if the code computes it from anything but constants and names. */
  source: string | null
  flags: string
  /** As the code has it, or `/pattern/flags` for a constant one. */
  text: string
}

const product = ['engines', 'core', 'ai-service', 'client', 'mcp-server', 'cli', 'local']

/** Reads the regular expressions of all product code that git tracks or would track. */
export function readExpressions(root: string): Expression[] {
  const patterns = product.flatMap((folder) => ['ts', 'js', 'mjs'].map((ending) => `${folder}/**/*.${ending}`))
  const arguments_ = [
    'ls-files',
    '-co',
    '--exclude-standard',
    ...patterns,
    ...product.map((folder) => `${folder}/*.ts`),
  ]
  const list = execFileSync('git', arguments_, { cwd: root, encoding: 'utf8' })
  const files = [...new Set(list.split('\n'))].filter(
    (file) => file !== '' && !isTest(file) && !/\/samples\//.test(file),
  )
  const inCode = files.toSorted().flatMap((file) => {
    if (!existsSync(join(root, file))) return []
    return expressionsOf(file, readFileSync(join(root, file), 'utf8'))
  })
  return [...inCode, ...expressionsForPaths(root)]
}

/** linguist's expressions for paths, which the product compiles from a file. Those with a gap read only the end of one. */
function expressionsForPaths(root: string): Expression[] {
  const file = 'engines/languages/linguist/paths.json'
  const lists = JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<string, string[]>
  return Object.values(lists)
    .flat()
    .filter((source) => !/[.\]][*+]/.test(source))
    .map((source) => ({ file, line: 1, source, flags: '', text: `/${source}/` }))
}

/**
 * Reads the expressions of one file: literals, and `new RegExp` of texts. Constants of the same file are put in; every
 * other part of a template counts as the name `a`, because parts are names of the product's own or escaped texts.
 */
export function expressionsOf(file: string, code: string): Expression[] {
  const { program } = parseSync(file, code)
  const found: Expression[] = []
  const constants = new Map<string, Node>()
  const created: { start: number; end: number; arguments: readonly unknown[] }[] = []
  const lineAt = (offset: number) => code.slice(0, offset).split('\n').length
  const create = (node: { start: number; end: number; arguments: readonly unknown[]; callee: Node }) => {
    if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp') created.push(node)
  }
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const { pattern, flags } = node.regex
      found.push({ file, line: lineAt(node.start), source: pattern, flags, text: `/${pattern}/${flags}` })
    },
    VariableDeclarator(node) {
      if (node.id.type === 'Identifier' && node.init !== null) constants.set(node.id.name, node.init)
    },
    NewExpression: create,
    CallExpression: create,
  }).visit(program)
  for (const { start, end, arguments: given } of created) {
    const [pattern, flags] = given as (Node | undefined)[]
    const source = textOf(pattern, constants)
    const set = flags === undefined ? '' : (textOf(flags, constants) ?? '')
    const text = source === null ? code.slice(start, end).replace(/\s+/g, ' ') : `/${source}/${set}`
    found.push({ file, line: lineAt(start), source, flags: set, text })
  }
  return found
}

/** The text of a constant, or null if it has no constant part. */
function textOf(node: Node | undefined, constants: ReadonlyMap<string, Node>, depth = 0): string | null {
  if (node === undefined || depth > 5) return null
  const text = (inner: Node) => textOf(inner, constants, depth + 1)
  switch (node.type) {
    case 'Literal':
      return 'regex' in node ? node.regex.pattern : typeof node.value === 'string' ? node.value : null
    case 'Identifier': {
      const constant = constants.get(node.name)
      return constant === undefined ? null : text(constant)
    }
    case 'MemberExpression':
      return node.property.type === 'Identifier' && node.property.name === 'source' ? text(node.object) : null
    case 'TemplateLiteral':
      return templateText(
        node.quasis.map(({ value }) => value.cooked ?? ''),
        node.expressions.map(text),
      )
    case 'TaggedTemplateExpression': {
      const { quasis, expressions } = node.quasi
      return templateText(
        quasis.map(({ value }) => value.raw),
        expressions.map(text),
      )
    }
    case 'BinaryExpression': {
      if (node.operator !== '+') return null
      const [left, right] = [text(node.left), text(node.right)]
      return left === null || right === null ? null : left + right
    }
    default:
      return null
  }
}

function templateText(fixed: readonly string[], parts: readonly (string | null)[]): string | null {
  if (fixed.every((part) => part === '')) return parts.length === 1 ? (parts[0] ?? null) : null
  return fixed.map((part, index) => part + (index < parts.length ? (parts[index] ?? 'a') : '')).join('')
}
