// A reporter for node:test that writes down when each test starts and ends, as it happens: the tests that have started
// and not ended are the ones that a hanging process is waiting for.
import { EventEmitter } from 'node:events'

// Three reporters add 11 listeners to the stream of events, so Node would warn of a leak in every run. Node imports all
// reporters before it adds them, and only the process of the runner imports them.
EventEmitter.defaultMaxListeners = 20

export default async function* (events) {
  for await (const { type, data } of events) {
    if (type !== 'test:dequeue' && type !== 'test:complete') continue
    const { name, file, line } = data
    yield `${JSON.stringify({ event: type === 'test:dequeue' ? 'start' : 'end', name, file, line })}\n`
  }
}
