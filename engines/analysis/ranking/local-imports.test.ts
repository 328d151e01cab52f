import { expect, test } from 'vitest'
import type { History } from '../../source/types.ts'
import { repository } from '../graph/testing/repository.ts'
import { rankCandidates } from './rank-candidates.ts'

const history: History = { commits: 0, changes: new Map(), recentChanges: new Map() }

/** The last reason of each candidate, by `path symbol`; for a private one, the public symbol that leads to it. */
async function reasonsOf(sources: Record<string, string>) {
  const { files, manifests } = await repository(sources)
  const { candidates } = rankCandidates({ files, manifests, history, limits: { maxCandidates: 1_000 } })
  return Object.fromEntries(
    candidates.map(({ path, symbol, reasons, through }) => [`${path} ${symbol}`, through?.symbol ?? reasons.at(-1)]),
  )
}

const work = (name: string) => `def ${name}(a):\n    if a > 1:\n        return 2\n    return a\n`

test('Python: only the function that imports a name uses what it means there', async () => {
  const reasons = await reasonsOf({
    'pkg/__init__.py': `from .three import work as plain, work

def first(a):
    from .one import work, _hidden
    def inner(b):
        return work(b) if b else _hidden(b)
    return inner

def second(a):
    from .two import work, _hidden
    return work(a) + _hidden(a)

def third(a):
    return work(a)

def _load():
    global lazy
    from .four import lazy

def fourth(a):
    return lazy(a)
`,
    'pkg/one.py': work('work') + work('_hidden'),
    'pkg/two.py': work('work') + work('_hidden'),
    'pkg/three.py': work('work'),
    'pkg/four.py': work('lazy'),
    'tests/test_first.py':
      'from pkg import first, third, fourth\n\ndef test_first():\n    first(1)\n    third(1)\n    fourth(1)\n',
  })
  expect(reasons).toMatchObject({
    'pkg/one.py work': expect.stringMatching(/^no test was found that calls it; tests reach first.* in pkg\/__init__\.py, which does/), // prettier-ignore
    'pkg/two.py work': 'no test was found that imports it; tests reach its file through pkg/__init__.py',
    'pkg/three.py work': 'no test was found that calls it; tests reach third in pkg/__init__.py, which does',
    'pkg/four.py lazy': 'no test was found that calls it; tests reach fourth in pkg/__init__.py, which does',
    'pkg/one.py _hidden': 'first',
    'pkg/two.py _hidden': 'second',
  })
})

test('JavaScript: only the function that requires a name uses what it means there', async () => {
  const code = 'exports.work = function work(a) { if (a > 1) { a = 2 }; return a }'
  const reasons = await reasonsOf({
    'src/main.js': `let lazy
exports.first = function first(a) { const { work } = require('./one'); return work(a) }
exports.second = function second(a) { const { work } = require('./two'); return work(a) }
exports.load = function load() { lazy = require('./three').lazy }
exports.third = function third(a) { return lazy(a) }
`,
    'src/one.js': code,
    'src/two.js': code,
    'src/three.js': code.replaceAll('work', 'lazy'),
    'test/main.test.js': `const { first, third } = require('../src/main')\ntest('x', () => { first(1); third(1) })`,
  })
  expect(reasons).toMatchObject({
    'src/one.js work': 'no test was found that calls it; tests reach first in src/main.js, which does',
    'src/two.js work': 'no test was found that imports it; tests reach its file through src/main.js',
    'src/three.js lazy': 'no test was found that calls it; tests reach third in src/main.js, which does',
  })
})
