// When a test, or a test within it, has ended and its hooks have run.
import { isSet, readArguments, wrapped } from './node-test-arguments.mjs'

// Tests can replace it.
const { WeakMap } = globalThis

/** The tests that run, and the tests within them: what to do when they end. */
const ends = new WeakMap()

/** A hook after each test, of the root: it runs last where no hook fails. */
export function endLate(context) {
  const end = ends.get(context)
  if (!end) return
  end.isLate = true
  // After what the test itself registered with `t.after`.
  context.after(() => end.run(context))
}

/** Calls back when a test has ended and its hooks have run. */
export function whenEnded(context, done) {
  const end = {
    isLate: false,
    isIgnored: false,
    run({ passed, error }) {
      // A test that is expected to fail has an error and passes.
      done({ failed: error != null && !passed, error, isIgnored: end.isIgnored })
    },
  }
  ends.set(context, end)
  // Hooks after the test can fail, and then the hook of the root does not run.
  context.after(() => end.isLate || end.run(context))
  for (const name of ['skip', 'todo']) {
    const ignore = context[name]
    context[name] = (...values) => {
      end.isIgnored = true
      return ignore.apply(context, values)
    }
  }
  const { test } = context
  context.test = Object.assign((...args) => {
    const { name, options, fn } = readArguments(args)
    if (!isSet(options.todo) || typeof fn !== 'function') return test.apply(context, args)
    const ignored = (inner) => {
      const its = ends.get(inner)
      if (its) its.isIgnored = true
    }
    return test.call(
      context,
      name,
      options,
      wrapped(fn, (self, values) => {
        ignored(values[0])
        return fn.apply(self, values)
      }),
    )
  }, test)
}
