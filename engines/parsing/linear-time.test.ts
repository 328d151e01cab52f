import { test } from 'vitest'
import { expectLinear, expectLinearReader, type Reader } from '../source/testing/linear-time.ts'
import { scriptOf } from './javascript/script-blocks.ts'

test.each(['<script>', '<script ', '<script></script', '<script>a</script >'])(
  'a component of many %j takes linear time',
  (unit) => expectLinear((size) => unit.repeat(size / unit.length), 400_000, scriptOf),
)

// The parsers themselves run in processes of their own, with a deadline each, because some nesting takes them down.
const readers: Reader[] = [
  {
    name: 'a component',
    read: scriptOf,
    benign: (size) => `<template>${'<p>text</p>\n'.repeat(size / 12)}</template><script>a</script>`,
    tokens: [
      '<script',
      ' lang="ts"',
      ' src=',
      '>',
      '</script',
      '</script>',
      '\n',
      'a',
      ' ',
      '<template>',
      '="',
      '<!--',
    ],
  },
]

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)
