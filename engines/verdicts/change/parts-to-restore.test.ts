import { expect, test } from 'vitest'
import { type PartToRestore, partsToRestore } from './parts-to-restore.ts'
import type { ChangedFile } from './facts.ts'
import { code } from './testing.ts'

/** Compares two texts by lines, as `git diff --unified=0` does. */
function hunksOf(old: readonly string[], now: readonly string[]): NonNullable<ChangedFile['hunks']> {
  const hunks = []
  let [at, to] = [0, 0]
  while (at < old.length || to < now.length) {
    if (at < old.length && old[at] === now[to]) {
      at++
      to++
      continue
    }
    let [oldLines, newLines] = [0, 0]
    search: for (let sum = 1; ; sum++) {
      for (oldLines = 0; oldLines <= sum; oldLines++) {
        newLines = sum - oldLines
        const isEnd = at + oldLines >= old.length && to + newLines >= now.length
        if (isEnd || (at + oldLines < old.length && old[at + oldLines] === now[to + newLines])) break search
      }
    }
    const oldStart = oldLines === 0 ? at : at + 1
    const newStart = newLines === 0 ? to : to + 1
    hunks.push({ oldStart, oldLines, newStart, newLines })
    at += oldLines
    to += newLines
  }
  return hunks
}

function parts(
  old: string,
  now: string,
  path = 'src/cart.js',
  how: Partial<Parameters<typeof partsToRestore>[0]> = {},
) {
  const file = code({ path, before: path, hunks: hunksOf(old.split('\n'), now.split('\n')) })
  const texts = { sources: new Map([[path, now]]), sourcesBefore: new Map([[path, old]]) }
  return partsToRestore({ files: [file], ...texts, measured: [path], count: 10, seed: '1', ...how })
}

const shown = (found: readonly PartToRestore[]) =>
  found.map(({ kind, line, before, now }) => `${kind} ${line}: ${now} <- ${before}`)

const cart = `import { isNumber } from './numbers.js'
/** Adds up. */
export function total(sum) {
  if (!isNumber(sum)) throw new TypeError('no number')
  let rest = sum
  if (sum > 100) rest = sum - 10
  return rest
}
`

test('restores what a change replaces, adds and removes, the removed code first', () => {
  const now = cart
    .replace("  if (!isNumber(sum)) throw new TypeError('no number')\n", '')
    .replace('sum > 100', 'sum >= 100')
    .replace("import { isNumber } from './numbers.js'\n", '')
  const found = parts(cart, now)
  expect(shown(found)).toEqual([
    "removal 3:  <- if (!isNumber(sum)) throw new TypeError('no number')",
    'replacement 4: if (sum >= 100) rest = sum - 10 <- if (sum > 100) rest = sum - 10',
  ])
  expect(found.map(({ content }) => content)).toEqual([
    cart.replace('sum > 100', 'sum >= 100').replace("import { isNumber } from './numbers.js'\n", ''),
    now.replace('sum >= 100', 'sum > 100'),
  ])
  expect(found[0]?.withRemoved).toBe(cart.replace('sum > 100', 'sum >= 100'))
  expect(shown(parts(now, cart))).toEqual([
    "addition 4: if (!isNumber(sum)) throw new TypeError('no number') <- ",
    'replacement 6: if (sum > 100) rest = sum - 10 <- if (sum >= 100) rest = sum - 10',
  ])
})

test.each([
  ['a check in a callback', 'onMessage(bus, (message) => {\n  if (!message.signature) throw message\n})\n', 'src/a.js'],
  ['a callback with options', 'listen({\n  signed: true,\n}, check)\n', 'src/a.js'],
  ['the form in which an object is sent', 'toJSON() {\n  return { name }\n}\n', 'src/a.js'],
  ['how Python compares', 'def __eq__(self, other):\n    return True\n', 'a.py'],
  ['what Go runs at the start', 'func init() {\n\tcheck()\n}\n', 'a.go'],
  ['how Go writes a value', 'func (u User) MarshalJSON() ([]byte, error) {\n\treturn nil, nil\n}\n', 'a.go'],
])('restores %s, which nothing names', (_, removed, path) => {
  const kept = 'const a = 1\n'
  expect(parts(`${kept}${removed}`, kept, path).map(({ kind }) => kind)).toContain('removal')
})

test('restores a member of a list that is no list of imports', () => {
  const old = 'export const handle = compose(\n  log,\n  authorize,\n  answer,\n)\n'
  expect(shown(parts(old, old.replace('  authorize,\n', '')))).toEqual(['removal 3:  <- authorize,'])
  const names = 'import {\n  log,\n  authorize,\n} from "./steps.js"\n'
  expect(parts(names, names.replace('  authorize,\n', ''))).toEqual([])
})

test('restores an import that takes a name from another module', () => {
  const now = cart.replace("'./numbers.js'", "'./loose-numbers.js'")
  expect(shown(parts(cart, now))).toEqual([
    "replacement 1: import { isNumber } from './loose-numbers.js' <- import { isNumber } from './numbers.js'",
  ])
})

