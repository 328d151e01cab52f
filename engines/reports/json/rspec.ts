import { checkTotal } from '../check-total.ts'
import type { CaseStatus, ReadOptions, ReportReader, ReportSource, TestCase } from '../report.ts'
import { cutText, relativePath } from '../text.ts'
import { durationOrNull, lineOrNull, needed, oneOf, textOrNull } from './field.ts'
import { readJson } from './json-stream.ts'
import { each, list, number, record, text, type ValueOf } from './shape.ts'

const statuses = new Map<string, CaseStatus>([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['pending', 'skipped'],
])

/** Reads the output of `rspec --format json`. */
export const readRspecJson: ReportReader = (source, options) =>
  readJson(
    source,
    options,
    ({ add }) =>
      record({
        messages: list(text(options.limits.maxStack), 100),
        examples: each(exampleShape(options), (example, path) => add(toCase(example, path, source, options))),
        summary: record({ example_count: number, errors_outside_of_examples_count: number }),
      }),
    (whole, batch) => {
      const found = needed(whole.examples, source, 'examples')
      const summary = needed(whole.summary, source, 'summary')
      const errors = summary.errors_outside_of_examples_count ?? 0
      if (errors > 0) batch.add(outsideError(errors, whole.messages ?? [], options))
      if (found > 0 || errors === 0) checkTotal(source, options, 'examples', summary.example_count, found)
    },
  )

const exampleShape = ({ limits }: ReadOptions) =>
  record({
    description: text(limits.maxName),
    full_description: text(limits.maxName * 2),
    status: text(100),
    file_path: text(limits.maxName * 4),
    line_number: number,
    run_time: number,
    pending_message: text(limits.maxMessage),
    exception: record({
      class: text(200),
      message: text(limits.maxMessage),
      backtrace: list(text(1_000), 200),
    }),
  })

function toCase(
  example: ValueOf<ReturnType<typeof exampleShape>>,
  path: string,
  source: ReportSource,
  { limits, roots }: ReadOptions,
): TestCase {
  const name = needed(example.description, source, `${path}.description`)
  const full = example.full_description ?? name
  const status = oneOf(needed(example.status, source, `${path}.status`), statuses, source, `${path}.status`)
  const stack = (example.exception?.backtrace ?? []).join('\n')
  return {
    suite: cutText(full.endsWith(name) ? full.slice(0, full.length - name.length).trim() : full, limits.maxName),
    name,
    file: example.file_path === undefined ? null : relativePath(example.file_path, roots),
    line: lineOrNull(example.line_number),
    status,
    durationMs: durationOrNull(example.run_time === undefined ? undefined : example.run_time * 1_000),
    message: textOrNull((example.exception?.message ?? example.pending_message)?.trim()),
    stack: textOrNull(cutText(stack, limits.maxStack)),
    attempts: [],
  }
}

/** RSpec reports errors outside of examples, such as a spec file that cannot be loaded, and counts no example. */
function outsideError(count: number, messages: readonly string[], { limits, roots }: ReadOptions): TestCase {
  const text = messages.join('\n').trim()
  const place = /error occurred (?:while loading|outside of examples in) (\S+?)\.?$/m.exec(text)?.[1]
  const file = place === undefined ? null : relativePath(place, roots)
  return {
    suite: '',
    name: file ?? 'errors outside of examples',
    file,
    line: null,
    status: 'failed',
    durationMs: null,
    message: cutText(text === '' ? `${count} errors occurred outside of examples.` : text, limits.maxMessage),
    stack: null,
    attempts: [],
  }
}
