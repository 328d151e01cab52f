import { expect, test } from 'vitest'
import { caseLines } from '../testing/cases.ts'
import type { Dialect } from '../dialects.ts'

const bodies: Partial<Record<Dialect, (body: string) => string>> = {
  go: (body) => `package p\nfunc f() {\n${body}\n}`,
  rust: (body) => `fn f() {\n${body}\n}`,
  java: (body) => `class A { int f() {\n${body}\n} }`,
  'c-sharp': (body) => `class A { int F() {\n${body}\n} }`,
  php: (body) => `<?php function f() {\n${body}\n}`,
}

/** The cases of some statements, without their lines. */
async function casesOf(dialect: Dialect, body: string): Promise<string[]> {
  const lines = await caseLines(dialect, (bodies[dialect] ?? String)(body))
  return lines.map((line) => line.replace(/^\d+: /, ''))
}

test.each<[Dialect, string, string[]]>([
  ['rust', 'match x { None => {} Some(1) => return 1, _ => go() }', ['match x: None -> default']],
  ['java', 'switch (n) { case 1 -> {} case 2 -> { return 2; } }', ['switch (n): case 1 -> default']],
  ['python', 'match x:\n    case 1:\n        pass\n    case 2:\n        return 2', ['match x: case 1 -> default']],
  ['ts', 'switch (n) { case 1: case 2: return 2 }', ['switch (n): case 1 -> returns 2']],
  ['java', 'switch (n) { case 1: case 2: return 2; }', ['switch (n): case 1 -> returns 2']],
  ['php', 'switch ($n) { case 1: case 2: return 2; }', ['switch ($n): case 1 -> returns 2']],
])('%s: only arms that fall through end like the next one: %s', async (dialect, body, expected) => {
  expect(await casesOf(dialect, body)).toEqual(expect.arrayContaining(expected))
})

test.each<[Dialect, string]>([
  ['python', 'for c in (a, B):\n    go(c)'],
  ['python', 'for c in a, B:\n    go(c)'],
  ['python', 'for c in {1, 2}:\n    go(c)'],
  ['python', 'for c in {"a": 1}:\n    go(c)'],
  ['python', 'for i, c in enumerate(["a", b]):\n    go(c)'],
  ['python', 'for i in itertools.count():\n    go(i)'],
  ['python', 'for i in range(3):\n    go(i)'],
  ['python', 'for c in "abc":\n    go(c)'],
  ['go', 'for _, c := range []string{"a", b} { use(c) }'],
  ['go', 'for k, v := range map[string]int{"a": 1} { use(k, v) }'],
  ['go', 'for i := range 3 { use(i) }'],
  ['rust', 'for c in vec![1, 2] { go(c) }'],
  ['rust', 'for c in &[1, 2] { go(c) }'],
  ['rust', 'for c in [1, 2].iter() { go(c) }'],
  ['rust', 'for c in 0..3 { go(c) }'],
  ['java', 'for (int c : new int[] {1, 2}) go(c);'],
  ['java', 'for (String c : List.of("a", b)) go(c);'],
  ['c-sharp', 'foreach (var c in new[] {1, 2}) Go(c);'],
  ['c-sharp', 'foreach (var c in new int[] {1, 2}) Go(c);'],
  ['c-sharp', 'foreach (var c in new List<int> {1, 2}) Go(c);'],
  ['php', 'foreach (array(1, 2) as $c) go($c);'],
  ['php', 'foreach ([1, $b] as $c) go($c);'],
  ['ruby', 'for c in [1, b] do go(c) end'],
  ['ruby', 'for c in %w[a b] do go(c) end'],
  ['ruby', 'for c in 1..3 do go(c) end'],
  ['ts', 'for (const c of new Set([1, 2])) go(c)'],
  ['ts', 'for (const [k, v] of Object.entries({ a: 1 })) go(k, v)'],
  ['ts', 'for (const c of [1, b] as const) go(c)'],
])('%s: what is written out is not empty: %s', async (dialect, body) => {
  expect(await casesOf(dialect, body)).toEqual([])
})

