import { expect, test } from 'vitest'
import { linksOf, repository } from './testing/repository.ts'

test('finds absolute and relative imports in a src layout', async () => {
  const repo = await repository({
    'src/click/__init__.py': 'from .core import Command as Command\nfrom .utils import echo\n',
    'src/click/core.py': `
from . import types
from .utils import echo
import click.parser as p
class Command:
    def invoke(self):
        echo(types.convert(p.parse(1)))
`,
    'src/click/utils.py': 'def echo(text):\n    print(text)\n',
    'src/click/types.py': 'def convert(value):\n    return value\n',
    'src/click/parser.py': 'def parse(value):\n    return value\n',
    'tests/test_core.py':
      'import click\nfrom click.utils import echo\n\ndef test_it():\n    click.Command().invoke()\n    echo(1)\n',
  })
  expect(linksOf(repo, 'src/click/core.py')).toEqual([
    'src/click/__init__.py:',
    'src/click/parser.py: parse',
    'src/click/types.py: convert',
    'src/click/utils.py: echo',
  ])
  expect(linksOf(repo, 'tests/test_core.py')).toEqual([
    'src/click/__init__.py:',
    'src/click/core.py: Command',
    'src/click/utils.py: echo',
  ])
})

test('follows names through packages, aliases and stars', async () => {
  const repo = await repository({
    'app/__init__.py': 'from .api import *\nfrom .models import User as Account\n',
    'app/api.py': 'from .handlers import get_user\n\ndef ping():\n    return 1\n',
    'app/handlers.py': 'def get_user():\n    return 1\n',
    'app/models.py': 'class User:\n    def name(self):\n        return 1\n',
    'main.py': 'from app import get_user, ping, Account\nget_user(ping(Account()))\n',
  })
  expect(linksOf(repo, 'main.py')).toEqual([
    'app/__init__.py:',
    'app/api.py: ping',
    'app/handlers.py: get_user',
    'app/models.py: User',
  ])
})

test('climbs out of packages, but not out of the repository', async () => {
  const repo = await repository({
    'pkg/__init__.py': '',
    'pkg/a/__init__.py': '',
    'pkg/a/deep.py': 'from ..b.other import run\nfrom .....etc import passwd\nrun()\npasswd()\n',
    'pkg/b/__init__.py': '',
    'pkg/b/other.py': 'def run():\n    return 1\n',
    'etc.py': 'def passwd():\n    return 1\n',
  })
  expect(linksOf(repo, 'pkg/a/deep.py')).toEqual(['pkg/b/other.py: run'])
})

test('takes the nearest of several packages of one name, and directories without __init__', async () => {
  const repo = await repository({
    'services/billing/app/main.py': 'from common.money import add\nadd(1)\n',
    'services/billing/common/money.py': 'def add(a):\n    return a\n',
    'services/orders/common/money.py': 'def add(a):\n    return a\n',
    'services/orders/app/main.py': 'from common.money import add\nadd(1)\n',
  })
  expect(linksOf(repo, 'services/billing/app/main.py')).toEqual(['services/billing/common/money.py: add'])
  expect(linksOf(repo, 'services/orders/app/main.py')).toEqual(['services/orders/common/money.py: add'])
})

test('keeps imports that only type checkers see apart', async () => {
  const repo = await repository({
    'app/a.py': 'import typing\nif typing.TYPE_CHECKING:\n    from app.b import B\n',
    'app/b.py': 'class B:\n    pass\n',
    'app/__init__.py': '',
  })
  expect(linksOf(repo, 'app/a.py')).toEqual(['app/b.py: B (types)'])
})
