import { expect, test } from 'vitest'
import { caseLines } from '../../testing/cases.ts'

test('reads guards, patterns and defaults', async () => {
  const cases = await caseLines(
    'c-sharp',
    `class Loader {
  string Load(string path, int limit = 10) {
    ArgumentNullException.ThrowIfNull(path);
    if (limit < 0) throw new ArgumentOutOfRangeException(nameof(limit), "negative");
    var name = options?.Name ?? throw new InvalidOperationException("no name");
    foreach (var part in path.Split('/')) Use(part);
    var size = kind switch {
      Kind.Small => 1,
      > 5 when strict => 2,
      _ => throw new NotSupportedException(),
    };
    switch (path) {
      case "a":
        return "A";
      case string s when s.Length > 3:
        break;
    }
    try {
      Read(path);
    } catch (IOException e) when (e.HResult == 1) {
      throw;
    }
    return limit > 3 ? "many" : "few";
  }
  bool Ready => a && b;
}`,
  )
  expect(cases).toEqual([
    '2: limit is not given -> default 10',
    '3: path is null -> throws ArgumentNullException',
    '4: limit < 0 -> throws ArgumentOutOfRangeException: negative',
    '4: !(limit < 0) -> default',
    '5: options?.Name is null -> throws InvalidOperationException: no name',
    "6: path.Split('/') is empty -> loop_not_entered",
    '8: kind switch: Kind.Small -> default 1',
    '9: kind switch: > 5 when strict -> default 2',
    '10: kind switch: _ -> throws NotSupportedException',
    '12: switch (path): none of its cases -> default',
    '13: switch (path): case "a" -> returns "A"',
    '15: switch (path): case string s when s.Length > 3 -> default break',
    '20: catch (IOException e) when (e.HResult == 1) around Read(path) -> throws the caught error',
    '23: limit > 3 -> returns "many"',
    '23: !(limit > 3) -> returns "few"',
    '25: !a -> returns false',
  ])
})
