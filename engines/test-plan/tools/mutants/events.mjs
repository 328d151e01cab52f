// Reads what the workers of a driver report.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { files } from './shared.mjs'

/**
 * Returns a function that reads the events written since its last call. Tests can write there, too: what no driver writes is
 * left out and counted in `damaged`.
 */
export function eventReader() {
  let position = 0
  let rest = Buffer.alloc(0)
  const read = () => {
    const text = takeLines()
    const events = text.split('\n').filter(Boolean).map(eventIn)
    read.damaged += events.filter((event) => event === null).length
    return events.filter((event) => event !== null)
  }
  read.damaged = 0
  return read

  function takeLines() {
    const file = openSync(files.events, 'r')
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - position))
      const count = readSync(file, bytes, 0, bytes.length, position)
      position += count
      rest = Buffer.concat([rest, bytes.subarray(0, count)])
    } finally {
      closeSync(file)
    }
    const end = rest.lastIndexOf('\n') + 1
    const text = rest.toString('utf8', 0, end)
    rest = rest.subarray(end)
    return text
  }
}

const isTest = (one) => one === null || typeof one === 'string'
const isNumbers = (some) => Array.isArray(some) && some.every(Number.isInteger)
const isReached = ({ file, ms, probes }) => typeof file === 'string' && Number.isFinite(ms) && isNumbers(probes)
/** What the events have that are read here. */
const shapes = {
  reach: (one) => isReached(one) && typeof one.test === 'string',
  load: isReached,
  tried: ({ id, outcome, file, test }) =>
    Number.isInteger(id) && typeof outcome === 'string' && isTest(file) && isTest(test),
  again: ({ file, test, probes }) => typeof file === 'string' && typeof test === 'string' && isNumbers(probes),
  unclean: ({ ids, file }) => isNumbers(ids) && typeof file === 'string',
  crashed: ({ id, file }) => Number.isInteger(id) && typeof file === 'string',
  begun: ({ file }) => typeof file === 'string',
  done: ({ files: ended }) => Array.isArray(ended),
}

function eventIn(line) {
  try {
    const event = JSON.parse(line)
    const isEvent = typeof event?.kind === 'string' && (shapes[event.kind]?.(event) ?? true)
    return isEvent ? event : null
  } catch {
    return null
  }
}
