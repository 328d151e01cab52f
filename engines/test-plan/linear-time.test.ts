import { test } from 'vitest'
import { expectLinear, expectLinearReader, type Reader } from '../source/testing/linear-time.ts'
import { parseCommandLine } from './command-line.ts'
import { noSettings, partsOf } from './testing/tree.ts'

const python = (source: string) => partsOf({ 'pyproject.toml': '[project]\nname = "a"\n', 'tests/test_a.py': source })

test('tests of many empty lines take linear time', () => expectLinear((size) => '\n'.repeat(size), 40_000, python))

test('settings of many empty lines take linear time', () =>
  expectLinear(
    (size) => '\n'.repeat(size),
    40_000,
    (text) =>
      partsOf({ 'pyproject.toml': '[project]\nname = "a"\n', 'tox.ini': text, 'tests/test_a.py': 'import unittest\n' }),
  ))

const script = (command: string) => partsOf({ 'package.json': { name: 'a', scripts: { test: command } } })
const shell = [
  'node',
  ' --test',
  ' ',
  '&&',
  ';',
  '|',
  '"',
  "'",
  '\\',
  '$',
  '(',
  'CI=1 ',
  'vitest',
  'jest ',
  'npm run ',
  'yarn workspaces ',
  'foreach ',
  'run ',
  'test',
  'pnpm -r ',
  'npx ',
  'node_modules/',
  '.bin/',
  'a',
  '=',
  '--filter=',
  'cross-env ',
  '*',
  '{a,b}',
  '\n',
  '#',
]
const paths = [
  'tests/',
  'test/',
  'a/',
  'test_',
  'conftest.py',
  'requirements',
  'constraints',
  '.txt',
  'src/',
  '_test',
  '.py',
  '.rb',
  '.go',
  'node_modules/',
  '-',
  '.test.',
  'spec',
]
const code = [
  'import pytest\n',
  'from pytest',
  'def test_a():\n',
  '    ',
  '\n',
  'import unittest\n',
  '#',
  '"""',
  'async ',
  'pytest',
  'commands = ',
  '[pytest]\n',
  'python -m ',
  '[tool:',
  '\t',
  'TestCase',
  '\\',
]

const file = (
  name: string,
  head: string,
  tokens: string[],
  unit: string,
  others: Record<string, string> = {},
): Reader => ({
  name,
  head,
  tokens,
  benign: (size) => head + unit.repeat(Math.ceil(size / unit.length)),
  read: (text) => partsOf({ ...others, [name]: text }),
})

const pyproject = { 'pyproject.toml': '[project]\nname = "a"\n' }
const readers: Reader[] = [
  {
    name: 'a command',
    read: parseCommandLine,
    benign: (size) => 'vitest run src/a.test.ts '.repeat(size / 25),
    tokens: shell,
  },
  { name: 'a script', read: script, benign: (size) => 'vitest run src/a.test.ts '.repeat(size / 25), tokens: shell },
  {
    name: "the owner's command",
    read: (text) => partsOf({ 'package.json': { name: 'a' } }, { ...noSettings, testCommand: text }),
    benign: (size) => 'vitest run src/a.test.ts '.repeat(size / 25),
    tokens: shell,
  },
  {
    name: 'one long path',
    read: (text) => partsOf({ ...pyproject, 'package.json': '{}', [text]: 'a' }),
    benign: (size) => `${'folder/'.repeat(size / 7)}test_a.py`,
    tokens: paths,
    maxSize: 100_000,
  },
  {
    name: 'many paths',
    read: (text) =>
      partsOf({
        ...pyproject,
        'package.json': '{}',
        ...Object.fromEntries(text.split('\n').map((path) => [path, 'a'])),
      }),
    benign: (size) => Array.from({ length: size / 20 }, (_, at) => `src/folder/test_${at}.py`).join('\n'),
    tokens: [...paths, '\n', '\na'],
    maxSize: 200_000,
  },
  file('tests/test_a.py', '', code, 'def test_a():\n    assert True\n', pyproject),
  file('tox.ini', '', code, 'a = b\n', { ...pyproject, 'tests/test_a.py': 'import unittest\n' }),
  file('setup.cfg', '[options]\n', code, 'a = b\n', { 'tests/test_a.py': 'import unittest\n' }),
  file(
    'requirements.txt',
    '',
    ['-r ', 'a', '==1', '\n', '\\\n', ' ', '#', ';', '--hash=', '-e .', '[b]', 'pytest'],
    'a==1\n',
    { 'tests/test_a.py': 'import pytest\n' },
  ),
  file(
    'go.mod',
    'module a\n',
    ['require ', '(', ')', 'a.b/c v1', '\n', '//', 'go 1.', 'toolchain ', ' '],
    '\ta.b/c v1.2.3\n',
    { 'a_test.go': 'package a\n' },
  ),
  file('go.work', 'go 1.2\nuse (\n', ['use', ' ', '(', ')', './a', '\n', '//'], '\t./a\n', {
    'a_test.go': 'package a\n',
  }),
  file(
    'Cargo.toml',
    '[package]\nname = "a"\n',
    ['[', ']', 'a', '.', '=', '"', '{', ',', '\n', 'members = [', '[workspace]\n', '#'],
    'a = "1"\n',
    { 'src/lib.rs': '#[test]\n' },
  ),
  file(
    'pom.xml',
    '<project>',
    ['<modules>', '<module>', '</module>', 'a', '<plugin>', '<artifactId>', '<', '>', '<!--'],
    '<a>b</a>',
    { 'src/test/java/ATest.java': 'class A {}' },
  ),
  file(
    'build.gradle',
    '',
    ['{', '}', "'", '"', '(', 'jacoco', 'id ', 'test', '\n', '//', '/*', 'apply plugin: ', ' '],
    "  implementation 'a:b:1'\n",
    { 'src/test/java/ATest.java': 'class A {}' },
  ),
  file('Gemfile', '', ['gem ', '"rspec"', 'group', ' ', ':a', ' do', '\n', 'end', '#', '('], "gem 'a', '1.0'\n", {
    'spec/a_spec.rb': 'describe',
  }),
  file(
    'phpunit.xml',
    '<phpunit><testsuites>',
    ['<testsuite name="', '">', '<directory>', 'a', '</', ' ', '\n', '<testsuite', ' name="', '<!--'],
    '<testsuite name="a"><directory>tests</directory></testsuite>',
    { 'composer.json': '{"require-dev": {"phpunit/phpunit": "10"}}', 'tests/ATest.php': '<?php' },
  ),
  file(
    'tests/a.csproj',
    '<Project>',
    ['<PackageReference Include="', 'xunit', '"', '/>', '<', '>', ' ', '<!--', '<TargetFramework>'],
    '<PackageReference Include="a" Version="1"/>',
    { 'a.sln': '' },
  ),
  file(
    'package-lock.json',
    '{"packages": {',
    ['"node_modules/', 'a', '"', ':', '{', '}', ',', '"version": "1"', '\\"'],
    '"node_modules/a": {"version": "1"},',
    { 'package.json': '{"scripts": {"test": "vitest"}, "devDependencies": {"vitest": "1"}}' },
  ),
  file('yarn.lock', '', ['__metadata:\n', '"', 'a@', ':', '\n', '  version ', ' ', '#'], 'a@1:\n  version "1"\n', {
    'package.json': '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}}',
  }),
]

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)
