import { expect, test } from 'vitest'
import { caseLines } from '../../testing/cases.ts'

test('reads guards, switches and handlers', async () => {
  const cases = await caseLines(
    'java',
    `class Loader {
  String load(String path, int limit) {
    Objects.requireNonNull(path, "path");
    if (limit < 0) throw new IllegalArgumentException("negative");
    else if (limit == 0) return null;
    for (String part : path.split("/")) use(part);
    while (limit > 0) limit--;
    switch (path) {
      case "a": return "A";
      case "b":
        note(path);
        break;
    }
    int size = switch (kind) {
      case SMALL, MEDIUM -> 1;
      default -> throw new IllegalStateException("kind " + kind);
    };
    try {
      return read(path);
    } catch (IOException | ParseException e) {
      return fallback != null ? fallback : "";
    }
  }
}`,
  )
  expect(cases).toEqual([
    '3: path is null -> throws NullPointerException: path',
    '4: limit < 0 -> throws IllegalArgumentException: negative',
    '5: limit == 0 -> returns null',
    '5: !(limit < 0): !(limit == 0) -> default',
    '6: path.split("/") is empty -> loop_not_entered',
    '7: !(limit > 0) -> loop_not_entered',
    '8: switch (path): none of its cases -> default',
    '9: switch (path): case "a" -> returns "A"',
    '10: switch (path): case "b" -> default note(path)',
    '15: switch (kind): case SMALL, MEDIUM -> default 1',
    '16: switch (kind): default -> throws IllegalStateException',
    '20: catch (IOException | ParseException e) around return read(path) -> returns fallback != null ? fallback : ""',
    '21: fallback != null -> returns fallback',
    '21: !(fallback != null) -> returns ""',
  ])
})
