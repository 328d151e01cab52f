import { expect, test } from 'vitest'
import { goProject, pytestProject, selectionFor, told } from './testing.ts'

const python = {
  ...pytestProject,
  'app/__init__.py': 'from app.core import one\n',
  'app/core.py': 'def one():\n    return 1\n',
  'app/extra/__init__.py': '',
  'app/extra/tools.py': 'def two():\n    return 2\n',
  'lonely.py': 'def three():\n    return 3\n',
  'tests/conftest.py': 'import pytest\nfrom tests.support import start\n',
  'tests/support.py': 'def start():\n    return 1\n',
  'tests/test_app.py': 'from app import one\n\ndef test_one():\n    assert one() == 1\n',
  'tests/test_tools.py': 'from app.extra.tools import two\n\ndef test_two():\n    assert two() == 2\n',
  'tests/deep/conftest.py': 'import pytest\n',
  'tests/deep/test_lonely.py': 'from lonely import three\n\ndef test_three():\n    assert three() == 3\n',
}

test('follows packages of Python, whose __init__ runs before their modules', async () => {
  expect(told(await selectionFor(python, { 'app/extra/tools.py': 'def two():\n    return 3\n' }))).toEqual([
    'tests/test_tools.py uses app/extra/tools.py',
    'not tests/deep/test_lonely.py: uses nothing that changed',
    'not tests/test_app.py: uses nothing that changed',
  ])
  expect(told(await selectionFor(python, { 'app/core.py': 'def one():\n    return 2\n' }))).toEqual([
    'tests/test_app.py uses app/core.py',
    'tests/test_tools.py uses app/extra/tools.py -> app/__init__.py -> app/core.py',
    'not tests/deep/test_lonely.py: uses nothing that changed',
  ])
})

test('selects the tests below a conftest.py that changed, is gone or uses a changed file', async () => {
  expect(told(await selectionFor(python, { 'tests/deep/conftest.py': 'import os\n' }))).toEqual([
    'tests/deep/test_lonely.py uses tests/deep/conftest.py',
    'not tests/test_app.py: uses nothing that changed',
    'not tests/test_tools.py: uses nothing that changed',
  ])
  expect(told(await selectionFor(python, { 'tests/deep/conftest.py': null }))[0]).toBe(
    'tests/deep/test_lonely.py uses tests/deep/conftest.py',
  )
  expect(told(await selectionFor(python, { 'tests/support.py': 'def start():\n    return 2\n' }))).toHaveLength(3)
  expect(told(await selectionFor(python, { 'tests/support.py': 'def start():\n    return 2\n' })).join()).not.toContain(
    'not ',
  )
})

test('follows modules that Python code names as texts', async () => {
  const files = {
    ...python,
    'tests/test_patch.py':
      "from unittest.mock import patch\n\ndef test_patch():\n    with patch('lonely.three'):\n        pass\n",
  }
  expect(told(await selectionFor(files, { 'lonely.py': 'def three():\n    return 4\n' })).slice(0, 2)).toEqual([
    'tests/deep/test_lonely.py uses lonely.py',
    'tests/test_patch.py uses lonely.py',
  ])
})

test('runs all tests for code of a plug-in of pytest, which they are run with', async () => {
  const files = {
    ...python,
    'pyproject.toml':
      '[project]\nname = "a"\n[project.entry-points.pytest11]\na = "app.core"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
  }
  expect(told(await selectionFor(files, { 'lonely.py': 'def three():\n    return 4\n' }))[0]).toMatch(/^all: /)
})

const test1 = (name: string, body = '') =>
  `package ${name}\n\nimport "testing"\n\nfunc TestIt(t *testing.T) {${body}}\n`
const go = {
  ...goProject,
  'money/money.go': 'package money\n\nfunc One() int { return 1 }\n',
  'money/money_test.go': test1('money'),
  'money/more_test.go': 'package money\n\nfunc helper() int { return 1 }\n',
  'money/testdata/a.json': '{}\n',
  'shop/shop.go': 'package shop\n\nimport "example.com/app/money"\n\nvar Price = money.One()\n',
  'shop/shop_test.go': test1('shop'),
  'shop/templates/a.tmpl': 'a\n',
  'other/other.go': 'package other\n',
  'other/other_test.go': test1('other'),
}

test('selects whole packages of Go, and those that import them', async () => {
  expect(told(await selectionFor(go, { 'money/money.go': 'package money\n\nfunc One() int { return 2 }\n' }))).toEqual([
    'money/money_test.go uses money/money.go',
    'money/more_test.go uses money/money.go',
    'shop/shop_test.go uses money/money.go',
    'not other/other_test.go: uses nothing that changed',
  ])
  expect(told(await selectionFor(go, { 'shop/new.go': 'package shop\n' })).slice(0, 1)).toEqual([
    'shop/shop_test.go uses shop/new.go',
  ])
  expect(told(await selectionFor(go, { 'money/more_test.go': null })).slice(0, 2)).toEqual([
    'money/money_test.go uses money/more_test.go',
    'not other/other_test.go: uses nothing that changed',
  ])
})