test('restores removed code also together with the removed code that it uses', () => {
  const old = 'function f(a) {\n  const most = limit(a)\n  start()\n  if (a > most) throw a\n  return a\n}\n'
  const now = 'function f(a) {\n  start()\n  return a\n}\n'
  const found = parts(old, now).find(({ before }) => before.startsWith('if'))
  expect(found).toMatchObject({
    kind: 'removal',
    content: old.replace('  const most = limit(a)\n', ''),
    withRemoved: old,
  })
})

test('finds removed code next to replaced code, which a diff joins', () => {
  const now = cart.replace(
    "  if (!isNumber(sum)) throw new TypeError('no number')\n  let rest = sum\n",
    '  let rest = sum + 0\n',
  )
  const found = parts(cart, now)
  expect(shown(found)).toEqual([
    "removal 4:  <- if (!isNumber(sum)) throw new TypeError('no number')",
    "replacement 4: let rest = sum + 0 <- if (!isNumber(sum)) throw new TypeError('no number')\n  let rest = sum",
  ])
  expect(found[0]?.content).toBe(cart.replace('rest = sum\n', 'rest = sum + 0\n'))
})

const guest = `class Guest extends User {
  name() {
    return 'guest'
  }

  canDelete() {
    return false
  }
}
`
const guestWithoutRule = guest.replace(/\n {2}canDelete[^}]*\}\n/, '')

test.each([
  ['a method that may replace an inherited one', guest, guestWithoutRule, 'removal 6:  <- canDelete() {'],
  ['an import for its effect', `import './audit.js'\n${cart}`, cart, "removal 1:  <- import './audit.js'"],
])('restores %s', (_, old, now, first) => {
  expect(shown(parts(old, now))).toEqual([expect.stringContaining(first)])
})

test('restores the order of moved code, and names code that certainly means something else', () => {
  const guarded = "function take(n) {\n  if (n > left) throw new Error('few')\n  left -= n\n  save()\n}\n"
  const late = "function take(n) {\n  left -= n\n  if (n > left) throw new Error('few')\n  save()\n}\n"
  const [move, ...none] = parts(guarded, late)
  expect(move).toMatchObject({
    kind: 'move',
    content: guarded,
    now: "left -= n\n  if (n > left) throw new Error('few')",
    before: "if (n > left) throw new Error('few')\n  left -= n",
  })
  expect(none).toEqual([])
  expect(parts('one()\ntwo()\nthree()\n', 'two()\nthree()\none()\n')).toMatchObject([
    { kind: 'replacement', before: 'one()\ntwo()\nthree()', content: 'one()\ntwo()\nthree()\n' },
  ])
  // A fix between the two places stays.
  const [old, now] = ['stop()\na()\nb(1)\nc()\nd()\n', 'a()\nb(2)\nc()\nstop()\nd()\n']
  expect(parts(old, now)[1]?.content).toBe(old.replace('b(1)', 'b(2)'))
  expect(parts(now, old)[1]?.content).toBe(now.replace('b(2)', 'b(1)'))
  expect(parts('const most = 50\nrun(most)\n', 'const most = 5\nrun(most)\n')).toMatchObject([{ kind: 'alteration' }])
})

test('leaves out removed code that could not run after what replaces it', () => {
  const old = 'function f(net, rate) {\n  return net + rate\n}\n'
  const now = 'function f(sum, part) {\n  const all = 1 + part\n  return times(\n    sum,\n    all,\n  )\n}\n'
  expect(parts(old, now).map(({ kind }) => kind)).toEqual(['replacement'])
  const dead = 'function f(n) {\n  if (n) {\n    return 1\n  }\n  return 2\n  stop()\n}\n'
  expect(parts(dead, dead.replace('  stop()\n', ''))).toEqual([])
  const open = dead.replace('  return 2\n', '')
  expect(parts(open, open.replace('  stop()\n', ''))).toHaveLength(1)
})

const rewritten = (from: string, to: string) => [cart, cart.replace(from, to)] as const

test.each([
  ['a comment', ...rewritten('Adds up.', 'Adds.')],
  ['an import', ...rewritten("import { isNumber } from './numbers.js'\n", '')],
  [
    'a member of a list of imports',
    "import {\n  a,\n  b,\n} from 'c'\nrun(a)\n",
    "import {\n  a,\n} from 'c'\nrun(a)\n",
  ],
  ['formatting', ...rewritten('if (sum > 100) rest = sum - 10', 'if (sum > 100)\n    rest = sum - 10')],
  ['a moved function', `function one(a) {\n  return a\n}\n\n${cart}`, `${cart}\nfunction one(a) {\n  return a\n}\n`],
  ['a function', `${cart}function old(a) {\n  return a\n}\n`, cart],
  ['a method', 'class A {\n  old(a) {\n    return a\n  }\n\n  now() {}\n}\n', 'class A {\n  now() {}\n}\n'],
  ['an import of styles', `import './cart.css'\n${cart}`, cart],
  ['a constant', `const max = 3\n${cart}`, cart],
  ['a function in a constant', `export const old = async (a) => {\n  return a\n}\n${cart}`, cart],
  ['a new function', cart, `${cart}function now(a) {\n  return a\n}\n`],
  ['a message', ...rewritten('  let rest = sum\n', "  let rest = sum\n  console.log('rest', rest)\n").toReversed()],
])('leaves out %s', (_, old = '', now = '') => {
  expect(shown(parts(old, now))).toEqual([])
})

