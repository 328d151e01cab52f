import { expect, test } from 'vitest'
import {
  everything,
  readSelection,
  selectTools,
  type Selection,
  type SelectionKey,
  whyNotOffered,
  within,
} from './selection.ts'
import { definitionsOf, tools } from './tools/index.ts'

function read(given: Partial<Record<SelectionKey, string>>): Selection {
  const { selection, problems } = readSelection(given, (key) => key)
  if (!selection) throw new Error(problems.join())
  return selection
}

const namesOf = (selection: Selection, scopes?: readonly string[]) =>
  selectTools(selection, scopes).map(({ name }) => name)

test('selects the default sets in the order of the list', () => {
  const names = namesOf(everything)
  expect(names).toContain('suggest_tests')
  expect(names).not.toContain('delete_project')
  expect(names).toEqual(tools.map(({ name }) => name).filter((name) => names.includes(name)))
  expect(namesOf(read({ toolsets: 'default' }))).toEqual(names)
})

test('selects all sets, single sets or single tools, and excludes tools', () => {
  expect(namesOf(read({ toolsets: 'all' }))).toEqual(tools.map(({ name }) => name))
  expect(namesOf(read({ tools: 'suggest_tests, whoami' }))).toEqual(['whoami', 'suggest_tests'])
  expect(namesOf(read({ toolsets: 'core', exclude_tools: 'whoami' }))).not.toContain('whoami')
})

test('says why a tool that exists is not offered', () => {
  expect(whyNotOffered('delete_everything', everything)).toBeUndefined()
  expect(whyNotOffered('delete_project', everything)).toContain('MCP_TOOLSETS, or ?toolsets=default,projects')
  expect(whyNotOffered('delete_project', read({ toolsets: 'all', read_only: 'true' }))).toContain(
    'only tools that change',
  )
  expect(whyNotOffered('whoami', read({ exclude_tools: 'whoami' }))).toContain('excluded')
})

test('read-only excludes every tool without the read-only hint', () => {
  const left = definitionsOf(selectTools(read({ toolsets: 'all', read_only: 'true' })))
  expect(left.length).toBeGreaterThan(3)
  expect(left.filter(({ hints }) => !hints.readOnlyHint)).toEqual([])
})

test('lists the tools that the scopes allow, and those without a scope', () => {
  const names = namesOf(everything, ['projects:read'])
  expect(names).toContain('whoami')
  expect(names).toContain('list_projects')
  expect(names).not.toContain('create_project')
})

test('a caller selects only within the choice of the operator', () => {
  const operator = read({ toolsets: 'core', exclude_tools: 'create_project', read_only: 'true' })
  const caller = read({ toolsets: 'all', read_only: 'false' })
  const both = within(operator, caller)
  expect(both && namesOf(both)).toEqual(namesOf(operator))
  const narrower = within(operator, read({ tools: 'whoami,create_project' }))
  expect(narrower && namesOf(narrower)).toEqual(['whoami'])
  const wide = within(everything, read({ toolsets: 'all' }))
  expect(wide && namesOf(wide)).toEqual(tools.map(({ name }) => name))
})

test('a caller cannot leave the project of the operator', () => {
  const here = read({ project: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })
  const elsewhere = read({ project: '01ARZ3NDEKTSV4RRFFQ69G5FAW' })
  expect(within(here, everything)?.projectId).toBe(here.projectId)
  expect(within(everything, here)?.projectId).toBe(here.projectId)
  expect(within(here, elsewhere)).toBeUndefined()
})
