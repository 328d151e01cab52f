import { expect, test } from 'vitest'
import { findLanguage } from '../../languages/catalogue.ts'
import { rulesOfConfig, rulesOfDependency, rulesOfImport } from './rule-index.ts'
import { frameworkRules } from './rules/index.ts'
import { testFrameworks } from './test-frameworks.ts'

test('every rule can match something, and is there once', () => {
  for (const rule of frameworkRules) {
    const signs = [...rule.dependencies, ...rule.imports, ...rule.configs, ...rule.settings]
    expect(signs.length > 0 || rule.scripts !== undefined || rule.testFiles !== undefined, rule.name).toBe(true)
    expect(new Set(rule.dependencies).size, rule.name).toBe(rule.dependencies.length)
  }
  const keys = frameworkRules.map(({ name, ecosystem, kind }) => `${kind} ${ecosystem} ${name}`)
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
})

test('every dependency leads to its rule', () => {
  for (const rule of frameworkRules) {
    for (const dependency of rule.dependencies) {
      const name = dependency.replace('*', 'anything')
      expect(rulesOfDependency(rule.ecosystem, name), dependency).toContain(rule)
    }
    for (const config of rule.configs)
      expect(rulesOfConfig(`some/where/${config.replace(/\*$/, 'ts')}`), config).toContain(rule)
  }
})

test('the table of test frameworks and the rules name the same', () => {
  const names = new Set(frameworkRules.filter(({ kind }) => kind === 'test').map(({ name }) => name))
  expect([...names].toSorted()).toEqual(Object.keys(testFrameworks).toSorted())
  for (const { languages } of Object.values(testFrameworks)) {
    for (const language of languages) expect(findLanguage(language), language).toBeDefined()
  }
})

test('an import counts for what it lies below, not for what it begins like', () => {
  const names = (specifier: string) => rulesOfImport(specifier).map(({ name }) => name)
  expect(names('org.junit.jupiter.api.Test')).toEqual(['junit'])
  expect(names('org.junit.Test')).toEqual(['junit4'])
  expect(names('@testing-library/react')).toEqual(['testing-library'])
  expect(names('Illuminate\\Support\\Str')).toEqual(['Laravel'])
  expect(names('tokio::sync::mpsc')).toEqual(['Tokio'])
  expect(names('react-dom')).toEqual([])
  expect(names('expressive')).toEqual([])
})

test('a configuration file has the whole of its name', () => {
  const names = (path: string) => rulesOfConfig(path).map(({ name }) => name)
  expect(names('vitest.config.mts')).toEqual(['vitest'])
  expect(names('app/.storybook/main.ts')).toEqual(['Storybook'])
  expect(names('main.ts')).toEqual([])
  expect(names('my-vitest.config.ts')).toEqual([])
  expect(names('vitest.config.unit.ts')).toEqual([])
})
