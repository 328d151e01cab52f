// The lcov reporter of node:test. Three reporters add 11 listeners to its stream of events, so Node would warn of a leak
// in every run. Node imports all reporters before it adds them, and only the process of the runner imports them.
import { EventEmitter } from 'node:events'

EventEmitter.defaultMaxListeners = 20

export { lcov as default } from 'node:test/reporters'