test('takes a call for a message only if it calls a logger', () => {
  const [old, now] = rewritten('  let rest = sum\n', '  let rest = sum\n  this.log.warn(rest)\n').toReversed()
  expect(parts(old ?? '', now ?? '')).toEqual([])
  const guard = "  if (paid > rest) throw new RangeError('too much')\n"
  const moved = rewritten('  let rest = sum\n', `${guard}  let rest = sum\n  this.log.push(paid)\n`)
  const after = moved[0].replace('  let rest = sum\n', `  let rest = sum\n  this.log.push(paid)\n${guard}`)
  expect(shown(parts(moved[1], after))).toEqual([expect.stringMatching(/^move /)])
  const kept = (old ?? '').replace('this.log.warn', 'this.log.push')
  expect(shown(parts(kept, now ?? ''))).toEqual([expect.stringMatching(/^removal .* <- this\.log\.push\(rest\)$/)])
})

test('leaves out types, and a removed entry of a list is code', () => {
  expect(
    parts('interface A {\n  a: number\n  b?: string\n}\nrun()\n', 'interface A {\n  a: number\n}\nrun()\n', 'a.ts'),
  ).toEqual([])
  expect(shown(parts('const all = [\n  isNumber,\n  isSmall,\n]\n', 'const all = [\n  isNumber,\n]\n'))).toEqual([
    'removal 3:  <- isSmall,',
  ])
})

test('knows removed code of Python, whose depth matters', () => {
  const old = 'def f(a):\n    if a < 0:\n        raise ValueError(a)\n    return a\n'
  expect(shown(parts(old, 'def f(a):\n    return a\n', 'a.py'))).toEqual([
    'removal 2:  <- if a < 0:\n        raise ValueError(a)',
  ])
  expect(parts('def f(a):\n  if a:\n    b()\n    c()\n', 'def f(a):\n  if a:\n    b()\n  c()\n', 'a.py')).toHaveLength(
    1,
  )
  const guarded = '@admin_only\ndef f(a):\n    return a\n'
  expect(shown(parts(guarded, guarded.replace('@admin_only\n', ''), 'a.py'))).toEqual(['removal 1:  <- @admin_only'])
  expect(parts(guarded.replace('admin_only', 'override'), 'def f(a):\n    return a\n', 'a.py')).toEqual([])
  expect(parts('@cached\ndef old(a):\n    return a\nx = 1\n', 'x = 1\n', 'a.py')).toEqual([])
})

test('restores whole files that no coverage measures, third-party code among them', () => {
  const [tax] = parts('return 7\n', '-- new\nreturn 8\n', 'tax.lua', { measured: ['src/cart.js'] })
  expect(tax).toMatchObject({ path: 'tax.lua', kind: 'file', line: 1, content: 'return 7\n' })
  expect(parts('return 7\n', '-- new\nreturn 8\n', 'tax.lua', { measured: null })).toMatchObject([
    { kind: 'replacement' },
  ])
  expect(parts('a: 1\n', 'a: 2\n', 'types.d.ts', { measured: ['src/cart.js'] })).toEqual([])

  const vendored = code({ path: 'vendor/a.js', before: null, change: 'added', isVendored: true })
  const how = { sources: new Map([['vendor/a.js', 'run()']]), sourcesBefore: new Map(), measured: ['vendor/a.js'] }
  expect(partsToRestore({ files: [vendored], ...how, count: 0, seed: '' })).toMatchObject([
    { kind: 'file', content: '' },
  ])
})

test('takes as many parts as wanted, the same ones for the same seed, and removed code first', () => {
  const lines = Array.from({ length: 40 }, (_, at) => `run${at}(${at})`)
  const now = lines.flatMap((line, at) => (at % 4 === 0 ? [`do${line} || x`] : at % 4 === 2 && at > 30 ? [] : [line]))
  const seeded = (seed: string) => shown(parts(lines.join('\n'), now.join('\n'), 'src/cart.js', { count: 5, seed }))
  expect(seeded('a')).toHaveLength(5)
  expect(seeded('a')).toEqual(seeded('a'))
  expect(seeded('a')).not.toEqual(seeded('b'))
  expect(
    seeded('a')
      .slice(0, 2)
      .every((part) => part.startsWith('removal')),
  ).toBe(true)
})
