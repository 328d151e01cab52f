import { expect, test } from 'vitest'
import { caseLines } from '../../testing/cases.ts'

test('reads guards, alternatives and what is thrown', async () => {
  const cases = await caseLines(
    'ts',
    `function interval(options: Options) {
  if (!Number.isFinite(options.interval)) throw new TypeError(\`Expected a number, got \${options.interval}\`)
  if (options.interval < 0) {
    throw new RangeError('negative')
  } else if (options.isPaused) {
    return
  } else {
    start(options)
  }
  return options.isFast ? 1 : slow(options)
}`,
  )
  expect(cases).toEqual([
    '2: !Number.isFinite(options.interval) -> throws TypeError: Expected a number, got ${options.interval}',
    '2: Number.isFinite(options.interval) -> default',
    '3: options.interval < 0 -> throws RangeError: negative',
    '5: options.isPaused -> early_return',
    '5: !(options.interval < 0): !options.isPaused -> default start(options)',
    '10: options.isFast -> returns 1',
    '10: !options.isFast -> returns slow(options)',
  ])
})

test('reads defaults, missing values and short circuits', async () => {
  const cases = await caseLines(
    'tsx',
    `const View = ({ size = 1, items }: Props, level = 2) => {
  const name = items?.name ?? 'nobody'
  level ||= 3
  if (a || b) stop()
  visible && draw()
  return items && <p>{size > 2 && <b />}</p>
}`,
  )
  expect(cases).toEqual([
    '1: size is undefined -> default 1',
    '1: level is undefined -> default 2',
    "2: items?.name is null or undefined -> default 'nobody'",
    '3: level is falsy -> default 3',
    '4: a || b -> default stop()',
    '4: !(a || b) -> default',
    '5: visible -> default draw()',
    '5: !visible -> default',
    '6: !items -> returns items',
    '6: size > 2 -> default <b />',
    '6: !(size > 2) -> default',
  ])
})

test('reads switches, loops and handlers', async () => {
  const cases = await caseLines(
    'jsx',
    `async function load(kind, urls) {
  switch (kind) {
    case 'a':
    case 'b':
      return 1
    default:
      note(kind)
      break
  }
  for (const url of urls) {
    if (!url) continue
    await get(url).catch(() => null)
  }
  while (queue.size > 0) queue.take()
  for (const one of [1, 2]) use(one)
  try {
    return parse(urls)
  } catch (error) {
    throw new Error('broken', { cause: error })
  } finally {
    close()
  }
}`,
  )
  expect(cases).toEqual([
    "3: switch (kind): case 'a' -> returns 1",
    "4: switch (kind): case 'b' -> returns 1",
    '6: switch (kind): default -> default note(kind)',
    '10: urls is empty -> loop_not_entered',
    '11: !url -> early_return continue',
    '11: url -> default',
    '12: get(url) rejects -> catch null',
    '14: !(queue.size > 0) -> loop_not_entered',
    '18: catch (error) around return parse(urls) -> throws Error: broken',
  ])
})

test('reads the script of a component', async () => {
  const cases = await caseLines(
    'component',
    `<template><p v-if="a" /></template>
<script setup lang="ts">
function toggle(on: boolean) {
  if (on) return 'off'
}
</script>`,
  )
  expect(cases).toEqual(["4: on -> returns 'off'", '4: !on -> default'])
})

test('reads the message of an error without the escapes of its literal', async () => {
  const source = [
    'function f(a) {',
    '  if (a < 0) throw new TypeError(`Expected \\`a\\` to be \\`> 0\\``)',
    "  if (a > 9) throw new TypeError('it\\'s \"big\"')",
    '}',
  ].join('\n')
  const lines = await caseLines('js', source)
  expect(lines.filter((line) => line.includes('throws'))).toEqual([
    '2: a < 0 -> throws TypeError: Expected `a` to be `> 0`',
    '3: a > 9 -> throws TypeError: it\'s "big"',
  ])
})
