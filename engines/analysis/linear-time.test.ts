import { test } from 'vitest'
import { readManifests } from '../manifests/read.ts'
import { expectLinearReader, type Reader } from '../source/testing/linear-time.ts'
import { detectFrameworks } from './frameworks/detect.ts'
import { readJson, readToml } from './graph/configuration.ts'

function frameworksOf(scripts: Record<string, string>, paths: string[]) {
  const content = Buffer.from(JSON.stringify({ name: 'a', scripts }))
  const { manifests } = readManifests([{ path: 'package.json', content }], paths)
  return detectFrameworks({ manifests, paths: ['package.json', ...paths] })
}

const readers: Reader[] = [
  {
    name: 'scripts of a manifest',
    // A script is read up to its thousandth character, so that there must be many.
    read: (text) => {
      const scripts = Array.from({ length: Math.ceil(text.length / 1_000) }, (_, at) =>
        text.slice(at * 1_000, at * 1_000 + 1_000),
      )
      return frameworksOf(Object.fromEntries(scripts.map((script, at) => [`s${at}`, script])), [])
    },
    benign: (size) => 'npm run build && vitest run --coverage; '.repeat(size / 40),
    tokens: [
      'node',
      ' --test',
      ' ',
      ';',
      '&&',
      '|',
      '(',
      'npx ',
      'run ',
      'x ',
      '--',
      'a=b ',
      '=',
      'node_modules/',
      '.bin/',
      'a/bin/',
      'vitest',
      'jest',
      'mocha',
      '-m unittest',
      'pytest',
      '.js',
      '\t',
    ],
  },
  {
    name: 'paths of a repository',
    read: (text) => frameworksOf({}, text.split('\n')),
    benign: (size) => 'src/components/button/index.test.js\n'.repeat(size / 36),
    tokens: [
      'tests/',
      'test/',
      'src/',
      'test_a',
      '_test',
      '.py',
      '.rb',
      '.rs',
      '.go',
      'tests.rs',
      'a',
      '/',
      '\n',
      'examples',
      'fixtures-',
      'docs/',
      'spec/',
      'jest.config.',
      'ts',
      '__tests__/',
    ],
    maxSize: 200_000,
  },
  {
    name: 'a configuration in JSON',
    read: readJson,
    benign: (size) => `{${'"a": {"b": 1}, // c\n'.repeat(size / 20)}}`,
    tokens: ['{', '}', '[', ']', '"a"', '"', '\\"', ':', ',', '//', '/*', '*/', '\n', '1', 'null'],
  },
  {
    name: 'a configuration in TOML',
    read: readToml,
    benign: (size) => Array.from({ length: size / 10 }, (_, at) => `a${at} = "b"\n`).join(''),
    tokens: ['[', ']', '[[', 'a', '.', '=', '"', '"""', "'''", '{', '}', ',', '\n', '#', '1_0', '\\u0041'],
  },
]

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)
