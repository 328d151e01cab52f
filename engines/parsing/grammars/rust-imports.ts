import type { Node } from 'web-tree-sitter'
import type { Walk } from './walk.ts'

/** Flattens a use tree: one import for each path that it names. */
export function useDeclaration(node: Node, walk: Walk): void {
  const tree = node.childForFieldName('argument')
  if (!tree) return
  const modules = enclosingModules(node, walk)
  const passedOn = modules.length === 0 && node.firstNamedChild?.type === 'visibility_modifier'
  for (const { path, alias } of leaves(tree, '', walk)) {
    const wildcard = path.endsWith('::*')
    const specifier = seenFromFile(wildcard ? path.slice(0, -3) : path, modules)
    const name = wildcard ? '*' : specifier.slice(specifier.lastIndexOf(':') + 1)
    walk.facts.import({ specifier, names: [name], ...(passedOn && { reexport: true }) })
    if (!passedOn) continue
    walk.facts.export(
      alias && alias !== name ? { name: alias, local: name, from: specifier } : { name, from: specifier },
    )
  }
}

export function externCrate(node: Node, walk: Walk): void {
  const specifier = walk.fieldText(node, 'name')
  if (specifier) walk.facts.import({ specifier, names: ['*'] })
}

/** `mod name;` makes another file part of the crate. */
export function moduleDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  const modules = enclosingModules(node, walk)
  walk.facts.import({ specifier: ['self', ...modules, name].join('::'), names: [] })
  if (modules.length === 0 && node.firstNamedChild?.type === 'visibility_modifier') walk.facts.export({ name })
}

function* leaves(tree: Node, prefix: string, walk: Walk): Generator<{ path: string; alias?: string }> {
  const below = (path: string) => (prefix ? `${prefix}::${path}` : path)
  switch (tree.type) {
    case 'use_list':
      for (const child of tree.namedChildren) yield* leaves(child, prefix, walk)
      return
    case 'scoped_use_list': {
      const path = walk.fieldText(tree, 'path')
      const list = tree.childForFieldName('list')
      if (list) yield* leaves(list, path ? below(path) : prefix, walk)
      return
    }
    case 'use_wildcard': {
      const path = tree.firstNamedChild
      yield { path: path ? `${below(walk.text(path))}::*` : below('*') }
      return
    }
    case 'use_as_clause': {
      const path = walk.fieldText(tree, 'path')
      if (path)
        yield { path: path === 'self' && prefix ? prefix : below(path), alias: walk.fieldText(tree, 'alias') ?? '' }
      return
    }
    case 'self':
      yield { path: prefix || 'self' }
      return
    case 'identifier':
    case 'scoped_identifier':
    case 'crate':
    case 'super':
      yield { path: below(walk.text(tree)) }
  }
}

/** Inline modules around a node, outermost first. */
function enclosingModules(node: Node, walk: Walk): string[] {
  const names: string[] = []
  for (let around = node.parent; around; around = around.parent) {
    if (around.type === 'mod_item') names.unshift(walk.fieldText(around, 'name') ?? '')
  }
  return names
}

/** Paths that start with `super` or `self` count from the inline module; readers of facts only know the file. */
function seenFromFile(path: string, modules: readonly string[]): string {
  if (modules.length === 0) return path
  const segments = path.split('::')
  if (segments[0] !== 'super' && segments[0] !== 'self') return path
  const around = [...modules]
  while (segments[0] === 'self' || (segments[0] === 'super' && around.length > 0)) {
    if (segments.shift() === 'super') around.pop()
  }
  return [...(segments[0] === 'super' ? [] : ['self', ...around]), ...segments].join('::')
}