test.each<[Dialect, string, string]>([
  ['python', 'for c in [*rest]:\n    go(c)', '[*rest] is empty'],
  ['python', 'for c in sorted(found):\n    go(c)', 'sorted(found) is empty'],
  ['python', 'for line in open("a.txt"):\n    go(line)', 'open("a.txt") is empty'],
  ['ts', 'for (const c of new Set([...rest])) go(c)', '(new Set([...rest])) is empty'],
  ['ts', 'for (const c of []) go(c)', '[] is empty'],
  ['go', 'for _, c := range items { use(c) }', 'items is empty'],
  ['go', 'for i := range n { use(i) }', 'n is 0, empty or closed'],
  ['go', 'for range n { use() }', 'n is 0, empty or closed'],
  ['java', 'for (String c : List.of(names)) go(c);', 'List.of(names) is empty'],
])('%s: a loop that may not run: %s', async (dialect, body, condition) => {
  expect(await casesOf(dialect, body)).toEqual([`${condition} -> loop_not_entered`])
})

test.each<[Dialect, string]>([
  ['ts', 'try { g() } finally { h() }'],
  ['python', 'try:\n    g()\nfinally:\n    h()'],
  ['java', 'try { g(); } finally { h(); }'],
  ['c-sharp', 'try { G(); } finally { H(); }'],
  ['php', 'try { g(); } finally { h(); }'],
  ['ruby', 'begin\n  g\nensure\n  h\nend'],
  ['ts', 'const schema = z.object({ a: z.string().catch(() => "x") })'],
  ['ts', 'function schema() { return z.string().catch(() => "x") }'],
])('%s: nothing is caught in %s', async (dialect, body) => {
  expect(await casesOf(dialect, body)).toEqual([])
})

test.each([
  'await get().catch(() => null)',
  'get().catch(() => null)',
  'function f() { return get().catch(() => null) }',
  'const f = () => get().catch(() => null).finally(stop)',
  'const pending = fetch(url).catch(() => null)',
  'const pending = get().then(read).catch(() => null)',
])('a rejection is handled in %s', async (source) => {
  const cases = await casesOf('ts', source)
  expect(cases).toHaveLength(1)
  expect(cases[0]).toMatch(/ rejects -> catch null$/)
})

test.each<[Dialect, string, string[]]>([
  ['ts', 'function f() { return a?.b?.c ?? 3 }', ['a?.b?.c is null or undefined -> returns 3']],
  ['ts', 'function f() { return (await a?.b?.(c)) || 3 }', ['(await a?.b?.(c)) is falsy -> returns 3']],
  ['ts', 'function f() { return a?.b?.c }', ['a?.b is null or undefined -> returns undefined']],
  ['ts', 'function f() { return a?.b.c().d }', ['a is null or undefined -> returns undefined']],
  ['c-sharp', 'return a?.b?.c ?? 3;', ['a?.b?.c is null -> returns 3']],
  ['c-sharp', 'return a?.b?.c;', ['a?.b is null -> returns null']],
  ['php', 'return $a?->b?->c ?? 3;', ['$a?->b?->c is null or not set -> returns 3']],
  ['php', 'return $a?->b?->c;', ['$a?->b is null -> returns null']],
  ['ruby', 'def f\n  a&.b&.c || 3\nend', ['(a&.b&.c) is falsy -> returns 3']],
  ['ruby', 'def f\n  a&.b&.c\nend', ['(a&.b) is nil -> returns nil']],
])('%s: a chain has one way out: %s', async (dialect, body, expected) => {
  expect((await casesOf(dialect, body)).map((line) => line.replace(/^\(([^)]*)\) is null/, '$1 is null'))).toEqual(
    expected,
  )
})