test('selects the tests of the package around testdata and embedded files', async () => {
  expect(told(await selectionFor(go, { 'money/testdata/a.json': '[]\n' }))).toEqual([
    'money/money_test.go uses money/testdata/a.json',
    'money/more_test.go uses money/testdata/a.json',
    'not other/other_test.go: uses nothing that changed',
    'not shop/shop_test.go: uses nothing that changed',
  ])
  expect(told(await selectionFor(go, { 'shop/templates/a.tmpl': 'b\n' }))[0]).toBe(
    'shop/shop_test.go uses shop/templates/a.tmpl',
  )
  expect(told(await selectionFor(go, { 'go.sum': 'x\n' }))).toEqual(['all: go.sum is a lockfile'])
})

test('Go: finds packages without a module by the ends of their paths', async () => {
  const files = {
    'README.md': 'A library of 2015.\n',
    'root.go': 'package lib\n\nfunc Root() int { return 1 }\n',
    'trees/red/red.go': 'package red\n\nfunc One() int { return 1 }\n',
    'maps/tree/tree.go': 'package tree\n\nimport rbt "github.com/owner/lib/trees/red"\n\nvar Size = rbt.One()\n',
    'maps/tree/tree_test.go': test1('tree'),
    'maps/root/root.go': 'package root\n\nimport "github.com/owner/lib"\n\nvar Size = lib.Root()\n',
    'maps/root/root_test.go': test1('root'),
    'src/shop/price/price.go': 'package price\n\nfunc One() int { return 1 }\n',
    'src/shop/shop.go': 'package shop\n\nimport "shop/price"\n\nvar Price = price.One()\n',
    'src/shop/shop_test.go': test1('shop'),
  }
  const selected = async (change: Record<string, string>) =>
    told(await selectionFor(files, change)).filter((line) => !line.startsWith('not '))
  expect(await selected({ 'trees/red/red.go': 'package red\n\nfunc One() int { return 2 }\n' })).toEqual([
    'maps/tree/tree_test.go uses trees/red/red.go',
  ])
  expect(await selected({ 'root.go': 'package lib\n\nfunc Root() int { return 2 }\n' })).toEqual([
    'maps/root/root_test.go uses root.go',
  ])
  expect(await selected({ 'src/shop/price/price.go': 'package price\n\nfunc One() int { return 2 }\n' })).toEqual([
    'src/shop/shop_test.go uses src/shop/price/price.go',
  ])
})

test('Python: brackets around imported names are no call, and folders behind symbolic links are not known', async () => {
  const files = {
    ...pytestProject,
    'app/__init__.py': '',
    'app/core.py': 'def one(): return 1\n',
    'app/other.py': 'def two(): return 2\n',
    link: { linkTo: 'app' },
    'tests/test_core.py': 'from app.core import (\n    one,\n)\n\ndef test_one(): assert one() == 1\n',
    'tests/test_link.py': 'from link.core import one\n\ndef test_one(): assert one() == 1\n',
    'tests/test_name.py': "import importlib\n\ndef test_one(): importlib.import_module('app.' + 'core')\n",
  }
  const selection = told(await selectionFor(files, { 'app/other.py': 'def two(): return 3\n' })).join('\n')
  expect(selection).toContain('not tests/test_core.py')
  expect(selection).toContain('tests/test_link.py uses modules itself, which loads link, a symbolic link')
  expect(selection).toContain('tests/test_name.py uses modules itself, which loads modules whose names are computed')
})

test.each([
  "importlib.import_module('.one', package=name)",
  "importlib.import_module('plugins.' 'one')",
  "importlib.import_module('''plugins.''' + name)",
  'load = importlib.import_module\nload(name)',
  'list(map(import_module, names))',
  "__import__('plugins', fromlist=[name])",
  'load = __import__\nload(name)',
  "SourceFileLoader('one', name).load_module()",
  'exec(open(name).read())',
  'from runpy import run_path\nrun_path(name)',
])('Python: does not know what is loaded by %.60s', async (code) => {
  const files = {
    ...pytestProject,
    'plugins/__init__.py': '',
    'plugins/one.py': 'value = 1\n',
    'app.py': `value = 1\n${code}\n`,
    'tests/test_app.py': 'from app import value\n\ndef test_app(): assert value\n',
  }
  expect(told(await selectionFor(files, { 'plugins/one.py': 'value = 2\n' })).join()).toContain(
    'tests/test_app.py uses app.py, which loads modules whose names are computed',
  )
})
