import { expect, test } from 'vitest'
import { mutantsIn } from '../testing.ts'

test.each<[source: string, mutants: string[]]>([
  // Conditions
  ['if ready: x = 1', ['condition: ready -> not ready']],
  ['if not ready: x = 1', ['condition: not ready -> ready']],
  ['if a == b: x = 1', ['condition: a == b -> a != b']],
  ['if not (a == b): x = 1', ['condition: a == b -> a != b']],
  ['if a is None: x = 1', ['condition: a is None -> a is not None']],
  ['if a not in b: x = 1', ['condition: a not in b -> a in b']],
  ['if a and b: x = 1', ['condition: a -> not a', 'condition: a and b -> a or b', 'condition: b -> not b']],
  ['x = a or 1', ['condition: a or 1 -> a and 1']],
  ['x = 1 if ok else 2', ['condition: ok -> not ok']],
  ['x = not y', ['condition: not y -> not not y']],
  ['x = True', ['condition: True -> False']],
  ['x = [i for i in y if i.open]', ['condition: i.open -> not i.open']],
  ['if (m := find()): x = 1', ['condition: m := find() -> not (m := find())']],
  // Boundaries
  ['if a < b: x = 1', ['condition: a < b -> a >= b', 'boundary: a < b -> a <= b']],
  [
    'x = 0 < a <= b',
    [
      'condition: 0 < a <= b -> 0 >= a <= b',
      'boundary: 0 < a <= b -> 0 <= a <= b',
      'condition: 0 < a <= b -> 0 < a > b',
      'boundary: 0 < a <= b -> 0 < a < b',
    ],
  ],
  ['if n == 1: x = 1', ['condition: n == 1 -> n != 1', 'boundary: 1 -> 2']],
  ['x = s[1:-1]', ['boundary: 1 -> 0', 'boundary: -1 -> -2']],
  ['for i in range(0, 10, 2): x = i', ['boundary: 0 -> 1', 'boundary: 10 -> 9']],
  ['x = a if a > b else b', ['condition: a > b -> a <= b']],
  ['if a > most: most = a', ['condition: a > most -> a <= most']],
  // Arithmetic
  ['x = a + b * 2', ['arithmetic: a + b * 2 -> a - b * 2', 'arithmetic: b * 2 -> b / 2']],
  ['x = a // b', ['arithmetic: a // b -> a * b']],
  ['x = a % b', ['arithmetic: a % b -> a * b']],
  ['total -= price', ['arithmetic: total -= price -> total += price']],
  // Returned values
  ['def f(): return 7', ['return: 7 -> 8']],
  ['def f(): return -1', ['return: -1 -> 0']],
  ['def f(): return False', ['return: False -> True']],
  ['def f(): return "a"', ['return: "a" -> ""']],
  ['def f(): return b""', ['return: b"" -> b"mutant"']],
  ['def f(): return f"{a}"', ['return: f"{a}" -> ""']],
  ['def f(): return [a]', ['return: [a] -> []']],
  ['def f(): return {1: a}', ['return: {1: a} -> {}']],
  ['def f(): return a, b', ['return: a, b -> None']],
  ['def f(): return g()', ['return: g() -> None']],
  ['def f(): return len(a)', ['return: len(a) -> len(a) + 1']],
  ['def f(): return a.startswith(b)', ['return: a.startswith(b) -> not a.startswith(b)']],
  ['def f() -> Optional[int]: return a', ['return: a -> a + 1']],
  ['def f() -> list[str]: return a', ['return: a -> []']],
  ['def f() -> "str | None": return a', ["return: a -> ''"]],
  ['f = lambda a: a.id', ['return: a.id -> None']],
  // Removed calls
  ['items.append(x)', ['removed_call: items.append(x) -> pass']],
  ['async def f(): await save(x)', ['removed_call: await save(x) -> pass']],
  // Loops end
  ['while node: node = node.next', ['condition: node -> False']],
  ['while i < n: i += 1', ['condition: i < n -> False', 'boundary: i < n -> i <= n']],
  ['raise ValueError(a - b)', ['removed_throw: raise ValueError(a - b) -> pass']],
  ['if a: raise', ['condition: a -> not a', 'removed_throw: raise -> pass']],
  ['while True: raise ValueError(a - b)', ['condition: True -> False']],
  ['while lo < hi: lo = mid + 1', ['condition: lo < hi -> False']],
  ['while queue: queue.pop()', ['condition: queue -> False']],
])('%s', async (source, mutants) => {
  expect((await mutantsIn('a.py', `${source}\n`)).map((mutant) => mutant.replace(/^\d+ /, ''))).toEqual(mutants)
})

test.each([
  'import a\nfrom b import c',
  '"""if a < b: return True"""',
  '# if a < b: return True',
  'print(a + b, a < b)',
  'logger.info("%s", a - b)',
  'x = "%s" % a',
  'x = "-" * 10 + name',
  'out = ""\nout += part',
  'def f(a: str, b: str): x = a + b',
  'def f(): raise StopIteration',
  'assert a < b',
  '@decorate(a=True)\ndef f(): pass',
  'def f(a: Literal[True]) -> int: ...',
  'super().__init__(a)',
  'class A(B):\n    def f(self):\n        return self',
  'if __name__ == "__main__": x = 1',
  'if TYPE_CHECKING: x = 1',
  'x = time.time() - started',
  'def f(): return\ndef g(): return None\ndef h() -> None: return g()',
])('%s has none', async (source) => {
  expect(await mutantsIn('a.py', `${source}\n`)).toEqual([])
})

test('changes a condition that goes over lines', async () => {
  expect(await mutantsIn('a.py', 'if a \\\n   and b:\n    x = 1\n', [[2, 2]])).toEqual([
    '2 condition: and -> or',
    '2 condition: b -> not b',
  ])
})
