import { expect, test } from 'vitest'
import { caseLines } from '../../testing/cases.ts'

test('reads guards, matches and defaults', async () => {
  const cases = await caseLines(
    'php',
    `<?php
function load(string $path, int $limit = 10): string {
    if ($path === '') {
        throw new \\InvalidArgumentException('no path');
    } elseif ($limit > 5) {
        return 'long';
    } else {
        note($limit);
    }
    $name = $options['name'] ?? 'nobody';
    $size = $file?->size;
    $kind = $name ?: 'plain';
    foreach ($items as $item) {
        if (!$item) continue;
    }
    $label = match ($kind) {
        'a', 'b' => 'first',
    };
    try {
        return read($path);
    } catch (IOException | ParseError $e) {
        return null;
    }
}`,
  )
  expect(cases).toEqual([
    '2: $limit is not given -> default 10',
    "3: $path === '' -> throws \\InvalidArgumentException: no path",
    "5: $limit > 5 -> returns 'long'",
    "5: !($path === ''): !($limit > 5) -> default note($limit)",
    "10: $options['name'] is null or not set -> default 'nobody'",
    '11: $file is null -> default null',
    "12: $name is falsy -> default 'plain'",
    '13: $items is empty -> loop_not_entered',
    '14: !$item -> early_return continue',
    '14: $item -> default',
    '16: match ($kind): none of its cases -> throws UnhandledMatchError',
    "17: match ($kind): 'a', 'b' -> default 'first'",
    '21: catch (IOException | ParseError $e) around return read($path) -> returns null',
  ])
})
