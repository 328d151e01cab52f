import { expect, test } from 'vitest'
import { browserFramework, chooseFramework } from './frameworks.ts'
import type { Language } from './languages.ts'

const named = (...names: string[]) => names.map((name) => ({ name, confidence: 1 }))

test('each language gets a framework that fits it, whatever else the project uses', () => {
  const all = named('vitest', 'pytest', 'go test', 'junit', 'rspec', 'cargo test', 'phpunit', 'xunit')
  const languages: Language[] = ['typescript', 'javascript', 'python', 'go', 'java', 'ruby', 'rust', 'php', 'csharp']
  expect(languages.map((language) => chooseFramework(language, all).framework)).toEqual([
    'vitest',
    'vitest',
    'pytest',
    'go test',
    'junit',
    'rspec',
    'cargo test',
    'phpunit',
    'xunit',
  ])
})

test.each<[Language, string]>([
  ['typescript', 'node:test'],
  ['javascript', 'node:test'],
  ['python', 'unittest'],
  ['go', 'go test'],
  ['java', 'junit'],
  ['ruby', 'minitest'],
  ['rust', 'cargo test'],
  ['php', 'phpunit'],
  ['csharp', 'xunit'],
  ['other', 'outline'],
])('%s has a default: %s', (language, framework) => {
  expect(chooseFramework(language, named('cobol-unit')).framework).toBe(framework)
})

test('distinguishes a default from a known framework of the project', () => {
  expect(chooseFramework('python', []).known).toBe(false)
  expect(chooseFramework('python', named('unittest')).known).toBe(true)
  expect(chooseFramework('go', []).known).toBe(true)
})

test.each<[string, Language, string]>([
  ['Vitest', 'typescript', 'vitest'],
  ['node-test', 'javascript', 'node:test'],
  ['bun', 'typescript', 'bun:test'],
  ['tape', 'javascript', 'tape'],
  ['node-tap', 'javascript', 'tap'],
  ['uvu', 'typescript', 'uvu'],
  ['QUnit', 'javascript', 'qunit'],
  ['borp', 'typescript', 'node:test'],
  ['JUnit 5', 'java', 'junit'],
  ['JUnit4', 'java', 'junit4'],
  ['TestNG', 'java', 'testng'],
  ['xUnit.net', 'csharp', 'xunit'],
  ['NUnit', 'csharp', 'nunit'],
  ['MSTest', 'csharp', 'mstest'],
  ['PHPUnit', 'php', 'phpunit'],
  ['Pest', 'php', 'pest'],
  ['RSpec', 'ruby', 'rspec'],
  ['Test::Unit', 'ruby', 'test-unit'],
])('%s for %s is %s', (name, language, framework) => {
  expect(chooseFramework(language, named(name))).toEqual({ framework, known: true })
})

test('a request wins, then the highest confidence, then the first', () => {
  const several = [
    { name: 'mocha', confidence: 0.3 },
    { name: 'jest', confidence: 0.9 },
    { name: 'vitest', confidence: 0.9 },
  ]
  expect(chooseFramework('typescript', several).framework).toBe('jest')
  expect(chooseFramework('typescript', several, { wanted: 'ava' }).framework).toBe('ava')
  expect(chooseFramework('typescript', several, { wanted: 'pytest' }).framework).toBe('jest')
})

test.each([
  ['test/unit/adapters/http.js', 'mocha'],
  ['test/specs/core/mergeConfig.spec.js', 'jasmine'],
  [undefined, 'jasmine'],
])('among equals the one that the nearest test is named like: %s means %s', (nearestTest, framework) => {
  const equals = [
    { name: 'karma', confidence: 0.95 },
    { name: 'vitest', confidence: 0.4 },
    { name: 'jasmine', confidence: 0.85 },
    { name: 'mocha', confidence: 0.85 },
  ]
  expect(chooseFramework('javascript', equals, { nearestTest }).framework).toBe(framework)
})

test('an unlikely browser framework loses to a better one', () => {
  const sure = { name: 'vitest', confidence: 0.9 }
  expect(browserFramework([sure, { name: 'cypress', confidence: 0.3 }])).toBeUndefined()
  expect(browserFramework([{ name: 'cypress', confidence: 0.3 }])).toBe('cypress')
})

test('property names of JavaScript objects are not frameworks', () => {
  expect(chooseFramework('python', named('constructor', '__proto__', 'toString')).known).toBe(false)
})

test('uses a browser only if the project has a browser framework', () => {
  expect(browserFramework(named('vitest'))).toBeUndefined()
  expect(browserFramework(named('vitest', '@playwright/test'))).toBe('playwright')
  expect(browserFramework(named('Cypress'))).toBe('cypress')
  expect(browserFramework([], 'playwright')).toBe('playwright')
})
