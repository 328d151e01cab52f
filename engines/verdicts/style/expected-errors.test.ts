import { expect, test } from 'vitest'
import { expectedErrorsOf } from './expected-errors.ts'

/** Returns the source of the lines. */
async function expecting(source: string, path = 'test_a.py'): Promise<string[]> {
  const lines = source.split('\n')
  const ranges = await expectedErrorsOf(path, source)
  return ranges.map(([first, last]) =>
    lines
      .slice(first - 1, last)
      .join('\n')
      .trim(),
  )
}

test.each([
  ['with pytest.raises(ValueError, match="no"):\n    a()\n    b()\nc()\n', ['a()\n    b()']],
  ['with raises(ValueError) as error:\n    a()\nb(error)\n', ['a()']],
  ['with self.assertRaisesRegex(ValueError, "no"):\n    a()\nb()\n', ['a()']],
  ['with (\n    open(path) as file,\n    pytest.raises(ValueError) as error,\n):\n    a()\n', ['a()']],
  ['async def test():\n    async with lock, pytest.raises(ValueError):\n        await a()\n', ['await a()']],
  ['with self.assertRaises(KeyError): a()\nb()\n', ['with self.assertRaises(KeyError): a()']],
  [
    'with self.assertRaises(A):\n    with self.assertRaises(B):\n        a()\n',
    ['with self.assertRaises(B):\n        a()', 'a()'],
  ],
  ['self.assertRaises(\n    ValueError,\n    a, 1)\nb()\n', ['self.assertRaises(\n    ValueError,\n    a, 1)']],
  ['self.assertRaises(ValueError, lambda: a(1))\n', ['self.assertRaises(ValueError, lambda: a(1))']],
])('knows from which lines of %j a test expects an error', async (source, expected) => {
  expect(await expecting(source)).toEqual(expected)
})

test.each([
  'with open(path):\n    a()\n',
  'with pytest.warns(UserWarning):\n    a()\n',
  'with self.raises(ValueError):\n    a()\n',
  'with self.subTest(a()):\n    self.assertEqual(b(), 1)\n',
  'self.assertRaises(ValueError, a, b(1))\n',
  'guard = pytest.raises(ValueError)\na()\n',
  'try:\n    a()\nexcept ValueError as error:\n    assert error\n',
  'with pytest.raises(ValueError:\n    a()\n',
])('expects no error from %j', async (source) => {
  expect(await expecting(source)).toEqual([])
})

test('reads only Python', async () => {
  expect(await expecting('with(raises(1))\n  a()\n', 'a.test.js')).toEqual([])
})
