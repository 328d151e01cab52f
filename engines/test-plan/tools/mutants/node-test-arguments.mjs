// The arguments of `test`, `suite` and hooks of `node:test`.

/** Reads the arguments as `node:test` does. */
export function readArguments([first, second, third]) {
  let [name, options, fn] = [first, second, third]
  if (typeof first === 'function') fn = first
  else if (first !== null && typeof first === 'object') [options, fn] = [first, second]
  else if (typeof second === 'function') fn = second
  if (options === null || typeof options !== 'object') options = {}
  const { name: ownName = name, fn: ownFn = fn, ...others } = options
  const isNamed = typeof ownName === 'string' && ownName !== ''
  const otherName = (typeof ownFn === 'function' && ownFn.name) || '<anonymous>'
  return { name: isNamed ? ownName : otherName, options: others, fn: ownFn }
}

export const isSet = (option) => option !== undefined && option !== false

/** A function with the parameters of another one: `node:test` passes a callback to one with two parameters. */
export function wrapped(fn, call) {
  if (fn.length === 2)
    return function (context, done) {
      return call(this, [context, done])
    }
  return function (context) {
    return call(this, [context])
  }
}
